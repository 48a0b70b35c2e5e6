// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic
package division

import spinal.core._

/** Multiplies, and divides where that is wanted, one bit per clock, with one adder and no multiplier. An operation begins with `load`
  * and its result stands [[MultiplyDivide.cycles]] clocks after that, until the next load.
  *
  *   - multiply: `operand * multiplier`, with [[product]] and [[whole]] rounded down;
  *   - divide: `quotient = (dividend << 16) / operand`, Q2.16, all ones if it is 4 or more.
  *
  * A product grows from the multiplier's last bit on and moves right. A remainder moves left and the operand is taken from it or
  * given back to it, whichever brings it nearer to 0 (non-restoring); the bits of the quotient are its signs.
  *
  * @param load
  *   starts; the other arguments are taken in this clock
  * @param operand
  *   multiplicand or divisor
  * @param division
  *   of a unit that also divides
  */
class MultiplyDivide(load: Bool, operand: UInt, multiplier: UInt, division: Option[MultiplyDivide.Division])
    extends Area {
  private val fixed = Reg(UInt(32 bits))
  private val sum = Reg(SInt(37 bits)) // product or remainder, with three bits below the operand's last
  private val bits = Reg(UInt(18 bits))
  private val left = Reg(UInt(5 bits)) init 0

  /** The product >> 16. */
  def product: UInt = sum.asUInt(34 downto 2)

  /** The product >> 18. */
  def whole: UInt = sum.asUInt(35 downto 4)

  private def doubled: SInt = sum |<< 1
  private def halved: SInt = (sum >> 1).resize(37)

  private val divided = division.map(wanted =>
    new Area {
      val dividing = RegNextWhen(wanted.isWanted, load)
      val isOver = Reg(Bool())
      val quotient = Reg(UInt(18 bits))

      val moved = Mux(dividing, doubled, halved)
      val isTaken = dividing && !sum.msb
      val isGiven = Mux(dividing, sum.msb, bits.lsb)
      // The carry into the chain's last bit makes the two's complement of an operand that is taken.
      val term = fixed.asBits.resize(34).asBools.map(b => (b && isGiven) || (!b && isTaken))
      val added = ((moved(36 downto 3) @@ S"1") + (Vec(term).asBits ## isTaken).asSInt)(34 downto 1)

      when(load)(isOver := False) elsewhen (left =/= 0 && dividing) {
        quotient := (quotient @@ (!added.msb || isOver).asUInt).resize(18)
        when(left === MultiplyDivide.steps)(isOver := !added.msb)
      }
    }
  )

  /** Q2.16, of a unit that divides. */
  def quotient: UInt = divided.get.quotient

  private val moved = divided.fold(halved)(_.moved)
  private val added =
    divided.fold(moved(36 downto 3) + Mux(bits.lsb, fixed.resize(34), U(0, 34 bits)).asSInt)(_.added)

  when(load) {
    fixed := operand
    bits := multiplier
    left := MultiplyDivide.steps
    sum := division.fold(S(0, 37 bits))(d => Mux(d.isWanted, d.dividend.resize(37).asSInt, S(0, 37 bits)))
  } elsewhen (left =/= 0) {
    left := left - 1
    bits := bits |>> 1
    when(divided.fold(False)(_.dividing) || left =/= 1)(sum := added @@ moved(2 downto 0))
  }
}

object MultiplyDivide {

  /** Whether an operation is a division, and of what. */
  case class Division(isWanted: Bool, dividend: UInt)

  private val steps = 19 // the last one of a multiplication does nothing

  /** Clocks from `load` to the result. */
  val cycles: Int = steps + 1
}
