// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._
import spinal.lib.misc.pipeline._

/** A 32-bit number shifted left until its top bit is one, a new number in each clock: [[NORMALIZED]] and [[ZEROS]], the zeros
  * that were in front of it, stand at n(2). Of 0 nothing is one: then ZEROS is 31 and the top bit says so.
  */
class Normalizer(n: Seq[Node], value: UInt) extends Area {
  require(value.getWidth == 32)
  val NORMALIZED = Payload(UInt(32 bits))
  val ZEROS = Payload(UInt(5 bits))
  private val BYTES, PAIRS = Payload(UInt(32 bits)) // shifted by whole bytes, by whole pairs of bits
  private val BY_BYTES, BY_PAIRS = Payload(UInt(2 bits))
  private def shift(at: Node, value: UInt, bits: Int, to: Payload[UInt], by: Payload[UInt]): Unit = {
    val steps = Normalizer.zeros(value, bits)
    at(to) := value |<< (steps << log2Up(bits))
    at(by) := steps
  }
  shift(n(0), value, 8, BYTES, BY_BYTES)
  shift(n(1), n(1)(BYTES), 2, PAIRS, BY_PAIRS)
  n(2)(NORMALIZED) := Mux(n(2)(PAIRS).msb, n(2)(PAIRS), n(2)(PAIRS) |<< 1)
  n(2)(ZEROS) := n(2)(BY_BYTES) @@ n(2)(BY_PAIRS) @@ !n(2)(PAIRS).msb

  /** So many bits after the first one, at n(2). */
  def mantissa(bits: Int): UInt = n(2)(NORMALIZED)(30 downto 31 - bits)
}

object Normalizer {

  /** How many of the first three groups of `bits` bits are zeros in front: 0..3. */
  private def zeros(value: UInt, bits: Int): UInt = {
    val isZero = value.asBits.subdivideIn(bits bits).reverse.take(3).map(_ === 0)
    val tens = isZero(0) && isZero(1)
    U(tens ## Mux(tens, isZero(2), isZero(0)))
  }
}
