// SPDX-License-Identifier: Apache-2.0
package sluice.blocks

import spinal.core._
import spinal.lib._

/** A product with two registers before and after the multiplier, [[Multiplier.latency]] clocks.
  *
  * Multipliers stand in rows far apart and are slow to reach and to leave: one register on either side stands beside the
  * multiplier, the other covers the way. As a module of its own, which synthesis must not dissolve, each product has registers
  * that it shares with no other. A factor of many products costs registers in each.
  *
  * @param a
  *   and `b`: the factors' types, both signed or both unsigned, 18 bits at most if one multiplier is to do
  */
class Multiplier[T <: BitVector with Num[T]](a: HardType[T], b: HardType[T]) extends Component {
  val io = new Bundle {
    val a = in(Multiplier.this.a())
    val b = in(Multiplier.this.b())
    val product = out(cloneOf(a * b))
  }
  noIoPrefix()
  definition.addAttribute("keep_hierarchy")
  io.product := Delay(Delay(io.a, 2) * Delay(io.b, 2), 2)
}

object Multiplier {
  val latency = 4

  /** The product of two factors, [[latency]] clocks after them. */
  def apply[T <: BitVector with Num[T]](a: T, b: T): T = {
    val multiplier = ClockDomain.current.withoutReset() on new Multiplier(HardType(cloneOf(a)), HardType(cloneOf(b)))
    multiplier.io.a := a
    multiplier.io.b := b
    multiplier.io.product
  }

  /** Products of the limbs of a wide factor, least significant first, for [[LimbMultiply.sum]]. */
  def limbs(a: UInt, b: UInt): Vec[UInt] = {
    val width = LimbMultiply.limbBits + b.getWidth
    Vec(a.subdivideIn(LimbMultiply.limbBits bits, strict = false).map(limb => apply(limb, b).resize(width)))
  }
}
