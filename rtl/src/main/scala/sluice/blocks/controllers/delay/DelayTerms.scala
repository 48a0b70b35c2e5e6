// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers
package delay

import sluice.blocks.arithmetic.Seconds
import spinal.core._
import spinal.lib._

/** What a tick moves a probability by: `alpha (d - target) + beta (d - d_old)` (RFC 8033, section 4.2; RFC 9332, appendix A.1). The two
  * terms go one behind the other through one [[GainStep]]; each is rounded towards 0, and at most 4.
  *
  * @param begin
  *   high for one clock when all else is there, which stands for [[DelayTerms.cycles]] clocks
  * @param delay
  *   `old` and `target`, ns of 32 bits
  * @param alpha
  *   and `beta`, 1/s, Q16.16
  * @param halvings
  *   of each term, before it is rounded the last time
  */
class DelayTerms(
    begin: Bool,
    delay: UInt,
    old: UInt,
    target: UInt,
    alpha: UInt,
    beta: UInt,
    halvings: Option[UInt] = None
) extends Area {
  import DelayTerms._

  /** Whether it is the second term's turn, so many clocks after `begin`. */
  private def isSecond(clocks: Int): Bool = Delay(begin, clocks, init = False)

  private val distance = RegNext(delay.intoSInt - Mux(isSecond(1), old, target).intoSInt)
  private val (size, isBelow) = GainStep.magnitude(distance)
  private val gain = RegNext(Mux(isSecond(stepAt), beta, alpha))
  private val step =
    new GainStep(Seconds(size), gain, shift = Seconds.fraction + gainFraction - fraction, bits = termBits)
  private val scaled = halvings.fold(step.size)(step.size |>> _)
  private val term = GainStep.signed(RegNext(scaled), Delay(isBelow, signedAt - 1))
  private val first = RegNext(term)

  /** Q3.40 with a sign. It stands. */
  val sum: SInt = RegNextWhen(first +^ term, isSecond(signedAt + 2))
}

object DelayTerms {

  /** Of the probability and the sum, behind the point. */
  val fraction = 40

  /** Of a gain. */
  val gainFraction = 16
  private val termBits = fraction + 2

  private val stepAt = 2 + Seconds.cycles
  private val signedAt = stepAt + GainStep.cycles + 1 // clocks from `begin` to the first term's size

  /** Clocks from `begin` to the sum. */
  val cycles: Int = signedAt + 3
}
