// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.arithmetic.IsBelow
import sluice.blocks.controllers.BaseProbability
import sluice.blocks.probability.MultipleBound
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** PI2's hardware: p', Q1.40, moves beside the pipeline. Stage 1 reads it, stages 2 to 4 make the bound and compare, stage 5 has the
  * verdict.
  */
class Pi2Core(protected val pi2: Pi2Algorithm)
    extends DelayControllerCore(
      pi2,
      BaseProbability.cycles,
      headLatency =
        if (pi2.atHead) 2 + Pi2Verdicts.cycles else 0 // p' is there at stage 1, and the verdict comes from a register
    )
    with Pi2Verdicts {
  import pi2._

  val onMove = new BaseProbability(onTick.terms(halvings = None), parameter(testAt, maxBase), onTick.settles)

  val onDraw = new Draws

  if (atHead) {
    val h = headNodes
    takeDraw(h(0))
    val isLong = io.head.queueBytes >= parameter(0, minBytes)
    val onHead = new Test(h, testAt, onMove.probability, isLong, io.head.packet.isEct)
      .setCompositeName(this, "onHead")
    answerHead(h(headLatency)(onHead.VERDICT), restart = False)
    sendDraw()
    viewHeadAt(testAt, "base", onMove.base)
  } else {
    val isLong = io.arrival.queueBytes >= parameter(0, minBytes)
    val onArrival = new Test(nodes, testAt, onMove.probability, isLong, io.arrival.packet.isEct)
      .setCompositeName(this, "onArrival")
    answer(nodes(latency)(onArrival.VERDICT))
  }

  show(probabilityNow, onMove.probability, shownAt = testAt)
  viewAt(testAt, "base", onMove.base)
  buildPipeline()
}

/** PI2's verdict on a packet by p', wherever that is kept. Both draws of a packet are below a bound if the greater one is, so one draw goes
  * with it.
  */
trait Pi2Verdicts extends AqmCore {
  protected def pi2: Pi2Algorithm

  val DRAW = Payload(UInt(Widths.random bits))
  val IS_COUPLED = Payload(Bool()) // k p' counts, not its square

  /** The verdict on a packet of a pipeline, [[Pi2Verdicts.cycles]] stages after `testAt`.
    *
    * @param n
    *   the pipeline's stages
    * @param testAt
    *   the stage at which p' is there
    * @param probability
    *   of p', Q1.31, there
    * @param isLong
    *   at stage 0
    */
  protected class Test(n: Seq[Node], testAt: Int, probability: UInt, isLong: Bool, isEct: Bool) extends Area {
    val IS_LONG, IS_ECT, IS_BELOW, IS_CERTAIN = Payload(Bool())
    val PROBABILITY = Payload(UInt(pi2.probabilityNow.width bits))
    val FACTOR = Payload(UInt(pi2.coupling.width bits)) // of p': twice k, or 2
    val VERDICT = Payload(Verdict())
    n(0)(IS_LONG) := isLong
    n(0)(IS_ECT) := isEct
    n(testAt)(PROBABILITY) := probability
    n(testAt)(FACTOR) := Mux(n(testAt)(IS_COUPLED), parameter(testAt, pi2.coupling), U(2))
    val multiple = new MultipleBound(n.drop(testAt), PROBABILITY, FACTOR)
    private val compared = n(testAt + 3)
    private val bound = compared(multiple.BOUND)
    compared(IS_BELOW) := IsBelow(compared(DRAW), bound(Widths.random - 1 downto 0))
    compared(IS_CERTAIN) := (bound >> Widths.random) =/= 0

    private val decideAt = testAt + Pi2Verdicts.cycles
    private val d = n(decideAt)
    private val mayMark = d(IS_ECT) && parameter(decideAt, pi2.ecn).lsb
    d(VERDICT) := pass
    when(d(IS_LONG) && (d(IS_BELOW) || d(IS_CERTAIN))) {
      d(VERDICT) := Mux(mayMark, verdict(pi2.unforcedMark), verdict(pi2.unforcedDrop))
    }
  }

  /** An arrival's draw, from stage 1 on. */
  protected class Draws extends Area {
    private val n = nodes
    val IS_FIRST_LESS, MAY_COUPLE = Payload(Bool())
    val WORDS = Payload(Vec.fill(2)(UInt(Widths.random bits)))
    n(0)(WORDS) := io.arrival.random
    n(0)(IS_FIRST_LESS) := IsBelow(io.arrival.random(0), io.arrival.random(1))
    n(0)(MAY_COUPLE) := io.arrival.packet.ecn.lsb
    n(1)(IS_COUPLED) := n(1)(MAY_COUPLE) && parameter(1, pi2.coupling) =/= 0
    n(1)(DRAW) := n(1)(WORDS)((n(1)(IS_FIRST_LESS) && !n(1)(IS_COUPLED)).asUInt)
  }

  /** Where a packet is judged at the head: its draw is its tag until then. */
  protected def sendDraw(): Unit = {
    answer(pass)
    io.verdict.tag := nodes(latency)(IS_COUPLED) ## nodes(latency)(DRAW)
  }
  protected def takeDraw(head: Node): Unit = {
    head(DRAW) := io.head.packet.tag(0, Widths.random bits).asUInt
    head(IS_COUPLED) := io.head.packet.tag.msb
  }
}

object Pi2Verdicts {

  /** Stages from p' to a verdict. */
  val cycles = 4
}
