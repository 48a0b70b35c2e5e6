// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores

import sluice.blocks.arithmetic.IsAfter
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** CoDel of one queue: after a drop or a mark of the law the heads of the 16 cycles behind it come again.
  *
  * Stages of the head: 0..2 its delay and whether it is time; 3 decides; 4..6 the count, 7..11 its root, 12..16 the next time.
  */
class CodelCore(codel: CodelAlgorithm) extends CodelHeads(codel) {
  import codel._
  override def headLatency = 16
  private val (decideAt, rootAt) = (3, 7)

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

  val onStep = new LawStep(rootAt, n(rootAt)(onCount.COUNT)) {
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
    judge(at, VERDICT, onDecide.IS_HIT)
    answerHead(n(headLatency)(VERDICT), restart = n(headLatency)(onDecide.IS_HIT))
  }

  answer(pass)
  buildPipeline()
}
