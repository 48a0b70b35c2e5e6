// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.red

import sluice.blocks.probability.{Proportional, StepRule}
import spinal.core._

/** Re-ARED: T.-H. Kim, K.-H. Lee, "Refined Adaptive RED in TCP/IP Networks", SICE-ICASE 2006. Both steps are in proportion to the
  * average's distance from the band, which is a twenty-fifth of min..max: `max_p (1 + 0.25 (avg - upper) / upper)` and
  * `max_p (1 - 0.17 (lower - avg) / (lower - min))`.
  */
object ReAred
    extends AdaptiveRed("re-ared", "Refined ARED (2006): steps of max_p in proportion to the distance", margin = 0.48) {
  def above(trend: Trend): Seq[(Bool, StepRule)] = Seq(True -> new Proportional(0.25))
  def below(trend: Trend): Seq[(Bool, StepRule)] = Seq(True -> new Proportional(0.17))
}
