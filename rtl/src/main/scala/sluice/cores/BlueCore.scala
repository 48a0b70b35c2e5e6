// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores

import sluice.blocks.arithmetic.ElapsedSteps
import sluice.blocks.probability.{FreezeGate, MovedProbability, Sampler}
import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** BLUE: W. Feng, D. Kandlur, D. Saha, K. Shin, "BLUE: A New Class of Active Queue Management Algorithms", U. Michigan
  * CSE-TR-387-99, 1999, and IEEE/ACM ToN 2002. One probability, which rises with losses by overflow and falls while the link is idle.
  *
  * Latency 23, one arrival, one settled packet and one idle event per clock.
  */
object Blue extends Algorithm {
  val name = "blue"
  val summary = "BLUE (1999): drops with a probability that overflow raises and an idle link lowers"

  val increment = Parameter.probability("increment", "", 0.0025, "d1: what the probability rises by with an overflow")
  val decrement =
    Parameter.probability(
      "decrement",
      "",
      0.00025,
      "d2: what it falls by when the link is idle, for each `freeze_time`"
    )
  val freezeTime = Parameter("freeze_time", "", 32, 0, "ns", 100000000, "least time from one change of it to the next")
  val threshold = Parameter(
    "threshold",
    "",
    Widths.maxPackets,
    0,
    "packets",
    0,
    "L: an arrival that finds more than this queued counts as an overflow; 0: only an overflow does"
  )
  val (ecn, markMost) = (Parameter.ecn, Parameter.markMost)
  val parameters = Seq(increment, decrement, freezeTime, threshold, ecn, markMost)
  val rules = Seq(increment, decrement, markMost).map(Rule.isProbability) :+ Rule.isAtLeast(freezeTime, 1)

  val unforcedDrop = Reason("Unforced drop", isMark = false)
  val unforcedMark = Reason("Unforced mark", isMark = true)
  val reasons = Seq(unforcedDrop, unforcedMark)

  val probabilityNow = Status("probability_now", 32, 31, "1", "p_m: probability of a drop or mark")
  val status = Seq(probabilityNow)

  val needs = Needs(randomWords = 1, idle = true, settled = true)

  def core(): AqmCore = new BlueCore
}

/** Two loops. At stage 1 the time from which on the probability may move: whatever moves it closes the gate for all else of the same
  * time, so in one clock it moves at most once. At stage 21 the probability itself: how far it falls after an idle time is a
  * division, which takes the stages between, and as nothing is in judgment when the link is idle there is one at a time. 22 draws.
  */
class BlueCore extends AqmCore(Blue) {
  import Blue._
  private val gateAt = 1
  private val divideAt = gateAt + 1
  private val moveAt = divideAt + ElapsedSteps.cycles
  private val drawAt = moveAt + 1
  val latency = drawAt + 1

  applyWhen(RegNext(io.apply, init = False))

  /** What may move the probability, a clock after it happened, in the order of its turn. */
  val onEvent = new Area {
    val isIdle = Reg(Bool()) init False
    isIdle := io.idle.valid || (isIdle && !io.arrival.valid)

    val isIdleOver = RegNext(io.arrival.valid && isIdle, init = False)
    private val isLong = io.arrival.queuePackets > parameter(0, threshold) && parameter(0, threshold) =/= 0
    val isOverThreshold = RegNext(io.arrival.valid && isLong, init = False)
    val isLost = RegNext(io.settled.valid && io.settled.fate === Fate.OVERLIMIT, init = False)
    val isIdleBegun = RegNext(io.idle.valid && !isIdle, init = False)

    val isAny = isIdleOver || isOverThreshold || isLost || isIdleBegun
    val isOfArrival = isIdleOver || isOverThreshold // and so before its draw
    val isRise = (isOverThreshold || isLost) && !isIdleOver
  }

  val onGate = new FreezeGate(io.arrival.nowNs, parameter(0, freezeTime), onEvent.isAny)
  private val sinceMove = RegNext(onGate.next - onGate.frozenUntil)

  val onIdle = new ElapsedSteps(
    load = RegNext(onEvent.isIdleOver, init = False),
    elapsed = sinceMove,
    period = parameter(divideAt, freezeTime),
    step = parameter(divideAt, decrement)
  )

  val onMove = new Area {
    private def late(event: Bool): Bool = Delay(event, moveAt - gateAt)
    val isMoved = Delay(onGate.isOpen, moveAt - gateAt, init = False)
    val isRise = late(onEvent.isRise)
    val isBeforeDraw = late(onEvent.isOfArrival) && isMoved

    val single =
      RegNext(
        Mux(
          Delay(onEvent.isRise, moveAt - 1 - gateAt),
          parameter(moveAt - 1, increment),
          parameter(moveAt - 1, decrement)
        )
      )
    val step = Mux(late(onEvent.isIdleOver), onIdle.moved.resize(34), single.resize(34))

    val probability = Reg(UInt(32 bits)) init 0
    val moved = MovedProbability(probability, step, isRise)
    when(isMoved)(probability := moved)
    val drawn = RegNext(Mux(isBeforeDraw, moved, probability)) init 0
  }

  val onDraw = new Area {
    val DRAW = Payload(UInt(Widths.random bits))
    val IS_ECT, IS_MARKABLE = Payload(Bool())
    val VERDICT = Payload(Verdict())
    nodes(0)(DRAW) := io.arrival.random(0)
    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    nodes(moveAt)(IS_MARKABLE) := nodes(moveAt)(IS_ECT) && parameter(moveAt, ecn).lsb
    private val n = nodes(drawAt)
    private val marks = n(IS_MARKABLE) && !(onMove.drawn > parameter(drawAt, markMost))
    private val ifTaken = Mux(marks, verdict(unforcedMark), verdict(unforcedDrop))
    n(VERDICT) := Mux(Sampler.isTaken(n(DRAW), onMove.drawn), ifTaken, pass)
  }

  show(probabilityNow, onMove.drawn, shownAt = drawAt)
  viewAt(gateAt, "frozen_until", onGate.frozenUntil.resize(Widths.timeNs))

  answer(nodes(latency)(onDraw.VERDICT))
  buildPipeline()
}
