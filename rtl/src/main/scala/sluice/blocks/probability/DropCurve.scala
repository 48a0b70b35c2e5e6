// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import sluice.blocks.arithmetic.{Reciprocal, WideMultiplier}
import spinal.core._
import spinal.lib.misc.pipeline._

/** RED's piecewise-linear probability over the average queue (ALGORITHMS: "base probability"): 0 below `min`, rising to
  * max_p at `max`, and with `gentle` on to 1 at 2 `max`; a packet above the last is forced.
  *
  * Both slopes share one path: `p = base + span * (average - offset) / range`. The quotient has 18 bits and comes from the
  * normalized reciprocal of the range. base and span arrive already multiplied by the packet's size factor.
  *
  * Six stages: the average is there at n(0), the probability at n(6).
  *
  * @param average
  *   Q18.14 at n(0)
  * @param scaledMax
  *   max_p * g, Q4.32, at n(0); g the packet's size factor
  * @param scaledRest
  *   (1 - max_p) * g, Q4.32, at n(0)
  * @param min
  *   and `max`, `isGentle`, and the reciprocals of max - min and of max: by stage, relative to n; thresholds in Q18.14
  */
class DropCurve(
    n: Seq[Node],
    average: UInt,
    scaledMax: Payload[UInt],
    scaledRest: Payload[UInt],
    min: Int => UInt,
    max: Int => UInt,
    isGentle: Int => Bool,
    lowerRange: Int => Reciprocal,
    upperRange: Int => Reciprocal
) extends Area {

  /** average < min; average beyond the curve's last point. From n(1) on. */
  val IS_BELOW, IS_FORCED = Payload(Bool())

  /** Q1.32, at most 1, at n(6). */
  val PROBABILITY = Payload(UInt(33 bits))

  private val OVER_MIN, OVER_MAX = Payload(UInt(33 bits)) // average - threshold, the highest bit tells that it is below
  private val IS_BELOW_TWICE = Payload(Bool()) // average < 2 max
  private val IS_UPPER = Payload(Bool())
  private val OFFSET = Payload(UInt(32 bits)) // average beyond the slope's beginning, Q18.14
  private val SHIFT = Payload(UInt(5 bits))
  private val X = Payload(UInt(18 bits))
  private val RECIPROCAL = Payload(UInt(18 bits))
  private val FRACTION = Payload(UInt(18 bits))
  private val BASE = Payload(UInt(36 bits))
  private val SPAN = Payload(UInt(36 bits))
  private val RISE = Payload(WideMultiplier.products(36, 18))
  private val SUM = Payload(UInt(37 bits))

  val onCompare = new Area {
    n(0)(OVER_MIN) := average -^ min(0)
    n(0)(OVER_MAX) := average -^ max(0)
    n(0)(IS_BELOW_TWICE) := average < (max(0) << 1)
  }

  val onChoose = new Area {
    val isUpper = !n(1)(OVER_MAX).msb
    n(1)(IS_BELOW) := n(1)(OVER_MIN).msb
    n(1)(IS_UPPER) := isUpper
    n(1)(IS_FORCED) := Mux(isGentle(1), !n(1)(IS_BELOW_TWICE), isUpper)
    n(1)(OFFSET) := Mux(isUpper, n(1)(OVER_MAX), n(1)(OVER_MIN)).resized
    n(1)(SHIFT) := Mux(isUpper, upperRange(1).leadingZeros, lowerRange(1).leadingZeros)
  }

  val onAlign = new Area {
    n(2)(X) := (n(2)(OFFSET) |<< n(2)(SHIFT)) >> 14
    n(2)(RECIPROCAL) := Mux(n(2)(IS_UPPER), upperRange(2).reciprocal, lowerRange(2).reciprocal)
    n(2)(BASE) := Mux(n(2)(IS_UPPER), n(2)(scaledMax), U(0))
    n(2)(SPAN) := Mux(n(2)(IS_UPPER), n(2)(scaledRest), n(2)(scaledMax))
  }

  n(3)(FRACTION) := ((n(3)(X) * n(3)(RECIPROCAL)) >> 17).resized
  n(4)(RISE) := WideMultiplier.multiply(n(4)(SPAN), n(4)(FRACTION))
  n(5)(SUM) := n(5)(BASE) +^ (WideMultiplier.sum(n(5)(RISE)) >> 18)

  val one = U(BigInt(1) << 32, 33 bits)
  n(6)(PROBABILITY) := Mux(n(6)(SUM) > one, one, n(6)(SUM).resize(33))
}
