// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package numbers

import sluice.blocks.state.{ForwardedMemory, ResetNumber}
import sluice.contract._
import sluice.tile.account.Accountant
import spinal.core._
import spinal.lib._

/** Counters of each of many queues, in block memory, and those of the queue that the host has selected at the instant of a snapshot.
  *
  * Each memory has one word to read and one to write in a clock, and both are a packet's where there is one. So the host's queue is read in
  * the clocks without a packet, and is seen on its way where a packet of its own changes it: from then on it is followed here from clock to
  * clock, and a snapshot is of that. Only where a packet of another queue came in every clock since the host selected one is there nothing
  * to copy, and [[isMissing]] says so.
  *
  * At any moment accepted = queued + departed, in packets and in bytes, up to where they begin anew.
  *
  * @param judged
  *   a verdict that is counted
  * @param packet
  *   whose it is
  * @param grown
  *   packets of its queue, with it, if it is accepted
  * @param departed
  *   a packet that is counted as sent
  * @param select
  *   the host's queue
  * @param snapshot
  *   copies what all earlier clocks have left
  */
class QueueCounters(
    config: TileConfig,
    judged: Flow[Verdict],
    packet: Descriptor,
    grown: UInt,
    departed: Flow[Descriptor],
    select: UInt,
    snapshot: Bool
) extends Area {
  import ForwardedMemory.writeAt
  import QueueCounters._

  private val resets = new ResetNumber(config.queueBits, writing = writeAt + 1)
  private val isReselected = select =/= RegNext(select)

  /** One number of a queue: in clock writeAt, what it becomes. */
  private class Number(val name: String, val width: Int, val next: UInt => UInt)
  private def count(name: String, width: Int, is: Bool, amount: UInt = U(1, 1 bits)): Number = {
    val more = Delay(amount.andMask(is), writeAt)
    new Number(name, width, _ + more)
  }
  private def highest(name: String, width: Int, is: Bool, reached: UInt): Number = {
    val now = Delay(reached.resize(width).andMask(is), writeAt)
    new Number(name, width, was => Mux(now > was, now, was))
  }
  private val isTaken = Delay(snapshot, writeAt + 1, init = False)

  /** What one kind of event changes. */
  private class Words(isChanged: Bool, queue: UInt, numbers: Seq[Number]) extends Area {
    private val index = Mux(isChanged, queue, select)
    private val words = QueueTotal(numbers.map(_.width).sum, resets, isChanged, index)
    private val lsbs = numbers.map(_.width).scanLeft(0)(_ + _)
    private def each(word: UInt): Seq[UInt] = numbers.zip(lsbs).map { case (n, lsb) => word(lsb, n.width bits) }
    words.written := Cat(numbers.zip(each(words.value)).map { case (n, was) => n.next(was) }).asUInt

    // The host's queue as it is written or, in a clock of its own, read.
    private val isIts = index === select && !resets.isFresh
    private val isShown = (0 to writeAt).foldLeft(isIts)((is, _) => RegNext(is && !isReselected) init False)
    private val shown = RegNextWhen(RegNext(words.written), isShown) init 0
    val isKnown = RegInit(False) setWhen isShown clearWhen isReselected
    val taken: Map[String, UInt] = numbers
      .zip(each(shown))
      .map { case (n, now) => n.name -> RegNextWhen(now, isTaken).init(0).setCompositeName(this, n.name) }
      .toMap
  }

  private val isAccepted = judged.valid && judged.action =/= Action.DROP
  private val isDropped = judged.valid && judged.action === Action.DROP
  private val lengthBits = Widths.count(config.mostPackets)
  private val ofArrivals = new Words(
    judged.valid,
    packet.queue,
    Seq(
      count("accepted_packets", packetsBits, isAccepted),
      count("accepted_bytes", bytesBits, isAccepted, packet.bytes),
      count("dropped_bytes", bytesBits, isDropped, packet.bytes),
      highest("most_packets", lengthBits, isAccepted, grown)
    ) ++ config.reasons.map { case (code, reason) =>
      count(Accountant.nameOf(reason), packetsBits, judged.valid && judged.reason === code)
    }
  )
  private val ofDepartures = new Words(
    departed.valid,
    departed.payload.queue,
    Seq(
      count("departed_packets", packetsBits, departed.valid),
      count("departed_bytes", bytesBits, departed.valid, departed.payload.bytes)
    )
  )

  /** The selected queue's counters could not be copied by the last snapshot. */
  val isMissing: Bool = RegNextWhen(!(ofArrivals.isKnown && ofDepartures.isKnown), isTaken) init False

  private val taken = ofArrivals.taken ++ ofDepartures.taken
  private def queued(unit: String, bits: Int): UInt =
    (taken(s"accepted_$unit") - taken(s"departed_$unit")).resize(bits)

  /** By their names: those of the last snapshot. */
  val captured: Map[String, UInt] = taken + ("packets" -> queued("packets", lengthBits)) +
    ("bytes" -> queued("bytes", Widths.maxBytes))
}

object QueueCounters {

  /** They begin anew after 7 minutes of 150 million packets a second, and after 90 seconds of 100 Gbit/s. */
  val packetsBits = 36
  val bytesBits = 40

  /** In the order of the registers, with the bits of each. */
  def names(config: TileConfig): Seq[(String, Int)] = Seq(
    "accepted_packets" -> packetsBits,
    "accepted_bytes" -> bytesBits,
    "dropped_bytes" -> bytesBits,
    "departed_packets" -> packetsBits,
    "departed_bytes" -> bytesBits,
    "packets" -> Accountant.width, // what is queued begins never anew
    "bytes" -> Accountant.width,
    "most_packets" -> Accountant.width
  ) ++ config.reasons.map { case (_, reason) => Accountant.nameOf(reason) -> packetsBits }
}
