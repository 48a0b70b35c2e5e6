// SPDX-License-Identifier: Apache-2.0
package sluice.blocks

import spinal.core._

/** Multiplies and divides one bit per clock, with two adders and no multiplier. An operation begins with `load` and its result
  * stands [[MultiplyDivide.cycles]] clocks after that, until the next load.
  *
  *   - multiply: `product = operand * multiplier`, cut to a multiple of 2^15, of which `whole` are the bits from 18 on;
  *   - divide: `quotient = (dividend << 16) / operand`, Q2.16, all ones if it is 4 or more.
  *
  * @param load
  *   starts; the other arguments are taken in this clock
  * @param isDivision
  *   whether the operation is a division
  * @param operand
  *   multiplicand or divisor
  */
class MultiplyDivide(load: Bool, isDivision: Bool, operand: UInt, multiplier: UInt, dividend: UInt) extends Area {
  private val fixed = Reg(UInt(32 bits))
  private val sum = Reg(UInt(35 bits)) // product or remainder, with three bits below the operand's last
  private val bits = Reg(UInt(18 bits))
  private val dividing = Reg(Bool())
  private val left = Reg(UInt(5 bits)) init 0
  private val isOver = Reg(Bool())

  /** Q2.16. */
  val quotient = Reg(UInt(18 bits))

  /** The product >> 15. */
  def product: UInt = sum

  /** The product >> 18. */
  def whole: UInt = sum >> 3

  private val added = (sum >> 3) +^ Mux(bits.lsb, fixed, U(0, 32 bits))
  private val doubled = sum << 1
  private val difference = (doubled >> 3) -^ fixed
  private val fits = !difference.msb || isOver

  when(load) {
    fixed := operand
    bits := multiplier
    dividing := isDivision
    left := MultiplyDivide.steps
    isOver := False
    sum := Mux(isDivision, dividend.resize(35), U(0, 35 bits))
  } elsewhen (left =/= 0) {
    left := left - 1
    bits := bits |>> 1
    when(dividing) {
      sum := Mux(fits, difference.resize(32) @@ sum(1 downto 0) @@ U"0", doubled.resize(35))
      quotient := (quotient @@ fits.asUInt).resize(18)
      when(left === MultiplyDivide.steps)(isOver := fits)
    } elsewhen (left =/= 1) {
      sum := (added @@ sum(2 downto 0)) >> 1
    }
  }
}

object MultiplyDivide {
  private val steps = 19 // the last one of a multiplication does nothing

  /** Clocks from `load` to the result. */
  val cycles: Int = steps + 1
}
