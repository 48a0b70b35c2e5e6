// SPDX-License-Identifier: Apache-2.0
package sluice.blocks

import spinal.core._
import spinal.lib.misc.pipeline._

/** RED's piecewise-linear probability over the average queue (ALGORITHMS: "base probability"): 0 below `min`, rising to
  * max_p at `max`, and with `gentle` on to 1 at 2 `max`; a packet above the last is forced.
  *
  * Both slopes share one path: `p = base + span * (average - offset) / range`. The quotient has 18 bits and comes from the
  * normalized reciprocal of the range. base and span arrive already multiplied by the packet's size factor.
  *
  * Five stages: the average is there at n(0), the probability at n(5).
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
    lowerRange: Int => Normalized,
    upperRange: Int => Normalized
) extends Area {

  /** average < min; average beyond the curve's last point. From n(1) on. */
  val IS_BELOW, IS_FORCED = Payload(Bool())

  /** Q1.32, at most 1, at n(5). */
  val PROBABILITY = Payload(UInt(33 bits))

  private val IS_UPPER = Payload(Bool())
  private val LOWER_X, UPPER_X = Payload(UInt(32 bits))
  private val X = Payload(UInt(18 bits))
  private val RECIPROCAL = Payload(UInt(18 bits))
  private val FRACTION = Payload(UInt(18 bits))
  private val BASE = Payload(UInt(36 bits))
  private val SPAN = Payload(UInt(36 bits))
  private val RISE = Payload(LimbMultiply.products(36, 18))
  private val SUM = Payload(UInt(37 bits))

  val onCompare = new Area {
    val highest = max(0)
    // `<` is a carry chain alone; `>=` would add an equality over all bits behind it.
    val isUpper = !(average < highest)
    n(0)(IS_BELOW) := average < min(0)
    n(0)(IS_UPPER) := isUpper
    n(0)(IS_FORCED) := Mux(isGentle(0), !(average < (highest << 1)), isUpper)
    n(0)(LOWER_X) := average - min(0)
    n(0)(UPPER_X) := average - highest
  }

  val onAlign = new Area {
    val range = Mux(n(1)(IS_UPPER), upperRange(1), lowerRange(1))
    val x = Mux(n(1)(IS_UPPER), n(1)(UPPER_X), n(1)(LOWER_X))
    n(1)(X) := (x |<< range.leadingZeros) >> 14
    n(1)(RECIPROCAL) := range.reciprocal
    n(1)(BASE) := Mux(n(1)(IS_UPPER), n(1)(scaledMax), U(0))
    n(1)(SPAN) := Mux(n(1)(IS_UPPER), n(1)(scaledRest), n(1)(scaledMax))
  }

  n(2)(FRACTION) := ((n(2)(X) * n(2)(RECIPROCAL)) >> 17).resized
  n(3)(RISE) := LimbMultiply.multiply(n(3)(SPAN), n(3)(FRACTION))
  n(4)(SUM) := n(4)(BASE) +^ (LimbMultiply.sum(n(4)(RISE)) >> 18)

  val one = U(BigInt(1) << 32, 33 bits)
  n(5)(PROBABILITY) := Mux(n(5)(SUM) > one, one, n(5)(SUM).resize(33))
}
