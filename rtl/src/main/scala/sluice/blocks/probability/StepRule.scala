// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import spinal.core._

/** How far max_p moves in one step, `max_p * coefficient`, and what a rule makes of that. The building blocks of the adaptive
  * RED schemes.
  *
  * @param coefficient
  *   at most 1/4, so that even four times that leaves something of a max_p that falls
  */
abstract class StepRule(coefficient: BigDecimal) {
  require(coefficient > 0 && coefficient <= 0.25, s"a step's coefficient is within 0..1/4, not $coefficient")

  /** The coefficient, Q0.18. */
  def multiplier: UInt = U(StepRule.rounded(coefficient, 18), 18 bits)

  /** What multiplies besides, given the average's distance from the band in relation to the band; Q2.16. */
  def factor(distance: UInt): UInt

  /** Whether that depends on the distance. */
  def isByDistance: Boolean = false

  /** The longest step, Q0.31, of a rule that has one. */
  def longest: Option[UInt] = None
}

object StepRule {
  private[probability] def rounded(value: BigDecimal, fraction: Int): BigInt =
    (value * BigDecimal(BigInt(1) << fraction)).setScale(0, BigDecimal.RoundingMode.HALF_UP).toBigInt
}

/** `max_p * coefficient`. */
class Scaled(coefficient: BigDecimal) extends StepRule(coefficient) {
  override def factor(distance: UInt): UInt = U(1 << 16, distance.getWidth bits)
}

/** `min(most, max_p * coefficient)`. */
class Additive(coefficient: BigDecimal, most: BigDecimal) extends Scaled(coefficient) {
  override def longest: Option[UInt] = Some(U(StepRule.rounded(most, 31), 31 bits))
}

/** `max_p * coefficient * distance`, for a distance below 4; from there on as for 4. */
class Proportional(coefficient: BigDecimal) extends StepRule(coefficient) {
  override def factor(distance: UInt): UInt = distance
  override def isByDistance: Boolean = true
}
