// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._
import spinal.lib._

/** The number of ones in a vector, by a tree of four-input adders with a register after each. */
object PopCount {
  private val fan = 4

  /** Clocks that the tree takes for so many bits. */
  def latency(bits: Int): Int = Iterator.iterate(bits)(n => (n + fan - 1) / fan).indexWhere(_ == 1)

  /** `extraLatency` registers follow, so that trees of different size may end together. */
  def apply(ones: Seq[Bool], extraLatency: Int = 0): UInt = {
    val total = Iterator.iterate(ones.map(_.asUInt))(level).drop(latency(ones.size)).next().head
    Delay(total, extraLatency)
  }

  private def level(terms: Seq[UInt]): Seq[UInt] =
    terms.grouped(fan).toSeq.map(group => RegNext(group.reduceBalancedTree(_ +^ _)))
}
