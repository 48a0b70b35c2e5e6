// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package account

import sluice.contract._
import sluice.tile.queue.Left
import spinal.core._
import spinal.lib._

/** The commit point: a packet that its core keeps is accepted if it fits the limits, and from the next clock on it counts. A
  * packet that leaves stops counting two clocks after it left; where packets may be thrown out of the queue, three clocks after, and of many
  * queues [[ListedOccupancy.later]] clocks more.
  *
  * @param judged
  *   the core's verdict
  * @param coming
  *   the packet whose verdict comes [[Admission.ahead]] clocks later
  * @param leaving
  *   the packet that leaves at the head in this clock
  * @param thrown
  *   the packet that is thrown out in this clock, where a core may do that; its place in the ring is free when it
  *   leaves at the head
  * @param limit
  *   packets, for a packet whose verdict comes [[Occupancy.ahead]] clocks later
  * @param limitBytes
  *   bytes, likewise
  * @param limitsOfQueues
  *   both of each queue, likewise, where there are several in rings
  * @param limitsOfEach
  *   of the packet's queue, likewise, where there are many in lists
  * @param isAtRest
  *   nothing that was accepted before this clock is queued or still to be counted as gone
  * @param isQueueAtRest
  *   the same of each of several queues
  * @param restart
  *   what counts many queues begins anew in this clock; see [[ListedOccupancy]]
  * @param cellsBack
  *   where a datapath says when the cells of packets that have left are free
  */
class Admission(
    config: TileConfig,
    val judged: Flow[CoreVerdict],
    coming: Descriptor,
    leaving: Flow[Left],
    thrown: Option[Flow[Descriptor]],
    limit: UInt,
    limitBytes: UInt,
    limitsOfQueues: Seq[(UInt, UInt)],
    limitsOfEach: Option[ListedOccupancy.Limits],
    isAtRest: Bool,
    isQueueAtRest: Seq[Bool],
    restart: Bool,
    cellsBack: Option[Admission.CellsBack] = None
) extends Area {

  /** The packet whose verdict `judged` is. */
  val packet = Delay(coming, Admission.ahead)

  /** The same as it enters the queue: with the core's mark and tag. */
  val entering = {
    val entry = cloneOf(packet)
    entry := packet
    entry.isCe.allowOverride() := judged.action === Action.MARK
    if (entry.tag != null) entry.tag.allowOverride() := judged.tag
    entry
  }

  // Of many queues the tile counts a packet as long as its queue does.
  private val toBeKnown = (0 until config.storage.later).scanLeft(leaving)((flow, _) => flow.stage())
  private val known = toBeKnown.last

  // Whether a packet leaves is known late.
  private val left = known.stage()
  private val gone = thrown.map(_.stage())

  private val isKept = judged.valid && judged.action =/= Action.DROP
  private val fits = Bool()

  /** The packet enters the queue. */
  val isAccepted = isKept && fits

  private def amountOf(isGone: Bool, packet: Descriptor, amount: UInt => UInt): UInt =
    RegNext(amount(packet.bytes)).andMask(RegNext(isGone, init = False))

  /** Packets and bytes of one of several queues. Another's packet is one of nothing, and fits whatever the limit is. */
  class OfQueue(number: Int, limit: UInt, limitBytes: UInt) extends Area {
    private val isComing = coming.queue === number
    private val isLeaving = leaving.valid && leaving.packet.queue === number
    private def occupancy(bits: Int, limit: UInt)(amount: UInt => UInt): Occupancy = new Occupancy(
      bits,
      RegNext(amount(coming.bytes).andMask(isComing)),
      limit,
      RegNext(amount(leaving.packet.bytes).andMask(isLeaving)) init 0,
      isAccepted,
      isQueueAtRest(number),
      isOther = Some(RegNext(!isComing))
    )
    val ofPackets = occupancy(Widths.count(config.mostInQueue), limit)(_ => U(1))
    val ofBytes = occupancy(Widths.maxBytes, limitBytes)(bytes => bytes)
  }
  val ofQueues = limitsOfQueues.zipWithIndex.map { case ((packets, bytes), i) => new OfQueue(i, packets, bytes) }

  /** @param amount
    *   what a packet of so many bytes takes
    * @param isPlace
    *   whether it takes it until it leaves at the head, even if it is thrown out before
    */
  private def occupancy(bits: Int, limit: UInt, isPlace: Boolean = false)(amount: UInt => UInt): Occupancy = {
    val freed = amountOf(known.valid && (if (isPlace) True else !known.isTombstone), known.packet, amount)
    val freedToo =
      thrown.map(t => RegNext(if (isPlace) freed else freed +^ amountOf(t.valid, t.payload, amount)) init 0)
    new Occupancy(bits, RegNext(amount(coming.bytes)), limit, freedToo.getOrElse(freed), isAccepted, isAtRest)
  }

  private val ofPackets = occupancy(Widths.maxPackets, limit)(_ => U(1))
  private val ofBytes = occupancy(Widths.maxBytes, limitBytes)(bytes => bytes)
  // The storage of a datapath: a packet fills its last cell.
  private val ofCells = config.extension.map { e =>
    def cells(bytes: UInt): UInt = (bytes +^ (e.cellBytes - 1)) >> log2Up(e.cellBytes)
    val (bits, limit) = (Widths.count(e.cells), U(e.cells))
    cellsBack.fold(occupancy(bits, limit, isPlace = true)(cells)) { back =>
      new Occupancy(bits, RegNext(cells(coming.bytes)), limit, back.freed, isAccepted, isAtRest && back.isAtRest)
    }
  }
  // In the ring too a tombstone keeps its place.
  private val ofPlaces = Option.when(thrown.isDefined)(
    occupancy(Widths.count(config.mostPackets), U(config.mostPackets), isPlace = true)(_ => U(1))
  )
  private[tile] val all =
    Seq(ofPackets, ofBytes) ++ ofCells ++ ofPlaces ++ ofQueues.flatMap(q => Seq(q.ofPackets, q.ofBytes))

  /** Of many queues. */
  val listed = limitsOfEach.map { limits =>
    val soon = toBeKnown(config.storage.later - DynamicThreshold.ahead)
    def shared(occupancy: Occupancy, limit: UInt)(amount: UInt => UInt) =
      ListedOccupancy.Shared(occupancy, limit, amountOf(soon.valid, soon.packet, amount))
    new ListedOccupancy(
      config,
      coming,
      limits,
      shared(ofPackets, limit)(_ => U(1)),
      shared(ofBytes, limitBytes)(bytes => bytes),
      leaving,
      isAccepted,
      packet,
      left.stage(),
      restart
    )
  }
  fits := (all.map(_.fits) ++ listed.map(_.fits)).reduceBalancedTree(_ && _)

  /** A count is below zero in this clock, and 0 from the next one on. */
  private val isBelowZero: Bool = all.map(_.isBelowZero).orR

  /** A count fell below zero, or that of all packets was not 0 at rest: it has begun anew. */
  val isMended: Bool = RegNext(isBelowZero || RegNext(ofPackets.taken =/= 0 && isAtRest, init = False), init = False)

  val packets = ofPackets.taken
  val bytes = ofBytes.taken

  /** What is queued of the queue of a packet, for the core. Of a count below zero a clock shows all that there can be, which an average or
    * a price would keep for long: it is shown as nothing.
    */
  def packetsOf(queue: UInt): UInt = ofOne(queue, packets, ofQueues.map(_.ofPackets.taken))
  def bytesOf(queue: UInt): UInt = ofOne(queue, bytes, ofQueues.map(_.ofBytes.taken))
  private def ofOne(queue: UInt, all: UInt, each: Seq[UInt]): UInt =
    (if (each.isEmpty) all else Vec(each).read(queue).resize(all.getWidth)).andMask(!isBelowZero)

  /** The packet's last word: the core's verdict, or the tile's drop. */
  val verdict = Flow(Verdict())
  verdict.valid := judged.valid
  verdict.action := judged.action
  verdict.reason := judged.reason
  when(isKept && !fits) {
    verdict.action := Action.DROP
    verdict.reason := TileConfig.overlimitCode
  }

  private def whenSubtracted[T <: Data](event: Flow[T]): Flow[T] =
    if (thrown.isDefined) event.stage().stage() else event.stage()

  /** The packet that left at the head and that [[packets]] and [[bytes]] subtract in this clock. */
  val departed: Flow[Left] = whenSubtracted(left)

  /** The one that was thrown out, likewise. */
  val thrownOut: Option[Flow[Descriptor]] = gone.map(whenSubtracted(_))
}

object Admission {

  /** Clocks from `coming` to the decision about the packet. */
  val ahead = Occupancy.ahead + 1

  /** Cells that are free since a clock ago, and whether those of all packets that have left are. */
  case class CellsBack(freed: UInt, isAtRest: Bool)
}
