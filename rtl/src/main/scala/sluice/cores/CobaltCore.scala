// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores

import sluice.blocks.arithmetic.{IsAfter, WideMultiplier}
import sluice.blocks.probability.{FreezeGate, MovedProbability, Sampler}
import sluice.contract._
import sluice.blocks.arithmetic.powers.InverseRoot
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** COBALT, as Linux' `sch_cake` has it: CoDel whose count falls as it rose, and BLUE for what does not respond to it.
  *
  * Every packet is queued and judged at the head, 17 cycles, one per clock, by the draw of its arrival; after a step of the count the heads
  * of the 17 cycles behind it come again. Times are ns of 64 bits, compared as they are; sums of them are modulo 2^64.
  */
object Cobalt extends Algorithm {
  val name = "cobalt"
  val summary =
    "COBALT (Cake's CoDel and BLUE): a count that falls as it rose, and drops at random while the buffer overflows"

  val target = Codel.target
  val interval =
    Codel.interval.copy(doc = "time above `target` after which packets go, and below it by which they are forgiven")
  val mtuTime = Parameter(
    "mtu_time",
    "",
    30,
    0,
    "ns",
    0,
    "time of a full packet on the link, four of which are accepted whatever `target` is; 0: the rate is not known"
  )
  val increment = Parameter.probability(
    "increment",
    "Increment",
    BigDecimal(1) / 256,
    "what BLUE's probability rises by when a packet finds no room"
  )
  val decrement = Parameter.probability(
    "decrement",
    "Decrement",
    BigDecimal(1) / 4096,
    "what it falls by when the queue is found empty"
  )
  val ecn = Parameter.ecn
  val parameters = Seq(target, interval, mtuTime, increment, decrement, ecn)
  val rules = Rule.isAtLeast(interval, 1) +: Seq(increment, decrement).map(Rule.isProbability)

  val targetDrop = Reason("Target exceeded drop", isMark = false)
  val targetMark = Reason("Target exceeded mark", isMark = true)
  val blueDrop = Reason("BLUE drop", isMark = false)
  val reasons = Seq(targetDrop, targetMark, blueDrop)

  private[cores] val countBits = 16
  val count =
    Status("count", countBits, 0, "packets", "how far the rate of drops and marks has risen; they go with its root")
  val dropping = Status("dropping", 1, 0, "flag", "1 while the time in the queue stays above `target`")
  val delay = Codel.delay
  val probabilityNow = Status("probability_now", 32, 31, "1", "BLUE's probability of a drop")
  val status = Seq(count, dropping, delay, probabilityNow)

  val needs = Needs(randomWords = 1, tagBits = Widths.random, idle = true, settled = true, head = true)

  def core(): AqmCore = new CobaltCore
}

/** Stages of the head: 0..2 its delay, 3 what it is compared with, 4 decides; 5 the count, 6..10 its root, 11..14 the time that this
  * makes, 15..17 when the next step is due.
  */
class CobaltCore extends AqmCore(Cobalt) {
  import Cobalt._
  val latency = 8
  override val headLatency = 17
  private val n = headNodes
  private val (compareAt, decideAt, countAt, rootAt, stepAt, nextAt) = (3, 4, 5, 6, 11, 15)

  private val accepted = {
    val (wanted, packets) = (io.parameters(target), io.parameters(mtuTime) << 2)
    RegNext(Mux(wanted > packets, wanted, packets))
  }
  applyWhen(Delay(io.apply, 2, init = False))
  Clocks.suffice("CobaltCore's set", 2, new Clocks(Seq(target, mtuTime).map(io.parameters(_))).to(accepted) + 1)

  val NOW, UNTIL, ENTERED = Payload(
    UInt(Widths.timeNs bits)
  ) // an interval after the head, and a step of the count after it
  val DRAW, LOW, SHOWN = Payload(UInt(32 bits))
  val IS_LONG, IS_LATE, IS_OVER, IS_BLUE, MAY_MARK, IS_LAST = Payload(Bool())

  /** As the heads that were decided on have left it, and what came before the next one. */
  val state = new Area {
    val count = Reg(UInt(countBits bits)) init 0 // a clock late
    val isNone = RegInit(True) // the count is 0
    val isOne = RegInit(False)
    val isDropping = RegInit(False)
    val step = Reg(UInt(32 bits)) // interval / sqrt(count), where the count is 2 or more

    // The time that is due was set a clock ago: to an interval or a step of the count after that head, or to the time of the head or of
    // a packet without room. `setNs` is that time unless it is the head's own: what that hangs on is known last.
    val isSetToUntil, isSetToEntered, isSetToNow, isSetToHead = RegInit(False)
    val setNs = Reg(UInt(Widths.timeNs bits))
    val kept = Reg(UInt(Widths.timeNs bits)) init 0
    val dropNext = CombInit(kept)
    when(isSetToUntil || isSetToEntered || isSetToNow)(dropNext := setNs)
    when(isSetToHead)(dropNext := n(countAt)(NOW))
    kept := dropNext
  }

  /** What a packet without room and an empty queue do, in time for the head of the same cycle. */
  val onEvent = new Area {
    private val isIdle = RegInit(False)
    isIdle := io.idle.valid || (isIdle && !io.arrival.valid)
    val isLost = RegNext(io.settled.valid && io.settled.fate === Fate.OVERLIMIT, init = False)
    val isIdleBegun = RegNext(io.idle.valid && !isIdle, init = False)
    val isEmpty = RegNext(io.idle.valid, init = False)

    val probability = Reg(UInt(32 bits)) init 0
    val gate = new FreezeGate(
      io.arrival.nowNs,
      parameter(0, target),
      isLost || (isIdleBegun && probability =/= 0)
    )
    private val by = Mux(isLost, parameter(1, increment), parameter(1, decrement))
    when(gate.isOpen)(probability := MovedProbability(probability, by, isLost))

    /** As the head at `compareAt` finds it. */
    val drawn = Delay(probability, compareAt - 2, init = U(0, 32 bits))

    /** The heads decided on until now came before a packet without room, or an empty queue; the next ones come after it. */
    val overflows = Delay(isLost, decideAt - 2, init = False)
    val empties = Delay(isEmpty, decideAt - 2, init = False)
  }

  val onDelay = new Area {
    private val DELAY = Payload(UInt(Widths.timeNs bits)).setName("DELAY")
    n(0)(NOW) := io.head.nowNs
    n(0)(UNTIL) := io.head.nowNs + parameter(0, interval)
    n(0)(DELAY) := io.head.nowNs - io.head.packet.queuedNs
    n(0)(DRAW) := io.head.packet.tag.asUInt
    n(0)(IS_LAST) := io.head.queuePackets === 0
    n(0)(MAY_MARK) := io.head.packet.isEct && parameter(0, ecn).lsb

    n(1)(ENTERED) := n(1)(NOW) + state.step
    n(1)(IS_LONG) := (n(1)(DELAY) >> 32) =/= 0
    n(1)(LOW) := n(1)(DELAY)(31 downto 0)
    n(1)(IS_LATE) := n(1)(LOW) > inForce(1, accepted, U(target.raw, 32 bits))
    n(2)(IS_OVER) := n(2)(IS_LONG) || n(2)(IS_LATE)
    n(2)(SHOWN) := Mux(n(2)(IS_LONG), U(32 bits, default -> true), n(2)(LOW))
    viewHeadAt(1, "delay", n(1)(DELAY))
  }

  /** A head's time is compared with what is due as the heads up to three clocks before it have left it, with what the one two clocks
    * before it has set, and with all that the one a clock before it may set; chosen is behind the comparisons. No head is before a time
    * that was now for one before it.
    */
  val onTime = new Area {
    private val (at, last) = (n(compareAt), n(decideAt))
    val isEarly = new IsAfter(at, state.kept, at(NOW))
    val isPast = new IsAfter(at, at(NOW), state.kept)
    val isEarlyOfSet = new IsAfter(at, state.setNs, at(NOW))
    val isPastSet = new IsAfter(at, at(NOW), state.setNs)
    val isEarlyOfUntil = new IsAfter(at, last(UNTIL), at(NOW))
    val isPastUntil = new IsAfter(at, at(NOW), last(UNTIL))
    val isEarlyOfEntered = new IsAfter(at, last(ENTERED), at(NOW))
    at(IS_BLUE) := Sampler.isTaken(at(DRAW), onEvent.drawn)
  }

  val onDecide = new Area {
    val IS_HIT, IS_STEP = Payload(Bool())
    private val d = n(decideAt)

    // Heads behind a step of the count come again.
    val isVoid = RegInit(False)
    private val voidLeft = Reg(UInt(log2Up(headLatency) bits))
    val isCounted = d.isValid && !isVoid

    // What the head two clocks before has set.
    private val wasSet = RegNext(state.isSetToUntil || state.isSetToEntered, init = False)
    private val wasSetToNow = RegNext(state.isSetToNow, init = False)
    private val isEarlyThen = !wasSetToNow && Mux(wasSet, onTime.isEarlyOfSet(d), onTime.isEarly(d))
    private val isPastThen = Mux(wasSet, onTime.isPastSet(d), onTime.isPast(d))

    private val isEarly = Mux(
      state.isSetToUntil,
      onTime.isEarlyOfUntil(d),
      Mux(state.isSetToEntered, onTime.isEarlyOfEntered(d), isEarlyThen)
    )
    private val isReached = state.isSetToNow || !isEarly
    private val isLate = Mux(state.isSetToUntil, onTime.isPastUntil(d), isPastThen)

    private val isStep = isCounted && !state.isNone && isReached
    private val isHit = isStep && d(IS_OVER)
    d(IS_HIT) := isHit
    d(IS_STEP) := isStep
    isVoid := isStep || (isVoid && voidLeft =/= 0)
    voidLeft := Mux(isStep, U(headLatency - 1), voidLeft - 1)
    val hitNs = Reg(UInt(Widths.timeNs bits)) // the time of the step, while heads are void
    when(!isVoid)(hitNs := d(NOW))

    private val enters = isCounted && d(IS_OVER) && !state.isDropping
    private val begins = enters && state.isNone // and so is not due
    private val isSoon = begins && isLate && !d(IS_BLUE)
    private val isCalm = isCounted && !d(IS_OVER) && state.isNone
    private val takesUntil = isCalm || (enters && (state.isNone || state.isOne))

    // A packet without room comes behind the head that is decided on, and makes a count of 0 one of 1 as a begin does.
    private val falls = isCounted && !d(IS_OVER)
    private val isNone = (state.isNone && !begins) || (falls && state.isOne && isReached)
    private val isRaised = onEvent.overflows && isNone
    private val isTwo = RegNext(state.count === 2) init False
    state.isNone := isNone && !onEvent.overflows
    state.isOne := (isStep && falls && isTwo) || begins || (state.isOne && !isStep) || isRaised
    val isDropping = Mux(isCounted, d(IS_OVER), state.isDropping)
    state.isDropping := onEvent.overflows || (isDropping && !onEvent.empties)
    state.isSetToEntered := enters && !takesUntil && !onEvent.overflows
    state.isSetToUntil := takesUntil && !isSoon && !onEvent.overflows
    state.isSetToNow := isSoon || onEvent.overflows
    state.isSetToHead := isSoon && !onEvent.overflows
    private val wanted = Mux(state.isNone || state.isOne, d(UNTIL), d(ENTERED))
    state.setNs := Mux(onEvent.overflows, n(compareAt)(NOW), wanted)

    /** As the head has left it, and as the packets without room behind it have. */
    val onCount = new Area {
      private val at = n(countAt)
      private val moved = Mux(at(IS_HIT), (state.count +^ 1).sat(1), state.count - 1)
      val left = Mux(at.isValid && at(IS_STEP), moved, Mux(RegNext(begins) init False, U(1), state.count))
      state.count := Mux(RegNext(isRaised) init False, U(1), left)
    }

    // What the head has left, before what comes behind it.
    val shownCount = RegNext(onCount.left) init 0
    val shownDropping = RegNext(isDropping) init False
    val shownDelay = RegNextWhen(d(SHOWN), isCounted) init 0
  }

  /** When the next step is due. */
  val onStep = new Area {
    val root = new InverseRoot(n.slice(rootAt, stepAt), state.count.resize(32))
    private val PRODUCTS = Payload(WideMultiplier.products(32, InverseRoot.fraction + 1))
    private val WHOLE, STEP = Payload(UInt(32 bits))
    private val NEXT = Payload(UInt(Widths.timeNs bits))
    private val IS_NONE = Payload(Bool())
    n(rootAt)(IS_NONE) := state.count === 0
    n(stepAt)(PRODUCTS) := WideMultiplier.multiply(parameter(stepAt, interval), n(stepAt)(root.ROOT))
    n(stepAt + 2)(WHOLE) := (WideMultiplier.sum(n(stepAt + 2)(PRODUCTS)) >> InverseRoot.fraction).resize(32)
    n(stepAt + 3)(STEP) := n(stepAt + 3)(WHOLE) |>> n(stepAt + 3)(root.HALVINGS)
    private val isStepped = n(nextAt).isValid && n(nextAt)(onDecide.IS_STEP)
    when(isStepped)(state.step := n(nextAt)(STEP))

    // The last step down: an interval from now. A mark that is late counts from now, too.
    n(nextAt)(NEXT) := Mux(n(nextAt)(IS_NONE), onDecide.hitNs, state.kept) + n(nextAt)(STEP)
    private val isLate = new IsAfter(n(nextAt + 1), onDecide.hitNs, n(nextAt + 1)(NEXT))
    private val last = n(nextAt + 2)
    private val isMarked = last(onDecide.IS_HIT) && last(MAY_MARK) && !last(IS_BLUE)
    private val isOwed = RegInit(False) // and no packet without room has set that time since
    when(last.isValid && last(onDecide.IS_STEP)) {
      isOwed := False
      when(isOwed)(state.kept := Mux(isMarked && isLate(last), onDecide.hitNs, last(NEXT)))
    }
    when(n(decideAt)(onDecide.IS_STEP))(isOwed := True)
    when(onEvent.overflows)(isOwed := False)
  }

  showHead(count, onDecide.shownCount, shownAt = countAt + 1)
  showHead(dropping, onDecide.shownDropping.asUInt, shownAt = decideAt + 1)
  showHead(delay, onDecide.shownDelay, shownAt = decideAt + 1)
  showHead(probabilityNow, onEvent.drawn, shownAt = compareAt)
  viewHeadAt(decideAt, "drop_next", state.dropNext)

  val onAnswer = new Area {
    val VERDICT = Payload(Verdict())
    private val at = n(decideAt + 1)
    private val (isHit, isKept) = (at(onDecide.IS_HIT), at(IS_LAST))
    at(VERDICT) := pass
    when(isHit && at(MAY_MARK))(at(VERDICT) := verdict(targetMark))
    when(at(IS_BLUE) && !isKept)(at(VERDICT) := verdict(blueDrop))
    when(isHit && !at(MAY_MARK))(at(VERDICT) := Mux(isKept, pass, verdict(targetDrop)))
    answerHead(n(headLatency)(VERDICT), restart = n(headLatency)(onDecide.IS_STEP))
  }

  val onArrival = new Area {
    val TAG = Payload(UInt(Widths.random bits))
    nodes(0)(TAG) := io.arrival.random(0)
    answer(pass)
    io.verdict.tag := nodes(latency)(TAG).asBits
  }
  buildPipeline()
}
