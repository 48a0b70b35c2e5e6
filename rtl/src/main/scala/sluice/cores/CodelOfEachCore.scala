// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores

import sluice.blocks.arithmetic.IsAfter
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** What CoDel keeps of a queue. All zeros: a queue that has had no packet. */
case class CodelState() extends Bundle {
  val isAbove = Bool() // the delay is above the target, and `firstAbove` counts
  val firstAbove = UInt(Widths.timeNs bits) // from when on it has been so for an interval
  val isDropping = Bool()
  val followsFirst = Bool() // the last head was dropped and began the dropping state: the next one is sent
  val count, lastCount = UInt(CodelState.countBits bits)
  val dropNext = UInt(Widths.timeNs bits)
  val settledDropNext = UInt(
    Widths.timeNs bits
  ) // the same without what a drop moved it by, until the packet behind is above too
}

object CodelState {
  val countBits: Int = Widths.count(1 << 16)
  val bits: Int = 3 * Widths.timeNs + 2 * countBits + 3
}

/** CoDel of any number of queues: the state comes with the head and goes with its verdict, so nothing is judged before it is known
  * what became of the queue's last packet.
  *
  * Stages of the head: 0..2 its delay and whether it is time; 3 decides; 4 the count, 5..9 its root, 10..14 the next time; 15 has
  * the state.
  */
class CodelOfEachCore(codel: CodelAlgorithm) extends CodelHeads(codel) {
  import codel._
  override def headLatency = 15
  private val (decideAt, rootAt) = (3, 5)

  val onState = new Area {
    val BEFORE = Payload(CodelState())
    val LIMIT = Payload(UInt(Widths.timeNs bits)) // until then the last dropping state is near
    val SINCE, MORE = Payload(UInt(CodelState.countBits bits))
    val COUNTS = Payload(Bool())

    private val kept = CodelState()
    kept.assignFromBits(headState)
    n(0)(COUNTS) := isHeadCounted
    n(0)(BEFORE) := kept
    n(0)(LIMIT) := kept.settledDropNext + (parameter(0, interval) << 4)
    n(0)(SINCE) := kept.count - kept.lastCount
    n(0)(MORE) := Mux((kept.count >> log2Up(mostCount)) =/= 0, U(mostCount), kept.count + 1)
  }

  val onTime = new Area {
    val IS_OVER, IS_DUE, IS_SOON = Payload(Bool())
    private val state = n(1)(onState.BEFORE)
    private val isOver = new IsAfter(n(1), n(1)(NOW), state.firstAbove)
    private val isEarly = new IsAfter(n(1), state.dropNext, n(1)(NOW))
    private val isSoon = new IsAfter(n(1), n(1)(onState.LIMIT), n(1)(NOW))
    n(2)(IS_OVER) := isOver(n(2))
    n(2)(IS_DUE) := !isEarly(n(2))
    n(2)(IS_SOON) := isSoon(n(2)) && n(2)(onState.SINCE) > 1
  }

  val onDecide = new Area {
    val IS_HIT, IS_FIRST, MAY_DROP = Payload(Bool())
    private val d = n(decideAt)
    private val state = d(onState.BEFORE)
    d(IS_FIRST) := !state.isDropping
    d(MAY_DROP) := d(onDelay.IS_ABOVE) && state.isAbove && d(onTime.IS_OVER)
    d(IS_HIT) := d(MAY_DROP) && !state.followsFirst && (!state.isDropping || d(onTime.IS_DUE))
  }

  val onCount = new Area {
    val COUNT = Payload(UInt(CodelState.countBits bits))
    private val at = n(decideAt + 1)
    at(COUNT) := at(onState.MORE)
    when(at(onDecide.IS_FIRST))(at(COUNT) := Mux(at(onTime.IS_SOON), at(onState.SINCE), U(1)))
  }

  val onStep = new LawStep(rootAt, n(rootAt)(onCount.COUNT).resize(32)) {
    val NEXT = Payload(UInt(Widths.timeNs bits))
    private val last = n(stepAt + 4)
    private val begin = Mux(last(onDecide.IS_FIRST), last(NOW), last(onState.BEFORE).dropNext)
    last(NEXT) := begin + last(STEP)
  }

  val onAfter = new Area {
    val at = n(headLatency)
    val after = CombInit(at(onState.BEFORE))
    private val isHit = at(onDecide.IS_HIT)
    private val isFirst = !at(onState.BEFORE).isDropping
    after.isAbove.allowOverride() := at(onDelay.IS_ABOVE)
    when(!at(onState.BEFORE).isAbove)(after.firstAbove := at(UNTIL))
    after.isDropping.allowOverride() := at(onDecide.MAY_DROP) || at(onState.BEFORE).followsFirst
    after.followsFirst.allowOverride() := isHit && isFirst && !at(onDelay.MAY_MARK)
    when(!isFirst && at(onDecide.MAY_DROP))(after.settledDropNext := at(onState.BEFORE).dropNext)
    when(isHit) {
      after.count := at(onCount.COUNT)
      when(isFirst)(after.lastCount := at(onCount.COUNT))
      after.dropNext := at(onStep.NEXT)
      when(isFirst || at(onDelay.MAY_MARK))(after.settledDropNext := at(onStep.NEXT))
    }
  }

  /** Of the last head that was judged, whatever its queue. */
  val onShow = new Area {
    private val at = n(decideAt + 1)
    private val isJudged = at.isValid && at(onState.COUNTS)
    private def shown(value: UInt): UInt = RegNextWhen(value, isJudged) init 0
    private val counted = Mux(at(onDecide.IS_HIT), at(onCount.COUNT), at(onState.BEFORE).count)
    private val drops = at(onDecide.MAY_DROP) || at(onState.BEFORE).followsFirst
    showHead(count, shown(counted.resize(32)), shownAt = decideAt + 2)
    showHead(dropping, shown(drops.asUInt), shownAt = decideAt + 2)
    showHead(delay, shown(at(onDelay.SHOWN)), shownAt = decideAt + 2)
  }

  viewHeadAt(1, "delay", n(1)(onDelay.DELAY))
  viewHeadAt(decideAt, "first_above", n(decideAt)(onState.BEFORE).firstAbove)
  viewHeadAt(decideAt, "drop_next", n(decideAt)(onState.BEFORE).dropNext)

  val onAnswer = new Area {
    val VERDICT = Payload(Verdict())
    val at = n(decideAt + 1)
    judge(at, VERDICT, onDecide.IS_HIT)
    answerHead(n(headLatency)(VERDICT), onAfter.after.asBits)
  }

  answer(pass)
  buildPipeline()
}
