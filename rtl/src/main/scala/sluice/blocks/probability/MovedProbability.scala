// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import spinal.core._

/** A probability, Q1.31, and a step up or down, which ends at 1 and at 0. A sum or a difference in one carry chain: the lowest bit carries a
  * 1 in where the step is inverted.
  */
object MovedProbability {
  def apply(probability: UInt, step: UInt, isRise: Bool): UInt = {
    val by = step.resize(34)
    val sum = ((probability.resize(34) @@ U(1, 1 bit)) + (Mux(isRise, by, ~by) @@ U(!isRise))) >> 1
    val isAbove = !sum.msb && sum(32 downto 31) =/= 0 // 1 or more
    isAbove.asUInt @@ Mux(isAbove || sum.msb, U(0), sum(30 downto 0))
  }
}
