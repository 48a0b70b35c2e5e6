// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package account

import sluice.contract._
import sluice.tile.registers.QueueWindowIo
import sluice.tile.queue.numbers.QueueCounters
import spinal.core._
import spinal.lib._

/** The tile's counters, one set for every core alike, and their snapshot.
  *
  * A packet's fate is counted a clock after it is sealed, all counters together, so that at any moment, in packets and in bytes,
  * received = dropped on arrival + dropped in the queue + queued + departed ([[AccountProof]]). Counters are 48 bits: at 150 million
  * packets of 1,500 bytes a second the byte counters wrap after 20 minutes, the packet counters after 21 days.
  *
  * @param admission
  *   the commit point
  * @param snapshot
  *   copies all counters at one instant for reading
  * @param window
  *   the host's, through which it has those of one of many queues
  */
class Accountant(config: TileConfig, admission: Admission, snapshot: Bool, window: Option[QueueWindowIo] = None)
    extends Area {
  private val sealedVerdict = admission.verdict.stage()

  /** A packet of `droppedBytes` is dropped in this clock. */
  val isDropped = sealedVerdict.valid && sealedVerdict.action === Action.DROP
  val droppedBytes = RegNext(admission.packet.bytes)

  private val sealedLeft = admission.departed.stage()
  private val sealedThrown = admission.thrownOut.map(_.stage())

  /** A packet of `goneBytes` is dropped in the queue in this clock. One that was thrown out is dropped then, and not when its
    * tombstone leaves.
    */
  val isGone =
    config.needs.isAsked generate sealedThrown.fold(sealedLeft.valid && sealedLeft.isDropped)(_.valid)
  val goneBytes = config.needs.isAsked generate sealedThrown.fold(sealedLeft.packet.bytes)(_.bytes)

  private val lag = if (config.extension.isDefined) Extension.lag - 1 else 0
  private def late[T <: Data](event: Flow[T]): Flow[T] = (0 until lag).foldLeft(event)((f, _) => f.stage())
  private val verdict = late(sealedVerdict)
  private val bytes = Delay(droppedBytes, lag)
  private val left = late(sealedLeft)
  private val isSent = left.valid && !left.isDropped
  private val isDrop = verdict.valid && verdict.action === Action.DROP

  private def counter(event: Bool, amount: UInt): UInt = {
    val count = Reg(UInt(Accountant.width bits)) init 0
    when(event)(count := count + amount)
    count
  }

  private val one = U(1, 1 bits)
  private val common = Seq(
    counter(verdict.valid, one),
    counter(verdict.valid, bytes),
    counter(isDrop, bytes),
    counter(isSent, one),
    counter(isSent, left.packet.bytes),
    Delay(RegNext(admission.packets), lag),
    Delay(RegNext(admission.bytes), lag)
  )
  private val isCountedGone = config.needs.isAsked generate Delay(isGone, lag, init = False)
  private val inQueue = Option
    .when(config.needs.isAsked)(Seq(counter(isCountedGone, one), counter(isCountedGone, Delay(goneBytes, lag))))
    .toSeq
    .flatten
  private val byReason = config.reasons.map {
    case (TileConfig.pushedOutCode, _) => counter(isCountedGone, one)
    case (code, _)                     =>
      val isOfArrival = verdict.valid && verdict.reason === code
      // A core gives a reason at the arrival or at the head, not at both.
      counter(if (config.needs.head) isOfArrival || (left.valid && left.reason === code) else isOfArrival, one)
  }

  class OfQueue(number: Int, occupancy: admission.OfQueue) extends Area {
    private val isIts = verdict.valid && Delay(RegNext(admission.packet.queue === number), lag)
    private val isItsDrop = isIts && verdict.action === Action.DROP
    private val isItsSent = isSent && left.packet.queue === number
    val counters = Seq(
      counter(isIts, one),
      counter(isIts, bytes),
      counter(isItsDrop, one),
      counter(isItsDrop, bytes),
      counter(isItsSent, one),
      counter(isItsSent, left.packet.bytes),
      Delay(RegNext(occupancy.ofPackets.taken), lag),
      Delay(RegNext(occupancy.ofBytes.taken), lag)
    )
  }
  val ofQueues = admission.ofQueues.zipWithIndex.map { case (occupancy, i) => new OfQueue(i, occupancy) }

  /** The counters as they stand, by their names. */
  val counters: Seq[(String, UInt)] =
    (Accountant.names(config) ++ Accountant.queueNames(config).flatten.map(_._1))
      .zip(common ++ inQueue ++ byReason ++ ofQueues.flatMap(_.counters))

  val ofSelected = window.filter(_ => config.countsLists).map { window =>
    val sent = left.takeWhen(!left.isDropped).translateWith(left.packet)
    val packet = Delay(RegNext(admission.packet), lag)
    val grown = Delay(admission.listed.get.grown, lag)
    val selected = new QueueCounters(config, verdict, packet, grown, sent, window.select, snapshot)
    window.isMissing := selected.isMissing
    selected
  }

  /** Those of the last snapshot, in the same order. */
  val captured: Seq[UInt] = counters.map { case (name, count) =>
    RegNextWhen(count, snapshot).init(0).setCompositeName(this, name).resize(Accountant.width)
  } ++ ofSelected.toSeq.flatMap { selected =>
    QueueCounters.names(config).map { case (name, bits) =>
      selected.captured(name).resize(bits).resize(Accountant.width)
    }
  }
}

object Accountant {
  val width = 48

  def names(config: TileConfig): Seq[String] = Seq(
    "received_packets",
    "received_bytes",
    "dropped_bytes",
    "departed_packets",
    "departed_bytes",
    "queue_packets",
    "queue_bytes"
  ) ++ (if (config.needs.isAsked) Seq("queue_dropped_packets", "queue_dropped_bytes") else Nil) ++ config.reasons.map {
    case (_, reason) => nameOf(reason)
  }

  /** Those of each of several queues, with their bits, or of the one of many that the host selects. */
  def queueNames(config: TileConfig): Seq[Seq[(String, Int)]] =
    if (config.storage == Storage.Lists)
      Option
        .when(config.countsLists)(QueueCounters.names(config).map { case (name, bits) => s"selected_$name" -> bits })
        .toSeq
    else config.Own.ofQueues.indices.map(namesOfRing(_).map(_ -> width))

  private def namesOfRing(number: Int): Seq[String] =
    Seq("received", "dropped", "departed").flatMap(what =>
      Seq("packets", "bytes").map(unit => s"queue${number}_${what}_$unit")
    ) ++ Seq(s"queue${number}_packets", s"queue${number}_bytes")

  /** Register name of a reason's counter: "Forced drop" -> "forced_drop". */
  def nameOf(reason: Reason): String = reason.name.toLowerCase.replace(' ', '_')
}
