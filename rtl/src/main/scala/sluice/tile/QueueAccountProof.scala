// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.Proof
import sluice.contract._
import sluice.cores.DropTail
import sluice.tile.queue.Left
import spinal.core._
import spinal.lib._

/** Whatever comes to and leaves which of two queues in whatever clocks: what a tile counts of each queue adds up at every moment, in
  * packets and bytes, and the queues together are the tile. By induction, for any time. As in [[AccountProof]].
  */
class QueueAccountProof extends Proof {
  private val config =
    TileConfig(
      "proof",
      DropTail,
      "experimental",
      ringPackets = 64,
      cookieBits = 0,
      queues = 2,
      scheduler = "strict"
    )
  private def anything[T <: Data](kind: HardType[T]): T = {
    val value = kind()
    value.assignFromBits(free(HardType(Bits(widthOf(value) bits))))
    value
  }
  private def any(width: Int): UInt = free(HardType(UInt(width bits)))

  // No verdict comes sooner after a reset than the first packet's could, and nothing leaves before.
  private val sinceReset = Reg(UInt(3 bits)) init 0
  when(!sinceReset.andR)(sinceReset := sinceReset + 1)

  val judged = anything(HardType(Flow(CoreVerdict(config.needs))))
  assume(judged.action === Action.PASS && judged.reason === 0)
  val leaving = anything(HardType(Flow(new Left(config))))
  assume(!leaving.isTombstone && !leaving.isDropped)
  for (event <- Seq(judged, leaving)) assume(!event.valid || sinceReset.andR)

  val admission = new Admission(
    config,
    judged,
    coming = anything(HardType(config.entry)),
    leaving,
    thrown = None,
    limit = any(Widths.maxPackets),
    limitBytes = any(Widths.maxBytes),
    limitsOfQueues = config.Own.ofQueues.map(q => (any(q.limit.width), any(q.limitBytes.width)))
  )
  val accountant = new Accountant(config, admission, snapshot = free(Bool()))

  private val shown = 2 // bits of a sum that are proved; each further one would be as those
  private val counters = accountant.counters.toMap
  private def sum(names: Seq[String]): UInt = names.map(counters(_).resize(shown)).reduce(_ + _)

  when(isRunning) {
    for (unit <- Seq("packets", "bytes")) {
      for (i <- 0 until config.queues) {
        val gone = Seq(s"queue${i}_dropped_$unit", s"queue${i}_departed_$unit", s"queue${i}_$unit")
        assert(sum(Seq(s"queue${i}_received_$unit")) === sum(gone))
      }
      for (
        (ofAll, ofQueue) <- Seq(
          s"received_$unit" -> s"received_$unit",
          s"departed_$unit" -> s"departed_$unit",
          s"queue_$unit" -> unit
        )
      )
        assert(sum(Seq(ofAll)) === sum((0 until config.queues).map(i => s"queue${i}_$ofQueue")))
    }
  }
}
