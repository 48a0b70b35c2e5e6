// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.controllers.BaseProbability
import sluice.contract._
import spinal.core._

/** PI2's hardware: p', Q1.40, moves beside the pipeline. Stage 1 reads it, stages 2 to 4 make the bound and compare, stage 5 has the
  * verdict.
  */
class Pi2Core(protected val pi2: Pi2Algorithm)
    extends DelayControllerCore(
      pi2,
      BaseProbability.cycles,
      headLatency = if (pi2.atHead) 6 else 0
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
