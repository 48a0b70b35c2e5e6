// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.controllers.delay.{DelayTerms, MissedUpdates, ParallelTerms}
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** What PI2 keeps of a queue. All zeros: a queue that has had no packet. */
case class Pi2State() extends Bundle {
  import Pi2State._
  val base = UInt(baseBits bits) // p', Q1.40
  // What the next update finds, in ns: how long the last packet waited, 0 where nothing was behind it.
  val found = UInt(delayBits bits)
  val old = UInt(delayBits bits) // what the last one found
  val sum = SInt(ParallelTerms.bits bits) // what the next update moves p' by
  val size = UInt(ParallelTerms.sizeBits bits) // what each one after that does, down if `isBelow`
  val isBelow = Bool()
  val ticks = UInt(tickBits bits) // that the last packet knew of
}

object Pi2State {
  val baseBits: Int = DelayTerms.fraction + 1
  val delayBits = 32
  val tickBits = 16
  val bits: Int = baseBits + 2 * delayBits + ParallelTerms.bits + ParallelTerms.sizeBits + 1 + tickBits
}

/** PI2 of any number of queues: the state comes with the head and goes with its verdict. A tick only counts; a queue's next head makes up
  * for all updates since its last one, and is judged by what they lead to. What they find is the wait of the queue's last packet, which is
  * the same until then, so while parameters stay that is what they would have led to at their time. By how much they move p' is worked
  * out behind that packet.
  *
  * Stages of the head: 0 the updates that it missed, to 7 p', which 8 and 9 make the bound; 10 compares, 11 decides. 1 what it waited, to
  * 15 the next updates' terms.
  */
class Pi2OfEachCore(protected val pi2: Pi2Algorithm) extends AqmCore(pi2) with Pi2Verdicts {
  import pi2._
  import Pi2State.{baseBits, delayBits, tickBits}
  val latency = 8
  override def headLatency = 15
  override def tickCycles(kind: Tick) = 1
  private val n = headNodes
  private val (termsAt, testAt) = (2, MissedUpdates.cycles)
  require(termsAt + ParallelTerms.cycles == headLatency && testAt + Pi2Verdicts.cycles <= headLatency)

  applyWhen(RegNext(io.apply, init = False))

  val onTick = new Area {
    val ticks = Reg(UInt(tickBits bits)) init 0
    when(io.tick(update).valid)(ticks := ticks + 1)
  }

  val onDraw = new Draws

  val onState = new Area {
    val BEFORE = Payload(Pi2State())
    val TICKS, MISSED = Payload(UInt(tickBits bits))
    val WAITED = Payload(UInt(Widths.timeNs bits))
    val COUNTS, IS_ALONE, IS_MOVED = Payload(Bool())
    val FOUND, OLD = Payload(UInt(delayBits bits)) // as the state has them afterwards

    private val kept = Pi2State()
    kept.assignFromBits(headState)
    n(0)(COUNTS) := isHeadCounted
    n(0)(BEFORE) := kept
    n(0)(TICKS) := onTick.ticks
    n(0)(MISSED) := onTick.ticks - kept.ticks
    n(0)(WAITED) := io.head.nowNs - io.head.packet.queuedNs
    n(0)(IS_ALONE) := io.head.queueBytes === 0
    takeDraw(n(0))

    private val isLong = (n(1)(WAITED) >> delayBits) =/= 0
    n(1)(FOUND) := (n(1)(WAITED).resize(delayBits) | U(delayBits bits, default -> isLong)).andMask(!n(1)(IS_ALONE))
    n(1)(IS_MOVED) := n(1)(MISSED) =/= 0
    n(1)(OLD) := Mux(n(1)(IS_MOVED), n(1)(BEFORE).found, n(1)(BEFORE).old)
  }
  import onState._

  val onMove = new Area {
    // That an update finds again what the one before it has found.
    val TIMES = Payload(UInt(MissedUpdates.timesBits bits))
    val BASE = Payload(UInt(baseBits bits))
    n(1)(TIMES) := (n(1)(MISSED) - 1).sat(tickBits - MissedUpdates.timesBits)
    private val kept = n(0)(BEFORE)
    private val times = n(MissedUpdates.timesAt)(TIMES)
    private val updates = new MissedUpdates(kept.base, kept.sum, kept.size, kept.isBelow, times, parameter(_, maxBase))
    n(testAt)(BASE) := Mux(n(testAt)(IS_MOVED), updates.after, n(testAt)(BEFORE).base)

    /** As draws see it, Q1.31. */
    def probability(stage: Int): UInt = (n(stage)(BASE) >> (baseBits - probabilityNow.width)).resized
  }

  val onHead = new Test(
    n,
    testAt,
    onMove.probability(testAt),
    isLong = io.head.queueBytes >= parameter(0, minBytes),
    io.head.packet.isEct
  )

  val onAfter = new Area {
    private val gainAt = termsAt + ParallelTerms.gainAt
    private val terms = new ParallelTerms(
      n(termsAt)(FOUND),
      n(termsAt)(OLD),
      parameter(termsAt, target),
      parameter(gainAt, alpha),
      parameter(gainAt, beta)
    )
    private val at = n(headLatency)
    val after = Pi2State()
    after.base := at(onMove.BASE)
    after.found := at(FOUND)
    after.old := at(OLD)
    after.sum := terms.sum
    after.size := terms.size
    after.isBelow := terms.isBelow
    after.ticks := at(TICKS)
    answerHead(at(onHead.VERDICT), after.asBits)
  }

  /** Of the last head that was judged, whatever its queue. */
  val onShow = new Area {
    private val shownAt = testAt + 1
    private val at = n(shownAt)
    private val isJudged = at.isValid && at(COUNTS)
    private def shown(value: UInt): UInt = RegNextWhen(value, isJudged) init 0
    showHead(probabilityNow, shown(onMove.probability(shownAt)), shownAt + 1)
    showHead(delay, shown(at(OLD)), shownAt + 1)
  }
  viewHeadAt(testAt, "base", n(testAt)(onMove.BASE))

  sendDraw()
  buildPipeline()
}
