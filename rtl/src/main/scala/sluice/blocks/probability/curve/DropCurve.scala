// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability
package curve

import sluice.blocks.arithmetic.WideMultiplier
import sluice.blocks.arithmetic.division.Reciprocal
import spinal.core._
import spinal.lib.misc.pipeline._

/** RED's piecewise-linear probability over the average queue (ALGORITHMS: "base probability"): 0 below `min`, rising to
  * max_p at `max`, and on a gentle slope on to 1 at 2 `max`; a packet above the last is forced.
  *
  * Both slopes share one path: `p = base + span * (average - offset) / range`. The quotient has 18 bits and comes from the
  * normalized reciprocal of the range. base and span arrive already multiplied by the packet's size factor.
  *
  * Six stages: the average is there at n(0), the probability at n(6).
  *
  * @param average
  *   Q18.14 at n(0)
  * @param scaledMax
  *   max_p * g, Q4.32, by n([[DropCurve.spanAt]]); g the packet's size factor
  * @param min
  *   and `max`, and the reciprocal of max - min: by stage, relative to n; thresholds in Q18.14
  * @param gentle
  *   the slope above `max`, where there may be one
  * @param holdsAtMax
  *   whether the slope holds for min < average <= max; else for min <= average < max
  */
class DropCurve(
    n: Seq[Node],
    average: UInt,
    scaledMax: Payload[UInt],
    min: Int => UInt,
    max: Int => UInt,
    lowerRange: Int => Reciprocal,
    gentle: Option[GentleSlope],
    holdsAtMax: Boolean
) extends Area {

  /** The average is below the curve's first point; beyond its last. From n(1) on. */
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
  val FRACTION = Payload(UInt(18 bits)) // of the slope, below its end
  private val BASE = Payload(UInt(36 bits))
  private val SPAN = Payload(UInt(36 bits))
  private val RISE = Payload(WideMultiplier.products(36, 18))
  private val SUM = Payload(UInt(37 bits))

  val onCompare = new Area {
    n(0)(OVER_MIN) := average -^ min(0)
    n(0)(OVER_MAX) := average -^ max(0)
    if (gentle.isDefined) n(0)(IS_BELOW_TWICE) := average < (max(0) << 1)
  }

  private def isUnder(over: UInt): Bool = if (holdsAtMax) over.msb || over === 0 else over.msb

  /** What the upper slope has, on the upper slope. */
  private def choose[T <: Data](isUpper: Bool, lower: T)(upper: GentleSlope => T): T =
    gentle.fold(lower)(slope => Mux(isUpper, upper(slope), lower))

  val onChoose = new Area {
    val isUpper = !isUnder(n(1)(OVER_MAX))
    n(1)(IS_BELOW) := isUnder(n(1)(OVER_MIN))
    n(1)(IS_UPPER) := isUpper
    n(1)(IS_FORCED) := gentle.fold(isUpper)(slope => Mux(slope.isOn(1), !n(1)(IS_BELOW_TWICE), isUpper))
    n(1)(OFFSET) := choose(isUpper, n(1)(OVER_MIN))(_ => n(1)(OVER_MAX)).resized
    n(1)(SHIFT) := choose(isUpper, lowerRange(1).leadingZeros)(_.range(1).leadingZeros)
  }

  val onAlign = new Area {
    n(2)(X) := (n(2)(OFFSET) |<< n(2)(SHIFT)) >> 14
    val isUpper = n(2)(IS_UPPER)
    n(2)(RECIPROCAL) := choose(isUpper, lowerRange(2).reciprocal)(_.range(2).reciprocal)
    n(2)(BASE) := choose(isUpper, U(0, 36 bits))(_ => n(2)(scaledMax))
    n(2)(SPAN) := choose(isUpper, n(2)(scaledMax))(slope => n(2)(slope.scaledRest))
  }

  n(3)(FRACTION) := ((n(3)(X) * n(3)(RECIPROCAL)) >> 17).resized
  n(4)(RISE) := WideMultiplier.multiply(n(4)(SPAN), n(4)(FRACTION))
  n(5)(SUM) := n(5)(BASE) +^ (WideMultiplier.sum(n(5)(RISE)) >> 18)

  val one = U(BigInt(1) << 32, 33 bits)
  n(6)(PROBABILITY) := Mux(n(6)(SUM) > one, one, n(6)(SUM).resize(33))
}

object DropCurve {

  /** The node at which the slope's span is taken. */
  val spanAt = 2
}

/** The slope from `max` to 2 `max`.
  *
  * @param isOn
  *   by stage; off, the probability jumps to 1 at `max`
  * @param scaledRest
  *   (1 - max_p) * g, Q4.32, by n([[DropCurve.spanAt]])
  * @param range
  *   the reciprocal of max, by stage
  */
case class GentleSlope(isOn: Int => Bool, scaledRest: Payload[UInt], range: Int => Reciprocal)
