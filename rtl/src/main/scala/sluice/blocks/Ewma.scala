// SPDX-License-Identifier: Apache-2.0
package sluice.blocks

import spinal.core._
import spinal.lib._

/** An exponentially weighted moving average that accepts a sample in every clock: the loop from the average back to itself is
  * one clock, so that a sample is always averaged into the result of the one before it.
  *
  * The weight is 2^-a, or 2^-a + 2^-b with two exponents, chosen at run time out of [[Ewma.exponents]]. In raw units of the
  * average: `average' = average - Σ (average >> e) + Σ ((sample << fraction) >> e)`, everything rounded down. The rounding
  * leaves the average at most Σ 2^(e - fraction) units too high. The loop is a one-hot shifter of two levels, one row of full
  * adders for each exponent and one carry chain; a value can be loaded instead, through the same adders.
  *
  * @param integerBits
  *   bits of the sample
  * @param fraction
  *   fraction bits of the average
  */
class Ewma(integerBits: Int, fraction: Int) extends Area {
  val width = integerBits + fraction
  val average = Reg(UInt(width bits)) init 0

  /** The sample as an average, for a weight of 1. */
  def whole(sample: UInt): UInt = (sample << fraction).resize(width bits)

  /** What a sample adds: Σ ((sample << fraction) >> e) and the +1 of each two's complement that the subtraction needs.
    * `selections` are the exponents as [[Ewma.select]] gives them.
    */
  def increment(sample: UInt, selections: Seq[Bits]): UInt =
    selections.map(Ewma.shift(whole(sample), _)).reduce(_ + _) + selections.size

  /** The next average: `operand` itself if `isLoad`, else the present one updated by the increment `operand`. */
  def next(operand: UInt, selections: Seq[Bits], isLoad: Bool): UInt = {
    // Each of these is one signal per bit, so that behind the shifter one 4-input table makes a sum or a carry.
    val shifted = selections.map(s => CombInit(Ewma.shift(average, s)))
    val added = CombInit(operand)
    (added +: shifted).foreach(_.addAttribute("keep"))
    Ewma.carrySave((average +: shifted.map(~_)).map(t => Mux(isLoad, U(0, width bits), t)) :+ added)
  }
}

object Ewma {

  /** The exponents of the weight that the loop's shifter has. */
  val exponents: Range = 5 to 12

  /** An exponent as the shifter wants it, one-hot; none for an exponent that it does not have. */
  def select(exponent: UInt): Bits = Vec(exponents.map(exponent === _)).asBits

  private def shift(value: UInt, selection: Bits): UInt =
    exponents.zipWithIndex
      .map { case (e, i) => Mux(selection(i), value |>> e, U(0, value.getWidth bits)) }
      .reduceBalancedTree(_ | _)

  /** Sum of words of one width, modulo that width: rows of full adders down to two words, then one carry chain. */
  private def carrySave(words: Seq[UInt]): UInt =
    if (words.size == 2) words(0) + words(1)
    else {
      val (a, b, c) = (words(0), words(1), words(2))
      val sum = a ^ b ^ c
      val carry = ((a & b) | (a & c) | (b & c)) |<< 1
      carrySave(words.drop(3) :+ sum :+ carry)
    }
}
