// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import sluice.blocks.arithmetic.IsBelow
import spinal.core._

/** Time that never runs backwards: the latest time since reset, a clock after the port. Where a clock is set back, or a sample
  * of it slips, time stands still until it is as late again. Everything that measures time takes it from here, so that no
  * difference of two times is ever below zero.
  *
  * The halves are compared side by side, the upper ones both ways, since a carry chain is faster than a tree that tells whether they
  * are equal; and the answer enables the register and chooses nothing: half a carry chain and an enable are the whole way.
  */
object MonotonicTime {

  /** @param nowNs
    *   any time, in ns
    */
  def apply(nowNs: UInt): UInt = {
    val latest = Reg(UInt(nowNs.getWidth bits)) init 0
    val half = nowNs.getWidth / 2
    def high(time: UInt): UInt = time >> half
    def low(time: UInt): UInt = time(half - 1 downto 0)
    val isLater = IsBelow(high(latest), high(nowNs))
    val isBack = IsBelow(high(nowNs), high(latest)) || (!isLater && IsBelow(low(nowNs), low(latest)))
    when(!isBack)(latest := nowNs)
    latest
  }
}
