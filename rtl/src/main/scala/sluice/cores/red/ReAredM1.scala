// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.red

import sluice.blocks.probability.{Proportional, StepRule}
import spinal.core._

/** Re-ARED-M1: M. Tahiliani, K. Shet, T. Basavaraju, "CARED", JNCA 2012. Re-ARED's steps with ARED's band. */
object ReAredM1
    extends AdaptiveRed("re-ared-m1", "Re-ARED with the target band of ARED (CARED's authors, 2012)", margin = 0.40) {
  def above(trend: Trend): Seq[(Bool, StepRule)] = Seq(True -> new Proportional(0.25))
  def below(trend: Trend): Seq[(Bool, StepRule)] = Seq(True -> new Proportional(0.17))
}
