// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.arithmetic.IsBelow
import sluice.blocks.controllers.PieProbability
import sluice.contract._
import sluice.blocks.controllers.delay.DelayTerms
import sluice.blocks.probability.spacing.PieSpacing
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** PIE's hardware. Stage 1 reads the probability and whether packets are spared, stage 2 compares the draw, stage 4 decides, by what the
  * packets before it have left. Heads pass.
  */
class PieCore(pie: PieAlgorithm)
    extends DelayControllerCore(pie, PieProbability.cycles, headLatency = if (pie.needs.head) 3 else 0) {
  import pie._
  private val decideAt = 4
  private val n = nodes

  val onUpdate = new PieProbability(
    onTick.settles,
    halvings => onTick.terms(Some(halvings)),
    onTick.now,
    onTick.old,
    parameter(testAt, target),
    parameter(testAt, tupdate),
    parameter(testAt, maxBurst),
    parameter(testAt, maxStep),
    parameter(testAt, lateDelay),
    parameter(testAt, decayEmpty).lsb
  )
  private val probability: UInt =
    (onUpdate.probability >> (DelayTerms.fraction - probabilityNow.fraction)).resize(probabilityNow.width)

  val onArrival = new Area {
    val IS_LONG, IS_ECT, IS_COUNTED, IS_HIT, MAY_MARK, IS_TAKEN = Payload(Bool())
    val DRAW = Payload(UInt(Widths.random bits))
    val PROBABILITY = Payload(UInt(probabilityNow.width bits))
    n(0)(DRAW) := io.arrival.random(0)
    n(0)(IS_LONG) := io.arrival.queueBytes >= parameter(0, minBytes)
    n(0)(IS_ECT) := io.arrival.packet.isEct

    n(testAt)(PROBABILITY) := probability
    n(testAt)(IS_COUNTED) := n(testAt)(IS_LONG) && !onUpdate.isSpared

    n(2)(IS_HIT) := IsBelow(n(2)(DRAW).resize(Widths.random + 1), n(2)(PROBABILITY) << 1)
    n(2)(MAY_MARK) := n(2)(IS_ECT) && parameter(2, ecn).lsb && n(2)(PROBABILITY) <= parameter(2, markMost)

    private val isOver = io.settled.valid && io.settled.fate === Fate.OVERLIMIT
    val spacing = new PieSpacing(
      before = n(decideAt - 1),
      at = n(decideAt),
      PROBABILITY,
      IS_COUNTED,
      IS_HIT,
      isOn = parameter(decideAt, derandomise).lsb,
      restarts = Delay(isOver, decideAt, init = False)
    )
    spacing.prepare(n(2))
    n(decideAt)(IS_TAKEN) := spacing.isTaken
    private val ifTaken = Mux(n(latency)(MAY_MARK), verdict(unforcedMark), verdict(unforcedDrop))
    answer(Mux(n(latency)(IS_TAKEN), ifTaken, pass))
  }
  if (needs.head) answerHead(pass, restart = False)

  show(probabilityNow, probability, shownAt = testAt)
  show(burst, onUpdate.burst, shownAt = testAt)
  viewAt(testAt, "p", onUpdate.probability)
  viewAt(decideAt, "sum", onArrival.spacing.sum)
  buildPipeline()
}
