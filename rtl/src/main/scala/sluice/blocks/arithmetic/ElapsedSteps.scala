// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._
import spinal.lib._

/** How far something has moved that moves by a step with each period: `step * floor(elapsed / period)`, exact, or at least 1 where
  * it is that much or where more than 2^16 - 1 periods have passed.
  *
  * One restoring division, one bit per clock, which multiplies on its way: each bit of the quotient, the highest first, adds the step to
  * the doubled sum of those before it. A bit is one carry chain, and its sum another one a clock later. The first bit only says that
  * the quotient has more than 16 bits.
  *
  * For what happens now and then: another `load` less than [[ElapsedSteps.cycles]] clocks later breaks off.
  *
  * @param load
  *   takes elapsed, period and step
  * @param elapsed
  *   in the unit of the period, which is not 0
  * @param step
  *   Q1.31, at most 1
  */
class ElapsedSteps(load: Bool, elapsed: UInt, period: UInt, step: UInt) extends Area {
  import ElapsedSteps._
  private val width = period.getWidth
  private val heldPeriod = RegNextWhen(period, load)
  private val heldStep = RegNextWhen(step, load)

  val onDivide = new Area {
    val isTooLong = RegNextWhen((elapsed >> (width + quotientBits)) =/= 0, load)
    val remainder = Reg(UInt(width + 1 bits))
    val toCome = Reg(UInt(quotientBits bits))
    val rest = remainder -^ heldPeriod // one carry chain for the comparison and the difference
    val fits = !rest.msb
    when(load) {
      remainder := elapsed(quotientBits, width bits).resized
      toCome := elapsed(0, quotientBits bits)
    } otherwise {
      remainder := Mux(fits, rest, remainder).resize(width) @@ toCome.msb
      toCome := toCome |<< 1
    }
    val bit = RegNext(fits)
  }

  val onSum = new Area {
    val isFirst = Delay(load, 2, init = False)
    val isFull = Reg(Bool()) // 1 or more
    val sum = Reg(UInt(31 bits))
    val next = (sum << 1) +^ (onDivide.bit ? heldStep | U(0))
    sum := Mux(isFirst, U(0), next(30 downto 0))
    isFull := Mux(isFirst, onDivide.bit || onDivide.isTooLong, isFull || next(32 downto 31) =/= 0)
  }

  /** Q1.31, and where it says at least 1, anything from 1 to 2. */
  val moved: UInt = onSum.isFull.asUInt @@ onSum.sum
}

object ElapsedSteps {
  private val quotientBits = 16

  /** Clocks from `load` to [[ElapsedSteps.moved]]. */
  val cycles: Int = quotientBits + 3
}
