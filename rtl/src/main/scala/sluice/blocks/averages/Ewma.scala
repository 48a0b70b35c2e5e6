// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.averages

import sluice.blocks.arithmetic.CarrySave
import spinal.core._
import spinal.lib._

/** An exponentially weighted moving average that accepts a sample in every clock: the loop from the average back to itself is
  * one clock, so that a sample is always averaged into the result of the one before it.
  *
  * The weight is 2^-n, or with a half 2^-n + 2^-(n+1), n chosen at run time out of `exponents`. In raw units of the
  * average: `average' = average - Σ (average >> e) + Σ ((sample << fraction) >> e)`, everything rounded down. The rounding
  * leaves the average at most Σ 2^(e - fraction) units too high. The loop is a one-hot shifter of two levels, with a half a row
  * of full subtractors, and one carry chain. What a sample adds is an exact product, made before the loop and added to the
  * average beside the shifter.
  *
  * @param integerBits
  *   bits of the sample
  * @param fraction
  *   fraction bits of the average
  * @param reset
  *   the average after a reset, in its raw units of 2^-fraction
  * @param exponents
  *   n of the weights to choose from
  */
class Ewma(integerBits: Int, fraction: Int, reset: BigInt, exponents: Range = Ewma.exponents) extends Area {
  val width = integerBits + fraction
  val average = Reg(UInt(width bits)) init reset

  /** What a sample adds, for a weight as [[Ewma.weight]] gives it. */
  def increment(sample: UInt, weight: UInt): UInt = Ewma.increment(sample, weight, fraction).resize(width)

  /** The average after a sample that adds `increment`; an average of 0 becomes `increment` itself.
    *
    * @param selection
    *   the exponent as [[Ewma.select]] gives it
    * @param half
    *   whether the weight has a half, where it may have one
    * @param isWhole
    *   whether the weight is 1
    */
  def next(increment: UInt, selection: Bits, half: Option[Bool], isWhole: Bool): UInt = {
    // Raised beside the shifter, so that only one subtraction is left behind it.
    val raised = CombInit(Mux(isWhole, U(0, width bits), average) + increment)
    val taken = CombInit(Ewma.shift(average, selection, exponents))
    Seq(raised, taken).foreach(_.addAttribute("keep"))
    half.fold(raised - taken)(isHalf =>
      CarrySave.subtractBoth(raised, taken, Mux(isHalf, taken |>> 1, U(0, width bits)))
    )
  }

  /** Whether [[next]] is below a threshold, of a weight without a half; in no more time than itself.
    *
    * @param excess
    *   what the sample adds less the threshold, as [[Ewma.excess]] gives it
    */
  def nextIsBelow(excess: SInt, selection: Bits): Bool = {
    val raised = CombInit(average.intoSInt +^ excess)
    raised.addAttribute("keep")
    (raised - Ewma.shift(average, selection, exponents).intoSInt).msb
  }
}

object Ewma {

  /** The exponents of the weight that the loop's shifter has. */
  val exponents: Range = 5 to 12

  private val lastExponent = exponents.last + 1 // with a half

  /** An exponent as the shifter wants it, one-hot; none for an exponent that it does not have. */
  def select(exponent: UInt, among: Range = exponents): Bits = Vec(among.map(exponent === _)).asBits

  /** What a sample adds to an average of so many fraction bits, for a weight as [[weight]] gives it. */
  def increment(sample: UInt, weight: UInt, fraction: Int): UInt = (sample * weight) << (fraction - lastExponent)

  /** The weight of an exponent and perhaps a half, in units of 2^-13; an exponent of 0 is a weight of 1. */
  def weight(exponent: UInt, half: Option[Bool]): UInt = {
    val isOne = exponent === 0
    val isHalf = half.getOrElse(False)
    val bits = (0 to lastExponent).map { bit =>
      val e = lastExponent - bit
      (if (e == 0) isOne else exponent === e) || (if (e > 1) isHalf && exponent === e - 1 else False)
    }
    Vec(bits).asBits.asUInt
  }

  /** What a sample adds less a threshold, both in raw units. With a weight of 1 no average before it makes up for what is missing. */
  def excess(increment: UInt, threshold: UInt, isWhole: Bool): SInt = {
    val exact = (increment.intoSInt -^ threshold.intoSInt).resize(increment.getWidth + 2)
    val missing = CombInit(exact)
    when(isWhole && exact.msb)(missing(increment.getWidth) := False)
    missing
  }

  /** An [[excess]] that is above or below the threshold with every average, if one of them is asked for. */
  def fixed(excess: SInt, isAbove: Bool, isBelow: Bool): SInt = {
    val result = CombInit(excess)
    when(isAbove || isBelow) {
      result.msb := isBelow
      result(excess.getWidth - 2) := isAbove // an average has fewer bits
    }
    result
  }

  /** The average after a sample as [[Ewma.next]] has it, of one that comes from elsewhere in each clock: a clock later. */
  def after(average: UInt, increment: UInt, selection: Bits, isWhole: Bool, among: Range): UInt = {
    val raised = RegNext(average.andMask(!isWhole) + increment)
    raised - RegNext(shift(average, selection, among))
  }

  /** An average shifted by the exponent of [[select]]; 0 of none. Two exponents go to a 4-input table, four of those to the next: kept
    * apart, or synthesis finds a deeper tree.
    */
  private[blocks] def shift(value: UInt, selection: Bits, among: Range = exponents): UInt = {
    val terms = among.zipWithIndex.map { case (e, i) => Mux(selection(i), value |>> e, U(0, value.getWidth bits)) }
    val pairs = terms.grouped(2).map(pair => CombInit(pair.reduce(_ | _))).toSeq
    pairs.foreach(_.addAttribute("keep"))
    pairs.reduceBalancedTree(_ | _)
  }
}
