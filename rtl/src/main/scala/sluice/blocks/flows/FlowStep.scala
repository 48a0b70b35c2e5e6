// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import spinal.core._
import spinal.lib._

/** What becomes of one flow at the end of a list, [[FlowStep.cycles]] clocks after the last of its inputs stands; they stand until it is taken:
  *
  *   - punished, with the step x: a new flow gets P = min(x, 2 rate, 1/2); of one that has a P it grows by min(x, P), of an
  *     unresponsive one by twice that; where it would reach 1, the share that survives is halved instead, or cut to a third;
  *   - eased: a small P goes, a large one falls by .05, another one is halved, or cut to 2/3.
  *
  * @param load
  *   one clock long, when the state stands: the sum begins, which takes [[FlowStep.sumCycles]] clocks
  * @param isUnresponsiveNow
  *   the flow is unresponsive by its history, and tested
  * @param step
  *   x, Q0.24
  * @param rate
  *   Q0.24
  */
class FlowStep(
    load: Bool,
    state: FlowState,
    isEased: Bool,
    isUnresponsiveNow: Bool,
    step: UInt,
    rate: UInt
) extends Area {
  import FlowStep._
  private val before = state.probability

  /** A flow that is monitored and tested stays what it was found to be. */
  val isUnresponsive: Bool = RegNext(state.isUnresponsive || (isUnresponsiveNow && !isEased && before =/= 0))

  // 4/3 of what survives, or of P, at most a unit less: 1 + 1/4 + 1/16 + ... by Horner's rule, a term in each clock.
  private val survives = RegNext(U(one, bits + 1 bits) - before)
  private val base = RegNext(Mux(isEased, before.resize(bits + 1), survives))
  val sum = Reg(UInt(bits + 1 bits))
  private val left = Reg(UInt(4 bits)) init 0
  private val loads = Delay(load, 2, init = False)
  when(loads) {
    sum := base
    left := terms
  } elsewhen (left =/= 0) {
    sum := base + (sum >> 2)
    left := left - 1
  }

  private val least = RegNext(Mux(step < before, step, before))
  private val onceMore = RegNext(before +^ least)
  private val twiceMore = RegNext(onceMore +^ least)
  private val more = RegNext(Mux(isUnresponsive, twiceMore, onceMore.resize(bits + 2)))
  private val cut = RegNext(U(one, bits + 1 bits) - Mux(isUnresponsive, sum >> 2, base >> 1).resize(bits + 1))
  private def belowOne(x: UInt): UInt = Mux((x >> bits) =/= 0, U(one - 1, bits bits), x.resize(bits))
  private val punished = RegNext(Mux((more >> bits) =/= 0, belowOne(cut), more.resize(bits)))

  private val most = RegNext(Mux(rate >= one / 4, U(one / 2), (rate << 1).resize(bits)))
  private val entered = RegNext(Mux(step < most, step, most))

  private val isSmall = RegNext(!(Mux(state.isUnresponsive, U(least005 / 2), U(least005)) < before))
  private val isLarge = RegNext(before > Mux(state.isUnresponsive, U(step05 * 3 / 2), U(step05 * 2)))
  private val lower = RegNext(before - step05)
  private val part = RegNext(Mux(state.isUnresponsive, sum >> 1, before >> 1).resize(bits))
  private val eased = RegNext(Mux(isSmall, U(0), Mux(isLarge, lower, part)))

  val after: UInt = RegNext(Mux(isEased, eased, Mux(before === 0, entered, punished)))

  /** The flow is let go. */
  val isReleased: Bool = isEased && isSmall

  import sluice.contract.Clocks
  Clocks.are(
    "FlowStep.cycles",
    cycles,
    new Clocks(Seq(state, isEased, isUnresponsiveNow, step, rate), still = Seq(sum)).to(after)
  )
}

object FlowStep {
  private val bits = FlowState.probabilityBits
  private val one = BigInt(1) << bits
  private val terms = 12

  /** From `load` until the sum has all its terms. */
  val sumCycles: Int = 2 + 1 + terms
  private def of(x: Double): BigInt = BigInt(scala.math.round(x * one.toDouble))
  private val (least005, step05) = (of(0.005), of(0.05))

  /** From the last of the inputs to the answer. */
  val cycles = 6
}
