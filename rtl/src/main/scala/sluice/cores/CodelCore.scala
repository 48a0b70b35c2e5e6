// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores

import sluice.blocks.arithmetic.{InverseRoot, IsAfter, Multiplier, WideMultiplier}
import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** Controlled Delay: K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, RFC 8289 (2018), with Linux's choices: a drop only after,
  * not at, the end of the interval, ECN, and a threshold of its own for marks.
  *
  * Every packet is queued and judged at the head, 16 cycles, one per clock; after a drop or a mark of the law the heads of the 16
  * cycles behind it come again. Times are ns of 64 bits, compared as they are; sums of them are modulo 2^64.
  */
object Codel extends Algorithm {
  val name = "codel"
  val summary = "Controlled Delay (RFC 8289), drops or marks at the head, CE threshold"

  val target = Parameter(
    "target",
    "Target",
    32,
    0,
    "ns",
    5000000,
    "time in the queue that is accepted for good"
  )
  val interval = Parameter(
    "interval",
    "Interval",
    32,
    0,
    "ns",
    100000000,
    "time above `target` after which packets go: a long round-trip time"
  )
  val minBytes = Parameter(
    "min_bytes",
    "MinBytes",
    16,
    0,
    "bytes",
    1500,
    "as much behind a packet, or less, is no queue: a full packet"
  )
  val ecn = Parameter.ecn
  private[cores] val noThreshold = (BigInt(1) << 32) - 1
  val ceThreshold = Parameter(
    "ce_threshold",
    "CeThreshold",
    32,
    0,
    "ns",
    BigDecimal(noThreshold),
    s"time in the queue above which every ECN-capable packet is marked; $noThreshold: none"
  )
  val markMost = Parameter(
    "mark_most",
    "",
    8,
    0,
    "1",
    32,
    "with `ecn`: mark up to a delay of so many times `target`, 4.3 s at most, and drop beyond it; 255: always mark"
  )
  private[cores] val alwaysMarks = 255
  val parameters = Seq(target, interval, minBytes, ecn, ceThreshold, markMost)
  val rules = Seq(Rule.isAtLeast(interval, 1))

  object Reasons {
    val drop = Reason("Target exceeded drop", isMark = false)
    val mark = Reason("Target exceeded mark", isMark = true)
    val ceMark = Reason("CE threshold exceeded mark", isMark = true)
  }
  val reasons = Seq(Reasons.drop, Reasons.mark, Reasons.ceMark)

  private[cores] val mostCount = 1 << 16
  private[cores] val firstMost = target.raw * markMost.raw
  private[cores] val firstHasMost = markMost.raw != alwaysMarks

  val count = Status("count", 32, 0, "packets", "drops and marks since the rate began anew; they go with its root")
  val dropping = Status("dropping", 1, 0, "flag", "1 while the time in the queue stays above `target`")
  val delay = Status("delay", 32, 0, "ns", "time in the queue of the last packet at the head, 4.3 s at most")
  val status = Seq(count, dropping, delay)

  val needs = Needs(idle = true, head = true)

  def core(): AqmCore = new CodelCore
}

/** Stages of the head: 0..2 its delay and whether it is time; 3 decides; 4..6 the count, 7..11 its root, 12..16 the next time. */
class CodelCore extends AqmCore(Codel) {
  import Codel._
  val latency = 8
  override val headLatency = 16
  private val n = headNodes
  private val (decideAt, rootAt, stepAt) = (3, 7, 12)

  /** What a packet that is marked may have waited. */
  val onParameters = new Area {
    private val products = RegNext(WideMultiplier.multiplyApart(io.parameters(target), io.parameters(markMost)))
    private val product = RegNext(WideMultiplier.sum(products).resize(32 + markMost.width))
    val most = RegNext(product.sat(markMost.width))
    val hasMost = RegNext(io.parameters(markMost) =/= alwaysMarks)
  }
  private val derivedAt = Multiplier.latency + 4
  applyWhen(Delay(io.apply, derivedAt, init = False))
  Clocks.suffice(
    "CodelCore.derivedAt",
    derivedAt,
    new Clocks(Seq(target, markMost).map(io.parameters(_))).to(onParameters.most)
  )

  val state = new Area {
    val isAbove = RegInit(False) // the delay is above the target, and `firstAbove` counts
    val firstAbove = Reg(UInt(Widths.timeNs bits)) // from when on it has been so for an interval
    val isDropping = RegInit(False)
    val followsFirst = RegInit(False) // the last head was dropped and began the dropping state: the next one is sent
    val count, lastCount = Reg(UInt(32 bits)) init 0
    val dropNext = Reg(UInt(Widths.timeNs bits))
    // The same, but what a drop moves it by counts only when the packet behind is above too: where the dropping state ends
    // right there, the pause before the next one is measured from here. It matters once the count has grown.
    val settledDropNext = Reg(UInt(Widths.timeNs bits))

    // What the next drop makes of the count; it has the clocks of a restart for that.
    val countMore = Reg(UInt(32 bits))
    countMore := count + 1
    // Beyond this no count comes by itself: an upset of a high bit would else drop whatever comes for as long as it is counted back.
    when((count >> log2Up(mostCount)) =/= 0)(countMore := mostCount)
    val countSince = RegNext(count - lastCount)
    val isSeveral = RegNext(countSince > 1)
  }

  val NOW, UNTIL = Payload(UInt(Widths.timeNs bits)) // UNTIL: when an interval that begins with this head ends
  val onDelay = new Area {
    val DELAY = Payload(UInt(Widths.timeNs bits))
    val BYTES = Payload(UInt(Widths.maxBytes bits))
    val IS_ECT, IS_LONG, IS_LATE, IS_PAST, IS_DEEP, IS_FAR, HAS_THRESHOLD = Payload(Bool())
    val IS_ABOVE, MAY_MARK, CE_MARKS = Payload(Bool())
    val LOW, SHOWN = Payload(UInt(32 bits))

    n(0)(NOW) := io.head.nowNs
    n(0)(UNTIL) := io.head.nowNs + parameter(0, interval)
    n(0)(DELAY) := io.head.nowNs - io.head.packet.queuedNs
    n(0)(BYTES) := io.head.queueBytes
    n(0)(IS_ECT) := io.head.packet.isEct

    n(1)(IS_LONG) := (n(1)(DELAY) >> 32) =/= 0
    n(1)(LOW) := n(1)(DELAY)(31 downto 0)
    n(1)(IS_LATE) := n(1)(LOW) >= parameter(1, target)
    n(1)(IS_PAST) := n(1)(LOW) > parameter(1, ceThreshold)
    n(1)(IS_FAR) := n(1)(LOW) > inForce(1, onParameters.most, U(firstMost, 32 bits))
    n(1)(IS_DEEP) := n(1)(BYTES) > parameter(1, minBytes)
    n(1)(HAS_THRESHOLD) := inForce(1, io.parameters(ceThreshold) =/= noThreshold, False)

    n(2)(IS_ABOVE) := (n(2)(IS_LONG) || n(2)(IS_LATE)) && n(2)(IS_DEEP)
    private val isBeyond = (n(2)(IS_LONG) || n(2)(IS_FAR)) && inForce(2, onParameters.hasMost, Bool(firstHasMost))
    n(2)(MAY_MARK) := parameter(2, ecn).lsb && n(2)(IS_ECT) && !isBeyond
    n(2)(CE_MARKS) := n(2)(HAS_THRESHOLD) && (n(2)(IS_LONG) || n(2)(IS_PAST)) && n(2)(IS_ECT)
    n(2)(SHOWN) := Mux(n(2)(IS_LONG), U(noThreshold, 32 bits), n(2)(LOW))
  }

  // Each head's time is compared with those of the state before the head is decided on. What it is then compared with may
  // have been set by the head one clock before it, and by no other: that pair is compared as well.
  val onTime = new Area {
    val IS_OVER_OF_PAIR, IS_DUE = Payload(Bool())
    val isOverOfPair = new IsAfter(n(1), n(1)(NOW), RegNext(n(1)(UNTIL)))
    val isEarly = new IsAfter(n(1), state.dropNext, n(1)(NOW))
    n(2)(IS_OVER_OF_PAIR) := isOverOfPair(n(2))
    n(2)(IS_DUE) := !isEarly(n(2))
    val isOver = new IsAfter(n(decideAt - 1), n(decideAt - 1)(NOW), state.firstAbove)
  }

  val onDecide = new Area {
    val IS_HIT, IS_FIRST = Payload(Bool())
    val d = n(decideAt)

    // Heads behind a hit come again.
    val isVoid = RegInit(False)
    val voidLeft = Reg(UInt(log2Up(headLatency) bits))
    val isCounted = d.isValid && !isVoid
    val hitNs = Reg(UInt(Widths.timeNs bits)) // the time of the hit, while heads are void
    when(!isVoid)(hitNs := d(NOW))

    val isSetByLast = RegNext(!state.isAbove)
    val isOver = Mux(isSetByLast, d(onTime.IS_OVER_OF_PAIR), onTime.isOver(d))
    val mayDrop = d(onDelay.IS_ABOVE) && state.isAbove && isOver
    val isHit = isCounted && mayDrop && !state.followsFirst && (!state.isDropping || d(onTime.IS_DUE))
    d(IS_HIT) := isHit
    d(IS_FIRST) := !state.isDropping

    isVoid := isHit || (isVoid && voidLeft =/= 0)
    voidLeft := Mux(isHit, U(headLatency - 1), voidLeft - 1)

    when(isCounted) {
      state.isAbove := d(onDelay.IS_ABOVE)
      state.isDropping := mayDrop || state.followsFirst
      state.followsFirst := isHit && !state.isDropping && !d(onDelay.MAY_MARK)
    }
    when(!state.isAbove)(state.firstAbove := d(UNTIL))
    when(io.idle.valid) {
      state.isAbove := False
      state.isDropping := False
      state.followsFirst := False
    }

    when(RegNext(isCounted && mayDrop && state.isDropping, init = False))(state.settledDropNext := state.dropNext)
    val shown = RegNextWhen(d(onDelay.SHOWN), isCounted) init 0
  }

  val onCount = new Area {
    val LIMIT = Payload(UInt(Widths.timeNs bits))
    val COUNT = Payload(UInt(32 bits))
    val (a, b, c) = (n(decideAt + 1), n(decideAt + 2), n(decideAt + 3))
    a(LIMIT) := state.settledDropNext + (parameter(decideAt + 1, interval) << 4)
    val isSoon =
      new IsAfter(b, b(LIMIT), onDecide.hitNs) // whether the last dropping state ended less than 16 intervals ago
    c(COUNT) := state.countMore
    when(c(onDecide.IS_FIRST))(c(COUNT) := Mux(isSoon(c) && state.isSeveral, state.countSince, U(1)))
    when(c.isValid && c(onDecide.IS_HIT)) {
      state.count := c(COUNT)
      when(c(onDecide.IS_FIRST))(state.lastCount := c(COUNT))
    }
  }

  val onStep = new Area {
    val root = new InverseRoot(n.slice(rootAt, stepAt), n(rootAt)(onCount.COUNT))
    val PRODUCTS = Payload(WideMultiplier.products(32, 18))
    val WHOLE, STEP = Payload(UInt(32 bits))
    val at = n(stepAt)
    at(PRODUCTS) := WideMultiplier.multiply(parameter(stepAt, interval), at(root.ROOT))
    n(stepAt + 2)(WHOLE) := (WideMultiplier.sum(n(stepAt + 2)(PRODUCTS)) >> InverseRoot.fraction).resize(32)
    n(stepAt + 3)(STEP) := n(stepAt + 3)(WHOLE) |>> n(stepAt + 3)(root.HALVINGS)

    val last = n(stepAt + 4)
    val isLast = last.isValid && last(onDecide.IS_HIT)
    val next = Mux(last(onDecide.IS_FIRST), onDecide.hitNs, state.dropNext) + last(STEP)
    when(isLast)(state.dropNext := next)
    when(isLast && last(onDelay.MAY_MARK))(state.settledDropNext := next)
  }

  showHead(count, state.count, shownAt = decideAt + 4)
  showHead(dropping, state.isDropping.asUInt, shownAt = decideAt + 1)
  showHead(delay, onDecide.shown, shownAt = decideAt + 1)

  viewHeadAt(1, "delay", n(1)(onDelay.DELAY))
  viewHeadAt(decideAt, "first_above", state.firstAbove)
  viewHeadAt(decideAt, "drop_next", state.dropNext)

  val onAnswer = new Area {
    val VERDICT = Payload(Verdict())
    val at = n(decideAt + 1)
    at(VERDICT) := Mux(at(onDelay.CE_MARKS), verdict(Reasons.ceMark), pass)
    when(at(onDecide.IS_HIT)) {
      at(VERDICT) := Mux(at(onDelay.MAY_MARK), verdict(Reasons.mark), verdict(Reasons.drop))
    }
    answerHead(n(headLatency)(VERDICT), restart = n(headLatency)(onDecide.IS_HIT))
  }

  answer(pass)
  buildPipeline()
}
