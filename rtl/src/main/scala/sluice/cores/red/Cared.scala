// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.red

import sluice.blocks.probability.{Additive, Proportional, Scaled, StepRule}
import spinal.core._

/** CARED, Cautious Adaptive RED: M. Tahiliani, K. Shet, T. Basavaraju, JNCA 2012. The average's way since the last tick chooses
  * between Re-ARED-M1's cautious step, while the average is on its way out above or on its way back up, and ARED's. An average
  * that stood still makes no step.
  */
object Cared
    extends AdaptiveRed(
      "cared",
      "Cautious ARED (2012): ARED's or Re-ARED-M1's step, by the trend of the average",
      margin = 0.40
    ) {
  def above(trend: Trend): Seq[(Bool, StepRule)] =
    Seq(trend.isRising -> new Proportional(0.25), trend.isFalling -> new Additive(0.25, most = 0.01))
  def below(trend: Trend): Seq[(Bool, StepRule)] =
    Seq(trend.isRising -> new Scaled(0.10), trend.isFalling -> new Proportional(0.17))
}
