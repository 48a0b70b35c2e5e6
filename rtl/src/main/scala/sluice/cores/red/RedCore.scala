// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.red

import sluice.blocks.arithmetic.{WideMultiplier, division}
import sluice.blocks.averages.{Ewma, IdleDecay, IdleSince, IdleSinceOfQueues}
import sluice.blocks.probability.curve.{DropCurve, GentleSlope, RedDerivation}
import sluice.blocks.probability.spacing.UniformSpacing
import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** The pipeline: latency 23, one arrival per clock. Stages: 0..10 decay over idle time; 11 average; 2..11 the packet's size factor;
  * 12..18 probability; 18..22 spacing and decision; 23 verdict. With several queues there are three clocks more, to choose what is of the
  * arrival's queue: the idle time before the decay, the average before the probability, and after the decision whether it is a hit.
  *
  * Each queue has an average, an idle time and a spacing of its own: the loops are there as often, each hears its own queue's packets only,
  * and what lies between the loops is there once.
  *
  * Alone it shows what a packet was judged by: its size factor, how far up the slope it is, the probability and that times the count, the
  * count and the draw, and whether a hit may mark.
  */
class RedCore(red: RedAlgorithm) extends AqmCore(red) {
  import red._
  private val queues = needs.queues
  private val choosing = if (queues > 1) 1 else 0 // clocks for each choice of what is of the arrival's queue
  val latency = 23 + 3 * choosing
  protected val averageAt = 11 + choosing
  private val curveAt = averageAt + 1 + choosing
  private val (spacingAt, decideAt) = (curveAt + 6, curveAt + 10)

  private val QUEUE_NUMBER = Payload(UInt(needs.queueBits bits))
  if (queues > 1) nodes(0)(QUEUE_NUMBER) := io.arrival.packet.queue

  // By queue and stage; from registers, because the loops have no time to decode the number.
  private lazy val packetsOf =
    Seq.tabulate(queues)(i => History(io.arrival.valid && io.arrival.packet.queue === i, 0 to latency, init = False))

  /** Whether a packet of a queue is at a stage. */
  private def isThere(queue: Int, stage: Node): Bool =
    if (queues > 1) packetsOf(queue)(nodes.indexOf(stage)) else stage.isValid

  /** What is of the queue of the packet at a stage. */
  private def ofQueue[T <: Data](stage: Int, each: Seq[T]): T =
    if (queues > 1) Vec(each).read(nodes(stage)(QUEUE_NUMBER)) else each.head

  private def nameOf(area: String, queue: Int): String = if (queues > 1) s"$area$queue" else area

  private def isSet(stage: Int, p: Parameter): Bool = if (has(p)) parameter(stage, p).lsb else False
  private def isSet(p: Parameter): Bool = io.parameters(p).lsb

  val derived = new RedDerivation(
    io.apply,
    io.parameters(min),
    io.parameters(max),
    hasUpper = has(gentle),
    Option.when(has(avpkt))(io.parameters(avpkt)),
    io.parameters(idleRate),
    io.parameters(weightExponent),
    weightHalf.map(isSet(_)),
    resetIdleRate = idleRate.raw,
    resetExponent = weightExponent.raw.toInt
  )
  applyWhen(derived.isDone)
  private def derivedAt(value: division.Reciprocal, reset: BigInt)(stage: Int): division.Reciprocal =
    inForce(stage, value, division.Reciprocal.literal(reset))

  /** max_p at one stage: here the register; the adaptive schemes move it. */
  protected def maxProbabilityAt(stage: Int): UInt = parameter(stage, maxProbability)

  /** Whether the slope holds at `max` and not at `min`; RED's holds at `min` and not at `max`. */
  protected def holdsAtMax: Boolean = false

  /** Tests before RED's own, for a scheme that has one. */
  protected def screen: Option[Screen] = None
  protected def filter: Option[Filter] = None

  /** Whether the packet is dropped for one of these. */
  protected val IS_CAUGHT = Payload(Bool())
  private def mayCatch = screen.nonEmpty || filter.nonEmpty

  private val ewmas =
    Seq.tabulate(queues)(i => new Ewma(integerBits = 18, fraction = 18, reset = 0).setName(nameOf("ewma", i)))
  private def averageOf(stage: Int): UInt = ofQueue(stage, ewmas.map(_.average))

  private def foundEmpty: Bits = io.idle.queues.andMask(io.idle.valid)
  val idle =
    if (queues > 1) new IdleSinceOfQueues(nodes, QUEUE_NUMBER, io.arrival.nowNs, foundEmpty, io.idle.nowNs)
    else
      new IdleSince(nodes(0).isValid, io.arrival.nowNs, io.idle.valid, io.idle.nowNs).setName("decay_onArrival")

  val decay = new IdleDecay(
    nodes.slice(choosing, averageAt - 1),
    idle,
    averageOf(choosing + 5),
    mantissa = s => inForce(choosing + s, derived.decay.mantissa, U(derived.decay.resetMantissa, 18 bits)),
    shift = s => inForce(choosing + s, derived.decay.shift, U(derived.decay.resetShift, 6 bits))
  )

  val onAverage = new Area {
    val QUEUE = Payload(UInt(18 bits))
    val IS_STANDING = Payload(Bool()) // more than one packet (byte mode: more than 64 bytes) is queued
    val INCREMENT = Payload(UInt(ewmas.head.width bits))
    val weighedAt = averageAt - 4 // leaves the product two registers on its way

    nodes(0)(QUEUE) := Mux(isSet(0, byteMode), (io.arrival.queueBytes >> 6).resize(18), io.arrival.queuePackets)
    nodes(1)(IS_STANDING) := nodes(1)(QUEUE) > 1

    val exponent = weightExponent.raw.toInt
    val weight = inForce(
      weighedAt,
      Ewma.weight(io.parameters(weightExponent), weightHalf.map(isSet(_))),
      Ewma.weight(U(exponent), None)
    )
    nodes(weighedAt)(INCREMENT) := ewmas.head.increment(nodes(weighedAt)(QUEUE), weight)

    val selection = inForce(averageAt, Ewma.select(io.parameters(weightExponent)), Ewma.select(U(exponent, 4 bits)))
    val isWhole =
      if (!hasWhole) False
      else inForce(averageAt, io.parameters(weightExponent) === 0, Bool(exponent == 0))

    class OfQueue(queue: Int) extends Area {
      private val ewma = ewmas(queue)
      // The average is cleared and then the decayed one added, two clocks and one before its packet is averaged; no packet of its queue
      // before it is still on the way then. What is added comes from a register: the loop has no time to choose. Nor has that register
      // to wait: whether the average is cleared is known a clock before.
      val isCleared = RegNext(isThere(queue, nodes(averageAt - 3)) && nodes(averageAt - 3)(decay.IS_IDLE), init = False)
      val isDecay = RegNext(isCleared, init = False)
      val added = RegNext(Mux(isCleared, nodes(averageAt - 2)(decay.DECAYED), nodes(averageAt - 1)(INCREMENT)))
      val next = ewma.next(added, selection, weightHalf.map(isSet(averageAt, _)), isWhole)
      val isNew = RegNext(isCleared || isThere(queue, nodes(averageAt - 1)), init = False)
      val isTaken = CombInit(isNew)
      for (f <- filter) {
        // Whether a packet may be caught is worked out a clock ahead for both that the filter can do with the packet ahead of this
        // one, because the loop has no time to compare. What an idle time left of the average is still on its way to it.
        def least(stage: Int) = parameter(stage, min) << 4
        val isReplaced = parameter(averageAt - 1, weightExponent) === 0
        val (far, before, at) = (nodes(averageAt - 2), nodes(averageAt - 1), nodes(averageAt))
        val CATCHES_LONG, CATCHES_ALWAYS = Payload(Bool())
        far(CATCHES_LONG) := far.isValid && far(f.mayCatch) && far(IS_STANDING)
        far(CATCHES_ALWAYS) := far.isValid && far(f.mayAlways)
        // Where the average does not decide about this packet, what the one ahead adds to it is replaced by the answer.
        val excess = RegNext(
          Ewma.fixed(
            Ewma.excess(before(INCREMENT), least(averageAt - 2), isReplaced),
            isAbove = far(CATCHES_ALWAYS),
            isBelow = !far(CATCHES_ALWAYS) && !far(CATCHES_LONG)
          )
        )
        val isSparedIfTaken = RegNext(ewma.nextIsBelow(excess, selection))
        val isBelow = Mux(isDecay, added < least(averageAt - 1), ewma.average < least(averageAt - 1))
        val mayIfNot = RegNext(before(CATCHES_ALWAYS) || (before(CATCHES_LONG) && !isBelow), init = False)
        val isBehindSample = RegNext(isNew && !isDecay, init = False)
        val wasCaught = RegNext(at(IS_CAUGHT), init = False)
        at(IS_CAUGHT) := Mux(
          wasCaught,
          at(f.hitsAfterCaught) && mayIfNot,
          at(f.hits) && Mux(isBehindSample, !isSparedIfTaken, mayIfNot)
        )
        isTaken clearWhen at(IS_CAUGHT)
      }
      when(isCleared)(ewma.average := 0) elsewhen (isTaken)(ewma.average := next)
    }
    require(filter.isEmpty || queues == 1, s"${algorithm.name} has a test before the average for one queue only")
    for (i <- 0 until queues) new OfQueue(i).setName(nameOf("onAverage", i))

    private def rounded(stage: Int): UInt = (averageOf(stage) >> 4).resize(32)
    private val CHOSEN = Payload(UInt(32 bits)) // of several queues, the arrival's
    if (queues > 1) nodes(averageAt + 1)(CHOSEN) := rounded(averageAt + 1)

    /** By which the packet at `curveAt` is judged, Q18.14. */
    def judged: UInt = if (queues > 1) nodes(curveAt)(CHOSEN) else rounded(curveAt)

    // Only with a packet: a decay is shown with the one that it was made for, not a clock before.
    val shown = RegNextWhen(judged, nodes(curveAt).isValid) init 0
  }

  val onSize = new Area {
    val BYTES = Payload(UInt(Widths.packet bits))
    val RATIO = Payload(UInt(34 bits))
    val SHIFTED = Payload(UInt(30 bits))
    val SIZE = Payload(UInt(18 bits)) // g = bytes / avpkt in byte mode, else 1: Q4.14
    val MAX_PRODUCTS = Payload(WideMultiplier.products(32, 18))
    val SCALED_MAX = Payload(UInt(36 bits)) // max_p * g, Q4.32
    val SCALED_REST = Payload(UInt(36 bits)) // (1 - max_p) * g, Q4.32

    if (has(byteMode)) {
      val inverse = derivedAt(derived.avpkt, avpkt.raw) _
      nodes(0)(BYTES) := io.arrival.packet.bytes
      // Multipliers are far: a register before each and one behind it are theirs alone.
      nodes(2)(RATIO) := nodes(2)(BYTES) * inverse(2).reciprocal
      // g = bytes * reciprocal >> (35 - z); a 16-bit avpkt has z = 16..31 leading zeros, so the shift is 4..19.
      nodes(4)(SHIFTED) := (nodes(4)(RATIO) >> 4) |>> ~inverse(4).leadingZeros(3 downto 0)
      nodes(5)(SIZE) := Mux(isSet(5, byteMode), nodes(5)(SHIFTED).sat(12), U(1 << 14, 18 bits))
      nodes(7)(MAX_PRODUCTS) := WideMultiplier.multiply(maxProbabilityAt(7), nodes(7)(SIZE))
      nodes(9)(SCALED_MAX) := (WideMultiplier.sum(nodes(9)(MAX_PRODUCTS)) >> 13).resized
      nodes(10)(SCALED_REST) := (nodes(10)(SIZE) << 18) - nodes(10)(SCALED_MAX)
    } else {
      val spanAt = curveAt + DropCurve.spanAt
      nodes(spanAt)(SCALED_MAX) := (maxProbabilityAt(spanAt) << 1).resized
    }
  }

  val curve = new DropCurve(
    nodes.slice(curveAt, spacingAt + 1),
    average = onAverage.judged,
    onSize.SCALED_MAX,
    min = s => parameter(curveAt + s, min),
    max = s => parameter(curveAt + s, max),
    lowerRange = s => derivedAt(derived.lowerRange, max.raw - min.raw)(curveAt + s),
    gentle = Option.when(has(gentle))(
      GentleSlope(
        isOn = s => isSet(curveAt + s, gentle),
        onSize.SCALED_REST,
        range = s => derivedAt(derived.upperRange, max.raw)(curveAt + s)
      )
    ),
    holdsAtMax
  )

  // From the spacing on beside the pipeline: a reset must take it from the packets that it finds there, or they count after it.
  private lazy val takingPart: Vec[Bool] = {
    val n = nodes(spacingAt)
    History(n.isValid && !n(IS_CAUGHT), nodes.size - spacingAt, init = False)
  }
  private def takesPart(n: Node): Bool = {
    val at = nodes.indexOf(n)
    if (mayCatch && at >= spacingAt) takingPart(at - spacingAt)
    else if (mayCatch) n.isValid && !n(IS_CAUGHT)
    else n.isValid
  }

  val DRAW = Payload(UInt(32 bits))
  nodes(0)(DRAW) := io.arrival.random(0)

  val spacing = new UniformSpacing(
    nodes.slice(spacingAt, decideAt + 2),
    curve.PROBABILITY,
    DRAW,
    isWaiting = s => isSet(spacingAt + s, waiting),
    takesPart,
    ofQueues = Option.when(queues > 1)(QUEUE_NUMBER -> Seq.tabulate(queues)(i => isThere(i, _: Node)))
  )

  val onJudge = new Area {
    val IS_ECT = Payload(Bool())
    val IS_ACTIVE = Payload(Bool()) // RED judges the packet
    val MAY_MARK = Payload(Bool()) // on an unforced hit
    val MAY_MARK_HARD = Payload(Bool()) // on a forced one
    val n = nodes(spacingAt)

    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    val isActive = !n(curve.IS_BELOW) && (n(onAverage.IS_STANDING) || !isSet(spacingAt, waiting))
    screen.foreach(s => n(IS_CAUGHT) := isActive && n(s.catches))
    n(IS_ACTIVE) := (if (mayCatch) isActive && !n(IS_CAUGHT) else isActive)
    val m = nodes(spacingAt + 2)
    val marks = isSet(spacingAt + 2, ecn) && m(IS_ECT)
    m(MAY_MARK) := (
      if (has(markMost)) marks && !((parameter(spacingAt + 2, markMost) << 1) < m(curve.PROBABILITY))
      else marks
    )
    m(MAY_MARK_HARD) := marks && !isSet(spacingAt + 2, hardDrop)

    val shown = RegNextWhen(n(curve.PROBABILITY) >> 1, n.isValid && n(IS_ACTIVE) && !n(curve.IS_FORCED)) init 0
    show(probabilityNow, shown, shownAt = spacingAt + 1)
    show(average, onAverage.shown, shownAt = curveAt + 1)
  }

  val onDecide = new Area {
    val CAN_HIT = Payload(Bool())
    val IF_HIT, IF_NOT_HIT, VERDICT = Payload(Verdict())
    // Whether the spacing hits is known late, so both outcomes are there by then.
    val before = nodes(decideAt - 1)
    val isForced = before(onJudge.IS_ACTIVE) && before(curve.IS_FORCED)
    before(CAN_HIT) := before(onJudge.IS_ACTIVE) && !before(curve.IS_FORCED)
    before(IF_HIT) := Mux(before(onJudge.MAY_MARK), verdict(Reasons.unforcedMark), verdict(Reasons.unforcedDrop))
    before(IF_NOT_HIT) := pass
    when(isForced) {
      before(IF_NOT_HIT) :=
        Mux(before(onJudge.MAY_MARK_HARD), verdict(Reasons.forcedMark), verdict(Reasons.forcedDrop))
    }
    for (reason <- screen.map(_.reason) ++ filter.map(_.reason))
      when(before(IS_CAUGHT))(before(IF_NOT_HIT) := verdict(reason))

    val (n, last) = (nodes(decideAt), nodes(latency - 1))
    val isHit = last(CAN_HIT) && spacing.isHit
    spacing.isInactive := !n(onJudge.IS_ACTIVE)
    spacing.restartsAnyway := !n(CAN_HIT) // forced, or inactive

    last(VERDICT) := Mux(isHit, last(IF_HIT), last(IF_NOT_HIT))
  }

  viewAt(averageAt + 1, "average", averageOf(averageAt + 1))
  if (has(byteMode)) viewAt(5, "size_factor", nodes(5)(onSize.SIZE))
  viewAt(curveAt + 3, "fraction", nodes(curveAt + 3)(curve.FRACTION))
  viewAt(spacingAt, "probability", nodes(spacingAt)(curve.PROBABILITY))
  viewAt(spacingAt + 2, "may_mark", nodes(spacingAt + 2)(onJudge.MAY_MARK).asUInt)
  viewAt(spacingAt + 2, "total", nodes(spacingAt + 2)(spacing.TOTAL))
  viewAt(decideAt, "count", spacing.count)
  viewAt(decideAt, "draw", spacing.keptDraw)

  answer(nodes(latency)(onDecide.VERDICT))
  buildPipeline()
}
