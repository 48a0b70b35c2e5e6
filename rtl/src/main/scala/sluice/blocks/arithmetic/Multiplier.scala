// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._
import spinal.lib._

/** A product with a register behind the multiplier, and `before` registers of its own for each factor.
  *
  * Multipliers stand in rows far apart. The register of the product moves into the multiplier, so a whole clock is left for the
  * way to it and most of one for the way from it; the factors must come from registers, not from block memory. It is a module
  * of its own, which synthesis must not dissolve or share.
  *
  * @param a
  *   and `b`: the factors' types, both signed or both unsigned, 18 bits at most if one multiplier is to do
  */
class Multiplier[T <: BitVector with Num[T]](a: HardType[T], b: HardType[T], before: Int) extends Component {
  val io = new Bundle {
    val a = in(Multiplier.this.a())
    val b = in(Multiplier.this.b())
    val product = out(cloneOf(a * b))
  }
  noIoPrefix()
  definition.addAttribute("keep_hierarchy")
  io.product := RegNext(Delay(io.a, before) * Delay(io.b, before))
}

object Multiplier {
  val latency = 1
  val farLatency = 2

  /** The product of two factors, [[latency]] clock after them. */
  def apply[T <: BitVector with Num[T]](a: T, b: T): T = of(a, b, latency - 1)

  /** The product of factors that cannot stand near: they go to many multipliers, or come from block memory.
    * [[farLatency]] clocks after them.
    */
  def far[T <: BitVector with Num[T]](a: T, b: T): T = of(a, b, farLatency - 1)

  private def of[T <: BitVector with Num[T]](a: T, b: T, before: Int): T = {
    val multiplier =
      ClockDomain.current.withoutReset() on new Multiplier(HardType(cloneOf(a)), HardType(cloneOf(b)), before)
    multiplier.io.a := a
    multiplier.io.b := b
    multiplier.io.product
  }
}
