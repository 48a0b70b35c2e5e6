// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.averages

import sluice.blocks.state.{ForwardedMemory, ResetNumber}
import spinal.core._
import spinal.lib._

/** An exponentially weighted moving average for each flow, class or bin, in block memory. In each clock one index may have a sample,
  * which is averaged into what all earlier clocks have left; between its samples an average stays.
  *
  * The arithmetic is [[Ewma]]'s, with a weight of 1 too. Two samples of one index may come right behind each other, and
  * so the loop is one clock, as there. What is taken from an average that comes from further back is shifted a clock before, so that the
  * choice between the two stands beside the shifter and not before it.
  *
  * A reset empties all of it at once ([[ResetNumber]]). Nothing may come in the first clock after it.
  *
  * @param sampled
  *   in clock 0
  * @param increment
  *   what the sample adds, as [[Ewma.increment]] gives it, in clock [[IndexedAverage.updateAt]]
  * @param selection
  *   the exponent as [[IndexedAverage.select]] gives it, and `isWhole`: whether the weight is 1; a clock before that
  * @param exponents
  *   of the weights that there are
  */
class IndexedAverage(
    depth: Int,
    width: Int,
    sampled: Flow[UInt],
    increment: UInt,
    selection: Bits,
    isWhole: Bool,
    exponents: Range = IndexedAverage.exponents
) extends Area {
  import IndexedAverage.updateAt
  private val resets = new ResetNumber(log2Up(depth), writing = updateAt + 1)
  private val index = Mux(resets.isFresh, resets.address, sampled.payload)
  private val words = new ForwardedMemory(width, resets.number, index, index, writeAt = updateAt)
  words.isWrite := Delay(sampled.valid || resets.isFresh, updateAt, init = False)

  /** A clock after [[updateAt]]: the average with its sample, and of which index it is. */
  val average = RegNext(words.written)
  def averaged: UInt = words.writingTo

  private val isAgain = words.isRewritten(1)
  private val older = RegNext(words.before(1).andMask(!isAgain && !isWhole))
  private val olderTaken = RegNext(Ewma.shift(words.before(1), selection.andMask(!isAgain), exponents))
  private val isKept = RegNext(isAgain && !isWhole)
  private val again = RegNext(selection.andMask(isAgain))

  private val isSample = RegNext(!Delay(resets.isFresh, updateAt - 1))
  private val raised = CombInit((older | average.andMask(isKept)) + increment.andMask(isSample))
  private val taken = CombInit(Ewma.shift(average, again, exponents) | olderTaken)
  Seq(raised, taken).foreach(_.addAttribute("keep"))
  words.written := raised - taken
}

object IndexedAverage {

  /** Clocks from an index to its new average. */
  val updateAt: Int = ForwardedMemory.writeAt + 1

  val exponents: Range = 2 to 9

  def select(exponent: UInt, among: Range = exponents): Bits = Ewma.select(exponent, among)
}
