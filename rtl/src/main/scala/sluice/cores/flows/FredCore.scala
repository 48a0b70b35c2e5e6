// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.blocks.averages.{Ewma, IdleDecay, IdleSince}
import sluice.contract._
import sluice.blocks.arithmetic.division.Reciprocal
import sluice.blocks.probability.curve.{DropCurve, RedDerivation}
import sluice.blocks.probability.spacing.RisingProbability
import sluice.blocks.state.occupancy.ClearedCount
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** Everything that happens enters its memory or loop as many clocks after it happened as an arrival takes to the stage that reads it,
  * so an arrival finds what all before it has left.
  *
  * Stages: 0..9 the flow's occupancy, and the decay over idle time beside it; 10 the active flows; 11 the average; 12..17 RED's
  * probability, and beside it the comparisons with the flow's share; 10..18 its strikes; 18..25 test and decision; 26 verdict.
  */
class FredCore(fred: FredAlgorithm) extends AqmCore(fred) {
  import fred._
  val latency = 26
  private val (flowAt, averageAt, curveAt, testAt, decideAt) = (9, 11, 12, 18, 25)
  private val activeAt = flowAt + 1
  private val sampledAt = 5 // the stage whose average an arrival is judged by

  private def isSet(stage: Int, p: Parameter): Bool = parameter(stage, p).lsb

  val derived = new RedDerivation(
    io.apply,
    io.parameters(min),
    io.parameters(max),
    hasUpper = false,
    avpktBytes = None,
    io.parameters(idleRate),
    io.parameters(weightExponent),
    half = None,
    resetIdleRate = idleRate.raw,
    resetExponent = weightExponent.raw.toInt
  )
  applyWhen(derived.isDone)

  private val isAccepted = io.settled.valid && io.settled.fate === Fate.ACCEPTED

  val onFlow = new Area {
    val QUEUED = Payload(UInt(Widths.maxPackets bits)) // of the arrival's flow
    private def moment(valid: Bool, flow: Bits) = QueuedFlows.bucket(valid, flow, buckets)
    val arriving = moment(io.arrival.valid, io.arrival.packet.flow)
    val departing = moment(io.departed.valid, io.departed.packet.flow)
    val flows = new QueuedFlows(buckets, arriving, moment(isAccepted, io.settled.packet.flow), departing, io.rest)

    /** Active flows as of the last sample of the average. */
    val sharing = Reg(UInt(Widths.count(buckets) bits)) init 0
    when(flows.isTaken)(sharing := flows.next) elsewhen (flows.isGone)(sharing := flows.active)
    require(flows.queuedAt == flowAt, s"the occupancy takes ${flows.queuedAt} clocks")
    nodes(flowAt)(QUEUED) := flows.queued
    show(fred.active, RegNext(flows.active) init 0, shownAt = activeAt + 1)
  }

  val onSample = new FredSampling(
    departs = io.departed.valid,
    left = io.departed.queuePackets,
    accepts = isAccepted && io.settled.queuePackets > 1, // it found a queue
    found = io.settled.queuePackets - 1,
    others = io.arrival.valid || isEntering(1)
  )

  val ewma = new Ewma(integerBits = 18, fraction = 18, reset = 0)

  /** When the average decays: from the last departure on that left nothing queued, or the last arrival that found nothing, to an arrival
    * that finds nothing queued or in judgment.
    */
  val onIdle = new Area {
    val nowNs = io.arrival.nowNs
    val present = Reg(UInt(Widths.maxPackets + 1 bits)) init 0 // queued or in judgment
    val isRefused = io.settled.valid && io.settled.fate =/= Fate.ACCEPTED
    val goes = U(isRefused) +^ U(io.departed.valid)
    present := present + U(io.arrival.valid) - goes
    when(io.rest)(present := 0)
    val willBeNone = present === goes && !io.arrival.valid
    val isNone = RegNext(willBeNone, init = True)
    val leavesNone = io.departed.valid && io.departed.queuePackets === 0
    val emptyNs = RegNextWhen(nowNs, leavesNone || (io.arrival.valid && isNone)) init 0
    val sinceNs = Mux(leavesNone, nowNs, emptyNs)
  }

  val decay = new IdleDecay(
    nodes.take(averageAt - 1),
    new IdleSince(nodes(0).isValid, onIdle.nowNs, onIdle.willBeNone, onIdle.sinceNs).setName("decay_onArrival"),
    ewma.average,
    mantissa = inForce(_, derived.decay.mantissa, U(derived.decay.resetMantissa, 18 bits)),
    shift = inForce(_, derived.decay.shift, U(derived.decay.resetShift, 6 bits))
  )

  val onAverage = new Area {
    val AVERAGE = Payload(UInt(ewma.width bits))
    private val exponent = weightExponent.raw.toInt
    private def doubled(exponent: UInt): UInt = Mux(exponent === 0, exponent, exponent - 1)
    private def weight(exponent: UInt): UInt = Ewma.weight(exponent, None)

    /** What the exponent gives, or, for a double sample, the exponent less one. */
    private def ofSample[T <: Data](stage: Int, isDouble: Bool)(make: UInt => T): T = {
      def at(e: UInt => UInt): T =
        inForce(stage, make(e(io.parameters(weightExponent))), make(e(U(exponent, weightExponent.width bits))))
      Mux(isDouble, at(doubled), at(identity))
    }

    // Five clocks from an event to the loop.
    val factor = RegNext(ofSample(1, onSample.isAcceptance && onSample.hasDeparture)(weight))
    val product = RegNext(ewma.increment(onSample.queue, factor))
    val increment = RegNext(product)
    val isSample = Delay(onSample.isSample, 2, init = False)
    val selection = RegNext(ofSample(4, Delay(onSample.isDouble, 2))(Ewma.select(_)))

    // While a decay is worked out nothing else happens to the average: all that was queued has left. It is cleared and then
    // the decayed one added.
    val isCleared = nodes(averageAt - 2).isValid && nodes(averageAt - 2)(decay.IS_IDLE)
    val next = ewma.next(
      RegNext(Mux(isCleared, nodes(averageAt - 2)(decay.DECAYED), increment)),
      selection,
      half = None,
      isWhole = inForce(sampledAt, io.parameters(weightExponent) === 0, Bool(exponent == 0))
    )
    val isNew = RegNext(isCleared || isSample, init = False)
    when(isCleared)(ewma.average := 0) elsewhen (isNew)(ewma.average := next)

    // An arrival is judged by the average of its stage `sampledAt`, but for those right behind one that ended an idle time.
    val age = averageAt - sampledAt
    val isJustDecayed = RegNext(History(isCleared, 1 to age, init = False).asBits.orR, init = False)
    nodes(averageAt)(AVERAGE) := Mux(
      isJustDecayed,
      ewma.average,
      Delay(ewma.average, age, init = U(0, ewma.width bits))
    )

    show(average, RegNext((nodes(averageAt + 1)(AVERAGE) >> 4).resize(32)) init 0, shownAt = averageAt + 2)
  }

  val SPAN = Payload(UInt(36 bits))
  nodes(curveAt + DropCurve.spanAt)(SPAN) :=
    (parameter(curveAt + DropCurve.spanAt, maxProbability) << 1).resized
  val curve = new DropCurve(
    nodes.slice(curveAt, testAt + 1),
    average = (nodes(curveAt)(onAverage.AVERAGE) >> 4).resize(32),
    SPAN,
    min = s => parameter(curveAt + s, min),
    max = s => parameter(curveAt + s, max),
    lowerRange = s => inForce(curveAt + s, derived.lowerRange, Reciprocal.literal(max.raw - min.raw)),
    gentle = None,
    holdsAtMax = false
  )

  /** The flow's packets against its share: `queued >= average / sharing` is `queued * sharing >= average`. */
  val onShare = new Area {
    val IF_SHARED = Payload(UInt(Widths.maxPackets + Widths.count(buckets) bits)) // the queue if each flow had as much
    val LEAST, TWICE = Payload(UInt(Widths.maxPackets + 1 bits)) // average, rounded up; twice the average, rounded down
    val HAS_MOST, HAS_TWO, HAS_MIN, HAS_SHARE, HAS_TWICE, IS_OVER = Payload(Bool())
    import onFlow.QUEUED

    nodes(activeAt)(IF_SHARED) := nodes(activeAt)(QUEUED) * onFlow.sharing // leaves the product two registers
    private val prepared = nodes(curveAt)
    private val average = prepared(onAverage.AVERAGE)
    prepared(LEAST) := (average >> 18) +^ U(average(17 downto 0) =/= 0)
    prepared(TWICE) := average >> 17
    prepared(HAS_MOST) := !((prepared(QUEUED) << min.fraction) < parameter(curveAt, min))
    prepared(HAS_TWO) := prepared(QUEUED) >= 2
    prepared(HAS_MIN) := !(prepared(QUEUED) < parameter(curveAt, minQueued))

    private val compared = nodes(curveAt + 1)
    compared(HAS_SHARE) := !(compared(IF_SHARED) < compared(LEAST)) && compared(QUEUED) =/= 0
    compared(HAS_TWICE) := compared(IF_SHARED) > compared(TWICE) && compared(QUEUED) > 2

    private val n = nodes(curveAt + 2)
    private val isMoreAtMax =
      (isSet(curveAt + 2, twoPackets) && n(HAS_TWO)) || (isSet(curveAt + 2, forced) && n(HAS_TWICE))
    n(IS_OVER) := n(HAS_MOST) || (n(curve.IS_FORCED) && isMoreAtMax)
  }

  /** A flow is struck each time it is over its limit, until it has nothing queued. */
  val onStrike = new Area {
    val CAUGHT = Payload(Bool())
    val strikes = new ClearedCount(buckets, most = 2, roundBits = log2Up(latency + 3))
    private val n = nodes(activeAt + strikes.latency)
    require(n == nodes(testAt), s"the strikes take ${strikes.latency} clocks")
    strikes.io.lookUp.valid := nodes(activeAt).isValid
    strikes.io.lookUp.payload := Delay(onFlow.arriving.payload, activeAt)
    strikes.io.isRaised := n(onShare.IS_OVER)
    strikes.io.cleared.valid := onFlow.flows.ends
    strikes.io.cleared.payload := Delay(onFlow.departing.payload, activeAt)
    n(CAUGHT) := n(onShare.IS_OVER) || (n(onShare.HAS_SHARE) && strikes.io.count === 2)
  }

  val onTest = new Area {
    val DRAW = Payload(UInt(32 bits))
    val IS_ECT, IS_TESTED, IS_IGNORED, ENDS_GAP = Payload(Bool())
    nodes(0)(DRAW) := io.arrival.random(0)
    nodes(0)(IS_ECT) := io.arrival.packet.isEct

    private val n = nodes(testAt + 1)
    private val isBetween = !n(curve.IS_BELOW) && !n(curve.IS_FORCED)
    n(IS_TESTED) := isBetween && n(onShare.HAS_MIN) && n(onShare.HAS_SHARE) && !n(onStrike.CAUGHT)
    n(IS_IGNORED) := n(onStrike.CAUGHT) || (n(curve.IS_FORCED) && !isSet(testAt + 1, forced))
    n(ENDS_GAP) := !isBetween

    val rising = new RisingProbability(
      nodes.slice(testAt, decideAt + 2),
      curve.PROBABILITY,
      DRAW,
      IS_TESTED,
      takesPart = n => n.isValid && !n(IS_IGNORED)
    )
    private val isTestable = nodes(testAt).isValid && !nodes(testAt)(curve.IS_BELOW) && !nodes(testAt)(curve.IS_FORCED)
    val shown =
      RegNextWhen(nodes(testAt)(curve.PROBABILITY) >> 1, isTestable && !nodes(testAt)(onStrike.CAUGHT)) init 0
    show(probabilityNow, shown, shownAt = testAt + 1)
  }

  val onDecide = new Area {
    val IF_HIT, IF_NOT_HIT, VERDICT = Payload(Verdict())
    private val before = nodes(decideAt - 1)
    before(IF_HIT) := Mux(
      isSet(decideAt - 1, ecn) && before(onTest.IS_ECT),
      verdict(Reasons.unforcedMark),
      verdict(Reasons.unforcedDrop)
    )
    before(IF_NOT_HIT) := pass
    when(before(curve.IS_FORCED) && isSet(decideAt - 1, forced))(before(IF_NOT_HIT) := verdict(Reasons.forcedDrop))
    when(before(onStrike.CAUGHT))(before(IF_NOT_HIT) := verdict(strikesDrop))
    when(before(onShare.IS_OVER))(before(IF_NOT_HIT) := verdict(flowLimitDrop))

    // Only who is tested is hit.
    private val n = nodes(decideAt)
    onTest.rising.state.isRestart := onTest.rising.isHit || n(onTest.ENDS_GAP)
    onTest.rising.state.beginsFewer := n(curve.IS_BELOW)
    n(VERDICT) := Mux(onTest.rising.isHit, n(IF_HIT), n(IF_NOT_HIT))
  }

  viewAt(activeAt, "queued", nodes(activeAt)(onFlow.QUEUED))
  viewAt(activeAt, "sharing", onFlow.sharing)
  viewAt(curveAt + 1, "if_shared", nodes(curveAt + 1)(onShare.IF_SHARED))
  viewAt(curveAt + 1, "has_min", nodes(curveAt + 1)(onShare.HAS_MIN).asUInt)
  viewAt(curveAt + 2, "has_share", nodes(curveAt + 2)(onShare.HAS_SHARE).asUInt)
  viewAt(curveAt + 2, "has_twice", nodes(curveAt + 2)(onShare.HAS_TWICE).asUInt)
  viewAt(averageAt + 1, "average", nodes(averageAt + 1)(onAverage.AVERAGE))
  viewAt(curveAt + 3, "fraction", nodes(curveAt + 3)(curve.FRACTION))
  viewAt(testAt, "strikes", onStrike.strikes.io.count)
  viewAt(testAt, "probability", nodes(testAt)(curve.PROBABILITY))
  viewAt(decideAt, "count", onTest.rising.state.count)

  answer(nodes(latency)(onDecide.VERDICT))
  buildPipeline()
}
