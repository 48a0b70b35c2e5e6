// SPDX-License-Identifier: Apache-2.0
package sluice.blocks

import spinal.core._

/** An exponentially weighted moving average that accepts a sample in every clock: the loop from the average back to itself is
  * one clock, so that a sample is always averaged into the result of the one before it.
  *
  * The weight is 2^-a, or 2^-a + 2^-b with two exponents, chosen at run time. In raw units of the average:
  * `average' = average - Σ (average >> e) + Σ ((sample << fraction) >> e)`, everything rounded down. Subtraction and addition
  * are one carry-save row and one carry chain. The rounding leaves the average at most 2^(e - fraction) units too high.
  *
  * @param integerBits
  *   bits of the sample
  * @param fraction
  *   fraction bits of the average
  */
class Ewma(integerBits: Int, fraction: Int) extends Area {
  val width   = integerBits + fraction
  val average = Reg(UInt(width bits)) init 0

  /** What a sample adds, computed a stage before [[update]]: Σ ((sample << fraction) >> e) plus the +1 of each two's
    * complement that the subtraction needs.
    */
  def increment(sample: UInt, exponents: Seq[UInt]): UInt = {
    val scaled = (sample << fraction).resize(width bits)
    exponents.map(e => scaled |>> e).reduce(_ + _) + exponents.size
  }

  /** The average after the sample whose [[increment]] is given. */
  def updated(increment: UInt, exponents: Seq[UInt]): UInt = {
    val shifted = exponents.map(e => average |>> e)
    shifted.foreach(_.addAttribute("keep")) // one shifter feeds sum and carry
    Ewma.carrySave(shifted.map(~_) :+ average :+ increment)
  }
}

object Ewma {

  /** Sum of words of one width, modulo that width: rows of full adders down to two words, then one carry chain. */
  def carrySave(words: Seq[UInt]): UInt =
    if (words.size == 2) words(0) + words(1)
    else {
      val (a, b, c)    = (words(0), words(1), words(2))
      val sum          = a ^ b ^ c
      val carry        = ((a & b) | (a & c) | (b & c)) |<< 1
      carrySave(words.drop(3) :+ sum :+ carry)
    }
}
