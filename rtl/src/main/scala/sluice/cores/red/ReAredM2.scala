// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.red

import sluice.blocks.probability.{Proportional, StepRule}
import spinal.core._

/** Re-ARED-M2: M. Tahiliani, K. Shet, T. Basavaraju, "CARED", JNCA 2012. Re-ARED's band with smaller steps: the paper bounds a
  * step so that it cannot carry the average through a band of 0.04 (max - min), `a < 0.04 / 0.96` and `1 - b < 1 - 1 / 1.04`.
  */
object ReAredM2
    extends AdaptiveRed(
      "re-ared-m2",
      "Re-ARED with steps that fit its narrow band (CARED's authors, 2012)",
      margin = 0.48
    ) {
  def above(trend: Trend): Seq[(Bool, StepRule)] = Seq(True -> new Proportional(0.0412))
  def below(trend: Trend): Seq[(Bool, StepRule)] = Seq(True -> new Proportional(0.0384))
}
