// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.blocks.controllers.delay.DelayTerms
import spinal.core._

/** PI2's p' (RFC 9332, appendix A.1): Q1.40, moved by the sum of both terms, from 0 to a bound of its own.
  *
  * @param terms
  *   Q3.40, there [[BaseProbability.cycles]] clocks before `settles`
  * @param most
  *   Q1.31; stands meanwhile
  * @param settles
  *   high in the clock after which it has moved
  */
class BaseProbability(terms: SInt, most: UInt, settles: Bool) extends Area {
  import BaseProbability._

  val base = Reg(UInt(DelayTerms.fraction + 1 bits)) init 0
  private val bound = most << (DelayTerms.fraction - fraction)
  private val moved = RegNext(base.intoSInt +^ terms)
  private val isOver = RegNext(moved > bound.intoSInt)
  private val isUnder = RegNext(moved.msb)
  private val kept = RegNext(moved.asUInt.resize(base.getWidth))
  when(settles)(base := Mux(isUnder, U(0), Mux(isOver, bound, kept)))

  /** As draws see it, Q1.31. */
  def probability: UInt = (base >> (DelayTerms.fraction - fraction)).resized
}

object BaseProbability {
  private val fraction = 31

  /** Clocks from the terms until p' has moved. */
  val cycles = 2
}
