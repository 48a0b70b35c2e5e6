// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic
package division

import spinal.core._

/** Divides one bit per clock, exactly: `quotient = dividend / divisor`, rounded down, [[latency]] clocks after `load`, and stays until
  * the next one. The divisor must not be 0 and must stand still meanwhile.
  *
  * The dividend leaves its register at the top, the quotient comes into it at the bottom.
  */
class SequentialDivision(load: Bool, dividend: UInt, divisor: UInt) extends Area {
  private val steps = dividend.getWidth
  private val left = Reg(UInt(log2Up(steps + 1) bits)) init 0
  private val remainder = Reg(UInt(divisor.getWidth bits))
  private val bits = Reg(Bits(steps bits))

  /** Clocks from `load` to the quotient. */
  val latency: Int = steps + 1
  val quotient: UInt = bits.asUInt

  /** Its first clock. A division that the next `load` cuts off has none. */
  val isDone: Bool = RegNext(left === 1 && !load) init False

  private val doubled = remainder @@ bits.msb.asUInt
  private val rest = doubled -^ divisor // one carry chain for the comparison and the difference
  private val fits = !rest.msb
  when(load) {
    bits := dividend.asBits
    remainder := 0
    left := steps
  } elsewhen (left =/= 0) {
    bits := (bits ## fits).resized
    remainder := Mux(fits, rest, doubled).resized
    left := left - 1
  }

  /** What is left of the dividend, with the quotient. */
  def remains: UInt = remainder

  /** Of who counts clocks: what must stand with `load`, and the way from there. */
  def numbers: UInt = dividend
  def span: sluice.contract.Clocks.Span = sluice.contract.Clocks.Span(load, latency, bits)
}
