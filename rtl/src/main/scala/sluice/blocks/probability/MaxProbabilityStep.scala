// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import sluice.blocks.arithmetic.division.MultiplyDivide
import sluice.blocks.arithmetic.division.MultiplyDivide.Division
import spinal.core._
import spinal.lib._

/** One step of an adaptive scheme's max_p, worked out bit by bit after a tick on one [[MultiplyDivide]]:
  *
  *   1. s = (max - min) * margin; the target band is min + s .. max - s.
  *   1. distance = (average - upper edge) / upper edge above the band, (lower edge - average) / s below it, if a rule asks for it.
  *   1. product = max_p * coefficient of the rule.
  *   1. step = product * distance, or whatever factor the rule takes, within the rule's limit.
  *
  * [[next]] stands in the clock [[MaxProbabilityStep.doneAt]] - 1, at most 1; the inputs stand from
  * [[MaxProbabilityStep.startAt]] on until then.
  *
  * @param is
  *   whether this many clocks have passed since the tick
  * @param average
  *   and `min`, `max`: Q18.14
  * @param maxProbability
  *   Q1.31
  * @param above
  *   rules for an average above the band, each with its condition, no two of which hold
  * @param below
  *   and for one below it
  */
class MaxProbabilityStep(
    is: Int => Bool,
    average: UInt,
    maxProbability: UInt,
    min: UInt,
    max: UInt,
    margin: BigDecimal,
    above: Seq[(Bool, StepRule)],
    below: Seq[(Bool, StepRule)]
) extends Area {
  import MaxProbabilityStep._

  private val phase = Reg(UInt(2 bits)) init 0
  private val isLoad = loadsAt.map(is).orR
  when(isLoad)(phase := phase + 1)

  private val range = RegNext(max - min)
  private val operand = UInt(32 bits)
  private val multiplier = UInt(18 bits)
  private val isByDistance = (above ++ below).exists(_._2.isByDistance)
  private val dividend = isByDistance generate UInt(32 bits)
  val unit = new MultiplyDivide(
    isLoad,
    operand,
    multiplier,
    Option.when(isByDistance)(Division(isWanted = phase === 1, dividend))
  )
  private def distance: UInt = if (isByDistance) unit.quotient else U(0, 18 bits)

  private val upper = RegNext(max - unit.whole)
  private val lower = RegNext(min + unit.whole)
  private val isAbove = RegNext(upper < average)
  private val isBelow = RegNext(average < lower)

  // The unit's registers hold other things later on: what the first product decided is kept.
  private val isDecided = is(loadsAt(1))
  private val cases = (above.map { case (holds, rule) => (isAbove && holds, rule) } ++
    below.map { case (holds, rule) => (isBelow && holds, rule) })
    .map { case (holds, rule) => RegNextWhen(holds, isDecided, init = False) -> rule }

  /** Whether max_p is to rise, and to fall. */
  val isUp: Bool = cases.take(above.size).map(_._1).orR
  val isDown: Bool = cases.drop(above.size).map(_._1).orR

  private def chosen[T <: Data](default: T)(of: StepRule => T): T = {
    val value = CombInit(default)
    for ((holds, rule) <- cases) when(holds)(value := of(rule))
    value
  }
  private val factor = chosen(cases.head._2.factor(distance))(_.factor(distance))
  private val coefficient = chosen(cases.head._2.multiplier)(_.multiplier)

  operand := phase.mux(
    0 -> range,
    1 -> (if (isByDistance) Mux(isAbove, upper, unit.whole.resize(32)) else unit.whole.resize(32)),
    2 -> maxProbability,
    3 -> unit.whole.resize(32)
  )
  multiplier := phase.mux(
    0 -> U((margin * (1 << 18)).setScale(0, BigDecimal.RoundingMode.HALF_UP).toBigInt, 18 bits),
    2 -> coefficient,
    default -> factor
  )
  if (isByDistance) {
    val over = RegNext(average - upper)
    val under = RegNext(lower - average)
    dividend := Mux(isAbove, over, under)
  }

  // A product with a factor in Q2.16 is cut to the unit of max_p; at most max_p, as no coefficient is above 1/4.
  private val full = unit.product.resize(31)
  private val limited = RegNext(full)
  for ((holds, rule) <- cases; longest <- rule.longest) when(holds && longest < full)(limited := longest)

  // One carry chain adds or subtracts: the bit below carries the +1 of the two's complement.
  private val moved = (maxProbability @@ U"1") + (Mux(isDown, ~limited.resize(32), limited.resize(32)) @@ isDown.asUInt)
  private val sum = RegNext(moved >> 1)

  /** max_p after the step, at most 1. */
  val next: UInt = RegNext(Mux(sum.msb, U(BigInt(1) << 31, 32 bits), sum))
}

object MaxProbabilityStep {

  /** Clocks after the tick from which on the inputs stand. */
  val startAt = 13

  private val decideCycles = 2
  private val loadsAt =
    Seq(0, 1, 2, 3).map(i => startAt + 1 + i * MultiplyDivide.cycles + (if (i > 0) decideCycles else 0))

  /** The clock after the one in which [[MaxProbabilityStep.next]] stands. */
  val doneAt: Int = loadsAt.last + MultiplyDivide.cycles + 3
}
