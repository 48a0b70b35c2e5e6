// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.arithmetic.IsBelow
import sluice.blocks.controllers.{BacklogDelay, DelayTerms, WaitDelay}
import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** PI2's hardware: p', Q1.40, moves beside the pipeline. Both draws of a packet are below a bound if the greater one is, so one draw goes
  * with it, found at stage 0; stage 1 reads p', stages 2 to 4 make the bound and compare, stage 5 has the verdict. What is judged at the
  * head brings its draw along as its tag.
  */
class Pi2Core(pi2: Pi2Algorithm) extends AqmCore(pi2) {
  import pi2._
  private val testAt = 1
  private val decideAt = 5
  val latency = if (atHead) 8 else 7
  override val headLatency: Int = if (atHead) decideAt + 1 else 0
  private val delayCycles = if (atHead) WaitDelay.cycles else BacklogDelay.cycles
  override def tickCycles(kind: Tick): Int = delayCycles + DelayTerms.cycles + 2

  applyWhen(RegNext(io.apply, init = False))

  val onTick = new Area {
    private val tick = RegNext(io.tick(update).valid, init = False)
    val settles = sinceTick(update).is(tickCycles(update) + testAt - 1)
    val delay =
      if (atHead) new WaitDelay(io, tick).delay else new BacklogDelay(io, tick, parameter(testAt, rate)).delay
    val old = RegNextWhen(delay, settles) init 0

    private val begin = Delay(tick, delayCycles - 1, init = False)
    private val terms =
      new DelayTerms(begin, delay, old, parameter(testAt, target), parameter(testAt, alpha), parameter(testAt, beta))
    val base = Reg(UInt(DelayTerms.fraction + 1 bits)) init 0
    private val most = parameter(testAt, maxBase) << (DelayTerms.fraction - maxBase.fraction)
    private val moved = RegNext(base.intoSInt +^ terms.sum)
    private val isOver = RegNext(moved > most.intoSInt)
    private val isUnder = RegNext(moved.msb)
    when(settles)(base := Mux(isUnder, U(0), Mux(isOver, most, RegNext(moved).asUInt.resize(base.getWidth))))
    def probability: UInt = (base >> (DelayTerms.fraction - probabilityNow.fraction)).resized
  }

  val DRAW = Payload(UInt(Widths.random bits))
  val IS_COUPLED = Payload(Bool()) // k p' counts, not its square

  /** The verdict on a packet of a pipeline, from stage 1 on. */
  private class Test(n: Seq[Node], isLong: Bool, isEct: Bool) extends Area {
    val IS_LONG, IS_ECT, IS_BELOW, IS_CERTAIN = Payload(Bool())
    val PROBABILITY = Payload(UInt(probabilityNow.width bits))
    val FACTOR = Payload(UInt(coupling.width bits)) // of p': twice k, or 2
    val LOW, HIGH = Payload(UInt(probabilityNow.width + 2 bits)) // p' times two of its bits
    val BOUND = Payload(UInt(probabilityNow.width + coupling.width bits)) // Q4.32
    val VERDICT = Payload(Verdict())
    n(0)(IS_LONG) := isLong
    n(0)(IS_ECT) := isEct
    n(testAt)(PROBABILITY) := onTick.probability
    n(testAt)(FACTOR) := Mux(n(testAt)(IS_COUPLED), parameter(testAt, coupling), U(2))
    for ((product, bit) <- Seq(LOW -> 0, HIGH -> 2)) {
      def by(bit: Int) = Mux(n(2)(FACTOR)(bit), n(2)(PROBABILITY), U(0))
      n(2)(product) := (by(bit) +^ (by(bit + 1) << 1)).resized
    }
    n(3)(BOUND) := n(3)(LOW).resize(probabilityNow.width + coupling.width) + (n(3)(HIGH) << 2)
    n(4)(IS_BELOW) := IsBelow(n(4)(DRAW), n(4)(BOUND)(Widths.random - 1 downto 0))
    n(4)(IS_CERTAIN) := (n(4)(BOUND) >> Widths.random) =/= 0

    private val d = n(decideAt)
    private val mayMark = d(IS_ECT) && parameter(decideAt, ecn).lsb
    d(VERDICT) := pass
    when(d(IS_LONG) && (d(IS_BELOW) || d(IS_CERTAIN))) {
      d(VERDICT) := Mux(mayMark, verdict(unforcedMark), verdict(unforcedDrop))
    }
  }

  val onDraw = new Area {
    private val n = nodes
    val IS_FIRST_LESS, MAY_COUPLE = Payload(Bool())
    val WORDS = Payload(Vec.fill(2)(UInt(Widths.random bits)))
    n(0)(WORDS) := io.arrival.random
    n(0)(IS_FIRST_LESS) := IsBelow(io.arrival.random(0), io.arrival.random(1))
    n(0)(MAY_COUPLE) := io.arrival.packet.ecn.lsb
    n(1)(IS_COUPLED) := n(1)(MAY_COUPLE) && parameter(1, coupling) =/= 0
    n(1)(DRAW) := n(1)(WORDS)((n(1)(IS_FIRST_LESS) && !n(1)(IS_COUPLED)).asUInt)
  }

  if (atHead) {
    val h = headNodes
    h(0)(DRAW) := io.head.packet.tag(0, Widths.random bits).asUInt
    h(0)(IS_COUPLED) := io.head.packet.tag.msb
    val onHead = new Test(h, io.head.queueBytes >= parameter(0, minBytes), io.head.packet.isEct)
      .setCompositeName(this, "onHead")
    answerHead(h(headLatency)(onHead.VERDICT), restart = False)
    answer(pass)
    io.verdict.tag := nodes(latency)(IS_COUPLED) ## nodes(latency)(DRAW)
    viewHeadAt(testAt, "base", onTick.base)
  } else {
    val onArrival = new Test(nodes, io.arrival.queueBytes >= parameter(0, minBytes), io.arrival.packet.isEct)
      .setCompositeName(this, "onArrival")
    answer(nodes(latency)(onArrival.VERDICT))
  }

  show(probabilityNow, onTick.probability, shownAt = testAt)
  show(delay, onTick.old, shownAt = testAt)
  viewAt(testAt, "base", onTick.base)
  buildPipeline()
}
