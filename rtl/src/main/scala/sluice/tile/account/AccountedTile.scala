// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package account

import sluice.contract._
import sluice.tile.queue.Left
import sluice.checks.Proof
import spinal.core._
import spinal.lib._

/** Whatever is judged, leaves and is thrown out in whatever clocks: what a tile counts adds up at every moment, in packets and bytes, as
  * long as nothing leaves that did not come and the tile is at rest only when nothing is there. By induction, for any time; of a
  * witness' tile.
  */
abstract class AccountedTile(config: TileConfig) extends Proof {
  protected val algorithm = config.algorithm
  protected val needs = config.needs
  private def anything[T <: Data](kind: HardType[T]): T = {
    val value = kind()
    value.assignFromBits(free(HardType(Bits(widthOf(value) bits))))
    value
  }

  // No verdict comes sooner after a reset than the first packet's could, and nothing leaves before.
  private val sinceReset = Reg(UInt(3 bits)) init 0
  when(!sinceReset.andR)(sinceReset := sinceReset + 1)
  private def notAtOnce(event: Flow[_ <: Data]): Unit = assume(!event.valid || sinceReset.andR)

  // A core gives a drop a reason, and one at the arrival is none at the head.
  private def codes(isMark: Boolean, place: String): Seq[Int] =
    algorithm.reasons.zipWithIndex.collect { case (r, i) if r.isMark == isMark && r.name.startsWith(place) => i + 1 }
  private def isOneOf(reason: UInt, codes: Seq[Int]): Bool = codes.map(reason === _).fold(False)(_ || _)

  val judged = anything(HardType(Flow(CoreVerdict(needs))))
  assume(judged.action.asBits =/= 3)
  assume((judged.action === Action.DROP) === isOneOf(judged.reason, codes(isMark = false, "Arrival")))
  assume(!isOneOf(judged.reason, TileConfig.overlimitCode +: codes(isMark = false, "Head")))
  if (needs.takesVictims) assume(judged.reason =/= TileConfig.pushedOutCode)

  val leaving = anything(HardType(Flow(new Left(config))))
  if (needs.takesVictims) {
    assume(leaving.isTombstone === leaving.isDropped)
  } else {
    assume(!leaving.isTombstone)
    assume(leaving.isDropped === isOneOf(leaving.reason, codes(isMark = false, "Head")))
    assume(!isOneOf(leaving.reason, TileConfig.overlimitCode +: codes(isMark = false, "Arrival")))
  }
  val thrown = Option.when(needs.takesVictims)(anything(HardType(Flow(config.entry))))
  for (event <- Seq(judged, leaving) ++ thrown) notAtOnce(event)

  val coming = anything(HardType(config.entry))
  val isAtRest = free(HardType(Bits(config.queues bits)))
  val admission = new Admission(
    config,
    judged,
    coming,
    leaving,
    thrown,
    limit = free(HardType(UInt(Widths.maxPackets bits))),
    limitBytes = free(HardType(UInt(Widths.maxBytes bits))),
    limitsOfQueues = config.Own.ofQueues.map(q =>
      (free(HardType(UInt(q.limit.width bits))), free(HardType(UInt(Widths.maxBytes bits))))
    ),
    limitsOfEach = None,
    isAtRest = isAtRest.andR,
    isQueueAtRest = isAtRest.asBools.toSeq,
    restart = False
  )
  val accountant = new Accountant(config, admission, snapshot = free(Bool()))

  for (occupancy <- admission.all) {
    assume(!occupancy.next.msb)
    assume(!occupancy.isAtRest || admission.isAccepted || occupancy.next === 0)
  }

  protected val shown = 2 // bits of a sum that are proved; each further one would be as those
  private val counters = accountant.counters.toMap
  protected def sum(names: Seq[String]): UInt = names.map(counters(_).resize(shown)).reduce(_ + _)
  private val drops = config.reasons.map(_._2).filterNot(_.isMark).map(Accountant.nameOf)

  when(isRunning) {
    assert(sum(Seq("received_packets")) === sum(drops ++ Seq("queue_packets", "departed_packets")))
    assert(
      sum(Seq("received_bytes")) ===
        sum(Seq("dropped_bytes", "queue_bytes", "departed_bytes") ++ Option.when(needs.isAsked)("queue_dropped_bytes"))
    )
  }
}
