// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import sluice.blocks.arithmetic.WideMultiplier
import spinal.core._
import spinal.lib.misc.pipeline._

/** Takes an event with probability `p (1 + Hit/P)`, or 1 where that is more. Without a division or a rounding: a draw U is below it
  * iff `U < p`, or on a hit `(U - p) P < p`.
  *
  * @param n
  *   nodes: all is there at n(0), [[IS_TAKEN]] at n([[HitTest.latency]])
  * @param probability
  *   p, and `frequency`, P: Q1.31, at most 1
  * @param draw
  *   Q0.32
  */
class HitTest(
    n: Seq[Node],
    probability: Payload[UInt],
    frequency: Payload[UInt],
    isHit: Payload[Bool],
    draw: Payload[UInt]
) extends Area {
  import HitTest._
  val IS_TAKEN = Payload(Bool())

  /** (U - p) P of a draw that is not below p, Q1.31, for who looks. */
  val WEIGHED = Payload(UInt(32 bits))
  private val IS_BELOW = Payload(Bool()) // U < p
  private val EXCESS = Payload(UInt(32 bits)) // U - p, Q0.32
  private val OF_LOW = Payload(WideMultiplier.products(32, lowBits))
  private val OF_HIGH = Payload(WideMultiplier.products(32, 32 - lowBits))
  private val LOW = Payload(UInt(32 bits))
  private val HIGH = Payload(UInt(64 - lowBits bits))

  private val difference = n(0)(draw).resize(33) - (n(0)(probability) << 1)
  n(0)(IS_BELOW) := difference.msb
  n(0)(EXCESS) := difference.resized
  n(1)(OF_LOW) := WideMultiplier.multiply(n(1)(EXCESS), n(1)(frequency)(0, lowBits bits))
  n(1)(OF_HIGH) := WideMultiplier.multiply(n(1)(EXCESS), n(1)(frequency) >> lowBits)
  n(2)(LOW) := (WideMultiplier.sum(n(2)(OF_LOW)) >> lowBits).resized
  n(2)(HIGH) := WideMultiplier.sum(n(2)(OF_HIGH)).resized
  n(3)(WEIGHED) := ((n(3)(HIGH) + n(3)(LOW)) >> (32 - lowBits)).resized
  n(4)(IS_TAKEN) := n(4)(IS_BELOW) || (n(4)(isHit) && n(4)(WEIGHED) < n(4)(probability))
}

object HitTest {
  private val lowBits = 18
  val weighedAt = 4
  val latency = 5
}
