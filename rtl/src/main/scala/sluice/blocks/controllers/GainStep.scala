// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.blocks.arithmetic.WideMultiplier
import spinal.core._

/** What a distance, in packets or in time, moves a controller's state by: distance times gain, rounded down, [[GainStep.cycles]] clocks
  * after both; one in each clock.
  *
  * @param distance
  *   without a sign
  * @param gain
  *   of 32 bits
  * @param shift
  *   fraction bits of the product beyond those of the state
  * @param bits
  *   of [[size]], which saturates
  */
class GainStep(distance: UInt, gain: UInt, shift: Int, bits: Int) extends Area {
  private val product = WideMultiplier.wide(distance, gain) >> shift
  private val isHuge = RegNext((product >> bits) =/= 0)
  private val kept = RegNext(product.resize(bits))
  val size: UInt = RegNext(Mux(isHuge, U(bits bits, default -> true), kept))
}

object GainStep {
  val cycles: Int = WideMultiplier.wideLatency + 2

  /** A size with a sign, in the next clock. */
  def signed(size: UInt, isNegative: Bool): SInt = {
    val inverted = size.resize(size.getWidth + 1) ^ U(size.getWidth + 1 bits, default -> isNegative)
    RegNext((inverted + isNegative.asUInt).asSInt)
  }

  /** The size of a number, in the next clock, and at once whether it is below 0. */
  def magnitude(number: SInt): (UInt, Bool) = {
    val bits = number.getWidth - 1
    (RegNext((number.resize(bits).asUInt ^ U(bits bits, default -> number.msb)) + number.msb.asUInt), number.msb)
  }
}
