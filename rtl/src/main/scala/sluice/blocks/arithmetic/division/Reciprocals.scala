// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic
package division

import spinal.core._

/** The reciprocals of some numbers of at most 32 bits, one after the other on one [[SequentialReciprocal]].
  *
  * @param start
  *   high for one cycle when the numbers stand; they must stay until [[isDone]]
  */
class Reciprocals(start: Bool, values: Seq[UInt]) extends Area {
  val results: Seq[Reciprocal] = values.map(_ => Reg(Reciprocal()))

  private val unit = new SequentialReciprocal
  private val job = Reg(UInt(log2Up(values.size) bits)) init 0
  private val isLast = job === values.size - 1
  unit.io.start := start || RegNext(unit.io.done && !isLast, init = False)
  unit.io.value := Vec(values.map(_.resize(32))).read(job)
  when(unit.io.done) {
    job := Mux(isLast, U(0), job + 1)
    for ((result, i) <- results.zipWithIndex) when(job === i)(result := unit.io.result)
  }

  /** High for one cycle, after which all results stand. */
  val isDone: Bool = unit.io.done && isLast

  /** Clocks from `start` to [[isDone]]: each number's, and one before each, and between. */
  val cycles: Int = values.size * (SequentialReciprocal.cycles + 2) - 1
}
