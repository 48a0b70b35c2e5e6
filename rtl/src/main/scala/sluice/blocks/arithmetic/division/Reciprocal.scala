// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic
package division

import spinal.core._

/** A number as a normalized mantissa: `value = mantissa * 2^(14 - leadingZeros)`, and its reciprocal
  * `1/value = reciprocal * 2^(leadingZeros - 49)`, both with 18 significant bits, rounded down.
  */
case class Reciprocal() extends Bundle {
  val mantissa = UInt(18 bits)
  val reciprocal = UInt(18 bits)
  val leadingZeros = UInt(5 bits)
}

object Reciprocal {

  /** The same in software, for reset values. */
  def of(value: BigInt): (BigInt, BigInt, Int) = {
    require(value > 0 && value.bitLength <= 32, s"$value cannot be normalized to 32 bits")
    val leadingZeros = 32 - value.bitLength
    val aligned = value << leadingZeros
    (aligned >> 14, ((BigInt(1) << 49) / aligned).min((BigInt(1) << 18) - 1), leadingZeros)
  }

  def literal(value: BigInt): Reciprocal = {
    val (mantissa, reciprocal, leadingZeros) = of(value)
    val n = Reciprocal()
    n.mantissa := mantissa
    n.reciprocal := reciprocal
    n.leadingZeros := leadingZeros
    n
  }
}

/** The small sequential unit behind everything that changes seldom: normalizes a 32-bit number and divides, one bit per clock,
  * [[SequentialReciprocal.cycles]] clocks per number. A value of 0 gives mantissa 0 (its reciprocal means nothing).
  */
class SequentialReciprocal extends Component {
  val io = new Bundle {
    val start = in(Bool())
    val value = in(UInt(32 bits))
    val done = out(Bool())
    val result = out(Reciprocal())
  }

  val aligned = Reg(UInt(32 bits))
  val leadingZeros = Reg(UInt(5 bits))
  val remainder = Reg(UInt(32 bits))
  val quotient = Reg(UInt(19 bits))
  val step = Reg(UInt(6 bits)) init SequentialReciprocal.cycles
  val isRunning = step =/= SequentialReciprocal.cycles
  val isAligning = step < SequentialReciprocal.alignSteps

  when(io.start) {
    aligned := io.value
    leadingZeros := 0
    remainder := BigInt(1) << 30
    step := 0
  } elsewhen (isRunning) {
    step := step + 1
    when(isAligning) {
      when(!aligned.msb) {
        aligned := aligned |<< 1
        leadingZeros := leadingZeros + 1
      }
    } otherwise {
      val doubled = remainder << 1
      val rest = doubled -^ aligned // one carry chain for the comparison and the difference
      val fits = !rest.msb
      remainder := Mux(fits, rest, doubled).resize(32 bits)
      quotient := (quotient ## fits).asUInt.resized
    }
  }

  io.done := RegNext(step === SequentialReciprocal.cycles - 1, init = False) && !isRunning
  io.result.mantissa := aligned >> 14
  io.result.reciprocal := Mux(quotient.msb, U(18 bits, default -> true), quotient.resize(18 bits))
  io.result.leadingZeros := leadingZeros
}

object SequentialReciprocal {
  val alignSteps = 31
  val divideSteps = 19

  /** Clocks from `start` to `done`. */
  val cycles: Int = alignSteps + divideSteps
}
