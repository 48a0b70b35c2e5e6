// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import spinal.core._

/** A flow compared with many at once, as they stand in this clock: by bytes, and a clock later which of them are the same in all.
  *
  * @param entries
  *   and `flow`: from registers
  */
class FlowComparison(entries: Vec[Bits], flow: Bits) extends Area {
  private val partial = Vec(entries.map { entry =>
    RegNext(Vec(entry.subdivideIn(8 bits).zip(flow.subdivideIn(8 bits)).map { case (a, b) => a === b }).asBits)
  })

  /** Which of those that are here, a clock after the comparison, are the same; [[FlowComparison.latency]] clocks after it. */
  def among(isHere: Vec[Bool]): Seq[Bool] =
    partial.toSeq.zip(isHere.toSeq).map { case (equal, here) => RegNext(equal.andR && here) }
}

object FlowComparison {
  val latency = 2
}
