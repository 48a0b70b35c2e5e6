// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._

/** Wide multiplication on 18 x 18 bit multipliers, cut where a register belongs: one limb product per multiplier in one stage,
  * their sum in the next.
  */
object LimbMultiply {
  val limbBits = 18

  private def limbs(width: Int): Int = (width + limbBits - 1) / limbBits

  /** The type that carries the limb products of an `aBits` by `bBits` multiplication; `bBits` is one limb at most. */
  def products(aBits: Int, bBits: Int): Vec[UInt] = {
    require(bBits <= limbBits, s"the second factor has $bBits bits, more than a limb of $limbBits")
    Vec(UInt(limbBits + bBits bits), limbs(aBits))
  }

  /** First stage: limb products, least significant first. */
  def multiply(a: UInt, b: UInt): Vec[UInt] = {
    val padded = a.resize(limbs(a.getWidth) * limbBits)
    Vec(padded.subdivideIn(limbBits bits).map(limb => (limb * b).resize(limbBits + b.getWidth)))
  }

  /** Second stage: the product. */
  def sum(products: Vec[UInt]): UInt = {
    val width = limbBits * (products.size - 1) + products.head.getWidth
    products.zipWithIndex.map { case (p, i) => (p << (i * limbBits)).resize(width) }.reduce(_ + _)
  }
}
