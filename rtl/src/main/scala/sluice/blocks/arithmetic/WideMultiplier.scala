// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._

/** A product of which one factor is wider than a multiplier of 18 x 18 bits, cut where a register belongs: one product for each
  * limb of that factor in one stage, their sum in the next.
  */
object WideMultiplier {
  private val limbBits = 18

  private def limbs(width: Int): Int = (width + limbBits - 1) / limbBits

  /** The type that carries the limb products of an `aBits` by `bBits` multiplication; `bBits` is one limb at most. */
  def products(aBits: Int, bBits: Int): Vec[UInt] = {
    require(bBits <= limbBits, s"the second factor has $bBits bits, more than a limb of $limbBits")
    Vec(UInt(limbBits + bBits bits), limbs(aBits))
  }

  /** First stage: limb products, least significant first, in the same clock. The pipeline's register behind them is the
    * caller's.
    */
  def multiply(a: UInt, b: UInt): Vec[UInt] = {
    val padded = a.resize(limbs(a.getWidth) * limbBits)
    Vec(padded.subdivideIn(limbBits bits).map(limb => (limb * b).resize(limbBits + b.getWidth)))
  }

  /** First stage, for products that must be placed apart: the same, each out of a [[Multiplier]], [[Multiplier.latency]] clock
    * after its factors.
    */
  def multiplyApart(a: UInt, b: UInt): Vec[UInt] = {
    val width = limbBits + b.getWidth
    Vec(a.subdivideIn(limbBits bits, strict = false).map(limb => Multiplier(limb, b).resize(width)))
  }

  /** Second stage: the product. */
  def sum(products: Vec[UInt]): UInt = {
    val width = limbBits * (products.size - 1) + products.head.getWidth
    products.zipWithIndex.map { case (p, i) => (p << (i * limbBits)).resize(width) }.reduce(_ + _)
  }

  /** The whole product of two factors that are both wider than a multiplier, [[wideLatency]] clocks after them; `b` has two limbs at most. */
  def wide(a: UInt, b: UInt): UInt = {
    val low = RegNext(sum(multiplyApart(a, b(0, limbBits bits))))
    val high = RegNext(sum(multiplyApart(a, b >> limbBits)))
    RegNext((high << limbBits) + low.resize(high.getWidth + limbBits))
  }

  val wideLatency: Int = Multiplier.latency + 2
}
