// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import spinal.core._
import spinal.lib.misc.pipeline._

/** A probability times a small factor, as the bound of a draw: without a multiplier, in two clocks.
  *
  * @param n
  *   nodes: probability and factor must be there at n(0), [[BOUND]] is at n(2)
  * @param PROBABILITY
  *   Q1.31
  * @param FACTOR
  *   Q3.1, of 4 bits
  */
class MultipleBound(n: Seq[Node], PROBABILITY: Payload[UInt], FACTOR: Payload[UInt]) extends Area {
  private val bits = 32
  private val LOW, HIGH = Payload(UInt(bits + 2 bits)) // the probability times two bits of the factor

  /** Q4.32. */
  val BOUND = Payload(UInt(bits + 4 bits))

  for ((product, bit) <- Seq(LOW -> 0, HIGH -> 2)) {
    def by(bit: Int) = Mux(n(1)(FACTOR)(bit), n(1)(PROBABILITY), U(0))
    n(1)(product) := (by(bit) +^ (by(bit + 1) << 1)).resized
  }
  n(2)(BOUND) := n(2)(LOW).resize(bits + 4) + (n(2)(HIGH) << 2)
}
