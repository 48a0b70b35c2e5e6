// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.arithmetic.IsBelow
import sluice.blocks.controllers.BaseProbability
import sluice.blocks.probability.MultipleBound
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** PI2's hardware: p', Q1.40, moves beside the pipeline. Both draws of a packet are below a bound if the greater one is, so one draw goes
  * with it, found at stage 0; stage 1 reads p', stages 2 to 4 make the bound and compare, stage 5 has the verdict. What is judged at the
  * head brings its draw along as its tag.
  */
class Pi2Core(pi2: Pi2Algorithm)
    extends DelayControllerCore(
      pi2,
      BaseProbability.cycles,
      headLatency = if (pi2.atHead) Pi2Core.decideAt + 1 else 0
    ) {
  import pi2._
  import Pi2Core.decideAt

  val onMove = new BaseProbability(onTick.terms(halvings = None), parameter(testAt, maxBase), onTick.settles)

  val DRAW = Payload(UInt(Widths.random bits))
  val IS_COUPLED = Payload(Bool()) // k p' counts, not its square

  /** The verdict on a packet of a pipeline, from stage 1 on. */
  private class Test(n: Seq[Node], isLong: Bool, isEct: Bool) extends Area {
    val IS_LONG, IS_ECT, IS_BELOW, IS_CERTAIN = Payload(Bool())
    val PROBABILITY = Payload(UInt(probabilityNow.width bits))
    val FACTOR = Payload(UInt(coupling.width bits)) // of p': twice k, or 2
    val VERDICT = Payload(Verdict())
    n(0)(IS_LONG) := isLong
    n(0)(IS_ECT) := isEct
    n(testAt)(PROBABILITY) := onMove.probability
    n(testAt)(FACTOR) := Mux(n(testAt)(IS_COUPLED), parameter(testAt, coupling), U(2))
    val multiple = new MultipleBound(n.drop(testAt), PROBABILITY, FACTOR)
    private val bound = n(4)(multiple.BOUND)
    n(4)(IS_BELOW) := IsBelow(n(4)(DRAW), bound(Widths.random - 1 downto 0))
    n(4)(IS_CERTAIN) := (bound >> Widths.random) =/= 0

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
    viewHeadAt(testAt, "base", onMove.base)
  } else {
    val onArrival = new Test(nodes, io.arrival.queueBytes >= parameter(0, minBytes), io.arrival.packet.isEct)
      .setCompositeName(this, "onArrival")
    answer(nodes(latency)(onArrival.VERDICT))
  }

  show(probabilityNow, onMove.probability, shownAt = testAt)
  viewAt(testAt, "base", onMove.base)
  buildPipeline()
}

object Pi2Core {
  private val decideAt = 5
}
