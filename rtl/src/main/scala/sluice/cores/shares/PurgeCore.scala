// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.shares

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import sluice.blocks.cardinality.{Estimate, MinCount}
import sluice.blocks.controllers.{LastQueue, PacketUnit, PurgeLoad, RemPrice}
import sluice.blocks.hits.{HbfCache, HbfHits, HbfPeriod, HbfReplacement, HbfStages}
import sluice.contract._
import sluice.blocks.arithmetic.division.SequentialDivision
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** The pipeline: samples, the cache, the test. With h hits of d samples of a flow, N h / d is how many shares it has. So it has more than
  * theta of them iff N h > theta d, and a draw U is below g s (N h / d - 1) iff U d < g s (N h - d). Beside it stand three works, each of
  * which a tick of its own begins and whose results enter the pipeline where they are needed.
  */
class PurgeCore(purge: PurgeAlgorithm) extends AqmCore(purge) {
  import purge._
  private val hitBits = samples.width
  private val drawBits = 18
  private val testAt = 1
  private val periodAt = HbfCache.sampleAt
  private val stages = new HbfStages(entries)
  private val knownAt = stages.latency
  private val weighAt = knownAt + 1
  private val sumAt = weighAt + Multiplier.latency
  private val excessAt = sumAt + 1
  private val scaleAt = excessAt + 1
  private val partAt = scaleAt + Multiplier.latency
  private val wholeAt = partAt + 1
  private val compareAt = wholeAt + 1
  private val decideAt = compareAt + 1
  val latency: Int = decideAt + 1

  private val counter = new MinCount(1024, 3, Estimate.all("exposure"), isSalted = false)
  private val leastBits = hitBits + flows.fraction + 1
  override def tickCycles(kind: Tick): Int =
    if (kind == onPrice) RemPrice.cycles + 2
    else if (kind == onLoad) PurgeLoad.cycles + 2
    else counter.latency + 2 + leastBits + 4

  /** In this clock a stage has the last packet before what a tick of a kind changes. */
  private def settles(kind: Tick, stage: Int): Bool = sinceTick(kind).is(tickCycles(kind) + stage - 1)

  val SAMPLED, FLOW = Payload(Bits(Widths.flow bits))
  val IS_THERE, IS_OVER, IS_SAMPLE, IS_ECT, IS_TAKEN = Payload(Bool())
  val QUEUE = Payload(UInt(Widths.maxPackets bits))
  val DRAW = Payload(UInt(Widths.random bits))
  val SHORT_DRAW = Payload(UInt(drawBits bits))
  val PERIOD = Payload(HbfPeriod(hitBits))
  private val sample = io.arrival.samples.head // BLACK and Purge take the same along, each with more of its own
  nodes(0)(SAMPLED) := sample.flow
  nodes(0)(FLOW) := io.arrival.packet.flow
  nodes(0)(IS_THERE) := sample.valid
  nodes(0)(QUEUE) := io.arrival.queuePackets
  nodes(0)(DRAW) := io.arrival.random(0)
  nodes(0)(IS_ECT) := io.arrival.packet.isEct
  nodes(1)(IS_OVER) := nodes(1)(QUEUE) > parameter(1, target)
  nodes(1)(SHORT_DRAW) := nodes(1)(DRAW) >> (Widths.random - drawBits)

  private val last = new LastQueue(io)
  private val queue = RegNext(last.packets) // with a tick that is a clock late

  val onRem = new Area {
    private val typical = U(PacketUnit.packet, Widths.packet bits)
    private val sought =
      RemPrice.level(io.parameters(capacity), io.parameters(alpha), io.parameters(target), typical)
    applyWhen(Delay(io.apply, soughtAt, init = False))
    private val first = RemPrice.level(capacity.raw, alpha.raw, target.raw, PacketUnit.packet)
    private val accepted = Flow(UInt(Widths.packet bits))
    accepted.valid := RegNext(io.settled.valid && io.settled.fate === Fate.ACCEPTED, init = False)
    accepted.payload := typical
    val state = new RemPrice(
      accepted,
      tick = RegNext(io.tick(onPrice).valid, init = False),
      settles = settles(onPrice, testAt),
      queue = PacketUnit.queue(inBytes = False, queue, U(0, Widths.maxBytes bits)),
      level = inForce(1, sought, U(first, RemPrice.levelBits bits)),
      inverse = U((BigInt(1) << PacketUnit.inverseFraction) / PacketUnit.packet, PacketUnit.inverseBits bits),
      alpha = parameter(1, alpha),
      gain = parameter(1, gain)
    )
    private val n = nodes(testAt)
    n(IS_TAKEN) := n(DRAW).resize(Widths.random + 1) < (state.probability << 1)
    show(price, (state.price >> (RemPrice.fraction - price.fraction)).resized, shownAt = testAt)
    show(probabilityNow, state.probability, shownAt = testAt)
  }

  val onCongestion = new Area {
    private val at = scaleAt
    val load = new PurgeLoad(
      isArrival = nodes(1).isValid,
      tick = RegNext(io.tick(onLoad).valid, init = False),
      queue,
      onRem.state.probability,
      alpha = parameter(1, alpha),
      target = parameter(1, target),
      buffer = parameter(1, buffer),
      capacity = parameter(1, loadCapacity),
      saturation = parameter(1, saturation),
      step = parameter(1, step),
      shareGain = parameter(1, shareGain)
    )
    private def inForceAt[T <: Data](stage: Int, value: T): T =
      RegNextWhen(value, settles(onLoad, stage)) init value.getZero
    val gs = inForceAt(at, load.strength)
    val run = inForceAt(at, load.run)
    val isThere = inForceAt(at, load.isCongested)
    val IS_THERE, LASTS = Payload(Bool())
    nodes(at)(IS_THERE) := isThere
    nodes(at)(LASTS) := !(run < parameter(at, persistence))
    show(overload, run, shownAt = at)
    show(strength, gs, shownAt = at)
    viewAt(at, "is_congested", isThere.asUInt)
  }

  val onFlows = new Area {
    private val n = nodes(periodAt)
    counter.io.s_arrival.valid := io.arrival.valid
    counter.io.s_arrival.payload := io.arrival.packet.flow
    counter.io.window_end := io.tick(onWindow).valid

    val sampled, before = Reg(UInt(hitBits bits)) init 0
    val number = Reg(UInt(HbfPeriod.numberBits bits)) init 0
    val least = Reg(UInt(hitBits bits)) init 0
    n(IS_SAMPLE) := n(IS_OVER) && n(IS_THERE) && !sampled.msb // so no count of hits overflows
    private val counted = sampled + U(n.isValid && n(IS_SAMPLE))
    n(PERIOD).number := number
    n(PERIOD).least := least
    n(PERIOD).stamp := counted

    private val (whole, more) = {
      val estimate = counter.io.m_count.flows >> (Estimate.fractionBits - flows.fraction)
      (estimate.resize(flows.width), (estimate >> flows.width) =/= 0)
    }
    private val isLess = (whole >> flows.fraction) === 0 && !more
    private val isDone = counter.io.m_count.valid
    val found = RegNextWhen(
      (whole | U(flows.width bits, default -> more)) & U(flows.width bits, default -> !isLess) |
        (U(isLess) << flows.fraction).resize(flows.width),
      isDone
    )
    private val atTick = RegNextWhen(sampled, Delay(io.tick(onWindow).valid, periodAt, init = False))
    val division = new SequentialDivision(
      load = Delay(isDone, 2, init = False),
      dividend = RegNext((atTick << flows.fraction).resize(leastBits) + (found - 1)),
      divisor = found
    )

    private val isEnd = settles(onWindow, periodAt)
    sampled := Mux(isEnd, U(0), counted)
    when(isEnd) {
      before := counted
      number := number + 1
      least := division.quotient.resized
    }
    val beforeKnown = RegNextWhen(before, settles(onWindow, knownAt)) init 0
    val inForce = RegNextWhen(found, settles(onWindow, weighAt)) init flows.reset.toInt
    show(samples, beforeKnown, shownAt = knownAt)
    show(flows, inForce, shownAt = weighAt)
  }

  val cache =
    new HbfCache(entries, HbfReplacement.Fewest, nodes, SAMPLED, IS_SAMPLE, FLOW, PERIOD, hitBits)

  val onWeigh = new Area {
    val DRAWN_FROM = Payload(UInt(hitBits + 1 bits)) // d
    private val weightBits = hitBits + 1 + flows.width
    private val drawnBits = hitBits + 1 + drawBits
    private val wholeBits = weightBits + strength.width
    val WEIGHTS = Payload(WideMultiplier.products(hitBits + 1, flows.width))
    val DRAWS = Payload(WideMultiplier.products(hitBits + 1, drawBits))
    val BOUNDS = Payload(WideMultiplier.products(hitBits + 1, theta.width))
    val WEIGHT = Payload(UInt(weightBits bits)) // N h, Q.4
    val DRAWN = Payload(UInt(drawnBits bits)) // U d, Q.18
    val BOUND = Payload(UInt(hitBits + 1 + theta.width bits)) // theta d, Q.8
    val EXCESS = Payload(UInt(weightBits bits)) // N h - d, which is above 0 where it matters
    val IS_HIGH = Payload(Bool())
    val PARTS = Payload(WideMultiplier.products(weightBits, strength.width))
    val LOW, WHOLE = Payload(UInt(wholeBits bits)) // g s (N h - d), Q.18
    private val (k, w, m) = (nodes(knownAt), nodes(weighAt), nodes(sumAt))
    k(DRAWN_FROM) := k(PERIOD).stamp +^ onFlows.beforeKnown.andMask(k(cache.HAS_PREVIOUS))
    m(WEIGHTS) := WideMultiplier.multiplyApart(w(cache.HITS), onFlows.inForce)
    m(DRAWS) := WideMultiplier.multiplyApart(w(DRAWN_FROM), w(SHORT_DRAW))
    m(BOUNDS) := WideMultiplier.multiplyApart(w(DRAWN_FROM), parameter(weighAt, theta))
    m(WEIGHT) := WideMultiplier.sum(m(WEIGHTS)).resized
    m(DRAWN) := WideMultiplier.sum(m(DRAWS)).resized
    m(BOUND) := WideMultiplier.sum(m(BOUNDS)).resized

    private val (e, s, p) = (nodes(excessAt), nodes(scaleAt), nodes(partAt))
    private val points = theta.fraction - flows.fraction
    e(EXCESS) := e(WEIGHT) - (e(DRAWN_FROM) << flows.fraction)
    e(IS_HIGH) := e(BOUND) < (e(WEIGHT) << points)
    p(PARTS) := WideMultiplier.multiplyApart(s(EXCESS), onCongestion.gs)
    p(LOW) := WideMultiplier.sum(Vec(p(PARTS).take(2))).resized
    private val last = nodes(wholeAt)
    last(WHOLE) := last(LOW) + (last(PARTS)(2) << 36).resized
  }

  val onDecide = new Area {
    val IS_UNFAIR, IS_SHARED = Payload(Bool())
    val VERDICT = Payload(Verdict())
    private val (c, d) = (nodes(compareAt), nodes(decideAt))
    c(IS_UNFAIR) := c(onWeigh.DRAWN) < c(onWeigh.WHOLE)
    private val isOpen = c(IS_OVER) || !parameter(compareAt, gate).lsb
    c(IS_SHARED) := c(cache.IS_KNOWN) && c(onWeigh.IS_HIGH) && c(onCongestion.IS_THERE) && isOpen
    private val marking = parameter(decideAt, ecn).lsb
    private val marks = marking && d(IS_ECT)
    d(VERDICT) := pass
    when(d(IS_SHARED)) {
      when(d(IS_UNFAIR)) {
        when(d(onCongestion.LASTS))(d(VERDICT) := verdict(unfairDrop))
          .elsewhen(marks)(d(VERDICT) := verdict(unfairMark))
      }
    } elsewhen (d(IS_TAKEN)) {
      when(marks)(d(VERDICT) := verdict(unforcedMark)).elsewhen(!marking)(d(VERDICT) := verdict(unforcedDrop))
    }
  }

  viewAt(testAt, "priced", onRem.state.price)
  viewAt(stages.enterAt, "has_victim", cache.onEnter.victim.isThere.asUInt)
  viewAt(stages.enterAt, "victim", cache.onEnter.victim.place)
  viewAt(stages.enterAt, "is_free", nodes(stages.enterAt)(cache.FINDING).isFree.asUInt)
  viewAt(stages.enterAt, "key", nodes(stages.enterAt)(cache.FINDING).key)
  viewAt(stages.hitsAt, "is_held", nodes(stages.hitsAt)(cache.onPlace.IS_HIT).asUInt)
  viewAt(stages.hitsAt, "place", nodes(stages.hitsAt)(cache.onPlace.PLACE))
  viewAt(stages.hitsAt + HbfHits.latency, "number", nodes(stages.hitsAt + HbfHits.latency)(PERIOD).number)
  viewAt(stages.knownAt - 1, "least", nodes(stages.knownAt - 1)(PERIOD).least)
  viewAt(knownAt, "is_known", nodes(knownAt)(cache.IS_KNOWN).asUInt)
  viewAt(excessAt, "weight", nodes(excessAt)(onWeigh.WEIGHT))
  viewAt(excessAt, "drawn_from", nodes(excessAt)(onWeigh.DRAWN_FROM))
  viewAt(excessAt, "bound", nodes(excessAt)(onWeigh.BOUND))
  viewAt(compareAt, "drawn", nodes(compareAt)(onWeigh.DRAWN))
  viewAt(compareAt, "whole", nodes(compareAt)(onWeigh.WHOLE))
  viewsOf(counter, delay = 0)

  answer(nodes(latency)(onDecide.VERDICT))
  buildPipeline()

  /** Clocks from a set of parameters to the level that is derived from it. */
  private def soughtAt = 8
  Clocks.suffice("PurgeCore.soughtAt", soughtAt, RemPrice.levelCycles)

  private val window = new Clocks(
    from = Seq(io.tick(onWindow).valid),
    still = Seq(onFlows.sampled),
    spans = Seq(Clocks.Span(io.tick(onWindow).valid, counter.latency, counter.io.m_count), onFlows.division.span)
  )
  Clocks.suffice(
    "PurgeCore.onFlows.division's load",
    window.to(onFlows.division.span.begin),
    window.to(onFlows.division.numbers)
  )
  Clocks.suffice(
    "PurgeCore.tickCycles of a window, at the cache,",
    tickCycles(onWindow) + periodAt - 1,
    window.to(onFlows.division.quotient)
  )
}
