// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import sluice.blocks.arithmetic.{IsBelow, WideMultiplier}
import spinal.core._
import spinal.lib.misc.pipeline._

/** Takes a packet with a probability that rises in a straight line: `top * over / length`, or 1 where that is more. Without a division or
  * a rounding: a draw U is below it iff `U * length < top * over`.
  *
  * @param n
  *   nodes: all is there from registers at n(0), [[IS_TAKEN]] at n([[RampTest.latency]])
  * @param draw
  *   Q0.32
  * @param top
  *   the probability at the ramp's end, Q1.31
  * @param over
  *   from the ramp's beginning on
  * @param length
  *   of the ramp, in the same unit; both of as many bits, up to 36
  */
class RampTest(n: Seq[Node], draw: Payload[UInt], top: Payload[UInt], over: UInt, length: UInt) extends Area {
  val IS_TAKEN = Payload(Bool())

  private val drawn = WideMultiplier.wide(n(0)(draw), length)
  private val bound = WideMultiplier.wide(n(0)(top), over)
  n(RampTest.latency)(IS_TAKEN) := IsBelow(drawn.resize(drawn.getWidth + 1), bound << 1)
}

object RampTest {
  val latency: Int = WideMultiplier.wideLatency
}
