// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import sluice.blocks.arithmetic.IsBelow
import spinal.core._

/** Time that does not run backwards: the latest time since reset, a clock after the port. Where a clock is set back, or a sample of it
  * slips, time stands still until it is as late again. Everything that measures time takes it from here, so that no difference of
  * two times is below zero.
  *
  * But for one case: a time that stays more than 2^[[MonotonicTime.farBits]] ns behind for [[MonotonicTime.patience]] clocks is taken. A
  * clock that was set back, a single sample from far in the future or an upset of the latest time's upper bits would else stop time for
  * as long as that is, up to 584 years. What measures from a time before then finds that very much of it has passed, once.
  *
  * The halves are compared side by side, the upper ones both ways, since a carry chain is faster than a tree that tells whether they
  * are equal; and the answer enables the register and chooses nothing: half a carry chain and an enable are the whole way.
  *
  * @param nowNs
  *   any time, in ns
  */
class MonotonicTime(nowNs: UInt) extends Area {
  import MonotonicTime._

  val latest = Reg(UInt(nowNs.getWidth bits)) init 0
  private val half = nowNs.getWidth / 2
  private def high(time: UInt): UInt = time >> half
  private def low(time: UInt): UInt = time(half - 1 downto 0)
  private val isLater = IsBelow(high(latest), high(nowNs))
  private val isBack = IsBelow(high(nowNs), high(latest)) || (!isLater && IsBelow(low(nowNs), low(latest)))

  // Two units of 2^farBits apart: more than one of them between.
  private val isFar =
    RegNext(IsBelow(RegNext((nowNs >> farBits) +^ 1), RegNext(latest >> farBits).resized), init = False)
  private val waited = Reg(UInt(log2Up(patience) + 1 bits)) init 0
  waited := waited + 1
  when(!isFar || waited.msb)(waited := 0)

  when(!isBack || waited.msb)(latest := nowNs)

  /** A time far behind was taken. */
  val isSetBack: Bool = RegNext(waited.msb, init = False)
}

object MonotonicTime {

  /** 2^36 ns are 69 seconds. */
  val farBits = 36
  val patience = 4096
}
