// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import sluice.blocks.arithmetic.WideMultiplier
import sluice.contract.Widths
import spinal.core._
import spinal.lib.misc.pipeline._

/** Takes a packet with a probability in proportion to its size: `probability * size / typical`, or 1 where that is more. Without a division
  * or a rounding: a draw U is below it iff `U * typical < probability * size`.
  *
  * @param n
  *   nodes: all is there at n(0), [[IS_TAKEN]] at n([[SizedTest.latency]])
  * @param draw
  *   Q0.32
  * @param probability
  *   Q1.31
  * @param size
  *   of the packet
  * @param typical
  *   of a packet that is taken with just the probability, by node
  */
class SizedTest(
    n: Seq[Node],
    draw: Payload[UInt],
    probability: Payload[UInt],
    size: Payload[UInt],
    typical: Int => UInt
) extends Area {
  import SizedTest._
  val IS_TAKEN = Payload(Bool())
  private val OF_DRAW, OF_PROBABILITY = Payload(WideMultiplier.products(32, Widths.packet))
  private val DRAWN, BOUND = Payload(UInt(32 + Widths.packet bits))

  n(1)(OF_DRAW) := WideMultiplier.multiply(n(1)(draw), typical(1))
  n(1)(OF_PROBABILITY) := WideMultiplier.multiply(n(1)(probability), n(1)(size))
  n(3)(DRAWN) := WideMultiplier.sum(n(3)(OF_DRAW)).resized // a multiplier is far, so the second register is its own
  n(3)(BOUND) := WideMultiplier.sum(n(3)(OF_PROBABILITY)).resized
  n(latency)(IS_TAKEN) := n(latency)(DRAWN).resize(33 + Widths.packet) < (n(latency)(BOUND) << 1)
}

object SizedTest {
  val latency = 4
}
