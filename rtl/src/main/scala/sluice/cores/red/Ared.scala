// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.red

import sluice.blocks.probability.{Additive, Scaled, StepRule}
import spinal.core._

/** Adaptive RED: S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED: An Algorithm for Increasing the Robustness of RED's Active
  * Queue Management", ICIR 2001. Additive increase, multiplicative decrease: max_p rises by min(0.01, max_p / 4) and falls to
  * 0.9 max_p. The band is the middle fifth of min..max.
  */
object Ared
    extends AdaptiveRed(
      "ared",
      "Adaptive RED (2001): max_p rises by at most 0.01 and falls by a tenth",
      margin = 0.40
    ) {
  def above(trend: Trend): Seq[(Bool, StepRule)] = Seq(True -> new Additive(0.25, most = 0.01))
  def below(trend: Trend): Seq[(Bool, StepRule)] = Seq(True -> new Scaled(0.10))
}
