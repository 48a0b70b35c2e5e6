// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.arithmetic.IsBelow
import sluice.blocks.controllers.BaseProbability
import sluice.blocks.probability.MultipleBound
import sluice.contract._
import sluice.blocks.controllers.delay.QueueWaits
import spinal.core._
import spinal.lib.misc.pipeline._

/** DualPI2's hardware: p' moves beside the pipeline, as PI2's. Stage 1 reads p', stage 2 L's delay; stages 2 and 3 make k p', stages 3 and
  * 4 what L's delay says; draws are compared with both, and the greater draw with p', at stages 4 and 5; stage 6 has the verdict.
  */
class DualPi2Core(dualPi2: DualPi2.type) extends DelayControllerCore(dualPi2, BaseProbability.cycles, headLatency = 0) {
  import dualPi2._
  private val n = nodes
  private val (boundAt, nativeAt, decideAt) = (testAt + 2, QueueWaits.readAt + 2, 6)

  val onMove = new BaseProbability(onTick.terms(halvings = None), parameter(testAt, maxBase), onTick.settles)

  val onArrival = new Area {
    val FIRST, GREATER = Payload(UInt(Widths.random bits))
    val WORDS = Payload(Vec.fill(2)(UInt(Widths.random bits)))
    val IS_FIRST_LESS, IS_SCALABLE, IS_ECT, IS_LONG, IS_DEEP, HAS_NATIVE = Payload(Bool())
    val TAG = Payload(UInt(QueueWaits.tagBits bits))
    n(0)(WORDS) := io.arrival.random
    n(0)(IS_FIRST_LESS) := IsBelow(io.arrival.random(0), io.arrival.random(1))
    n(0)(IS_SCALABLE) := isScalable(io.arrival.packet)
    n(0)(IS_ECT) := io.arrival.packet.isEct
    n(0)(IS_LONG) := io.arrival.queueBytes >= parameter(0, minBytes)
    n(0)(IS_DEEP) := IsBelow(parameter(0, stepPackets), io.arrival.queuePackets)
    n(0)(HAS_NATIVE) := io.arrival.queuePackets >= parameter(0, minQlenStep)
    n(0)(TAG) := io.arrival.nowNs.resized
    n(1)(FIRST) := n(1)(WORDS)(0)
    n(1)(GREATER) := n(1)(WORDS)(n(1)(IS_FIRST_LESS).asUInt)
  }
  import onArrival._

  /** What p' says: k p' for L, its square for C, and for both where k p' is above 1. */
  val onCouple = new Area {
    val PROBABILITY = Payload(UInt(probabilityNow.width bits))
    val FACTOR = Payload(UInt(coupling.width bits)) // twice k
    val IS_SQUARED, IS_BELOW, IS_CERTAIN, IS_OVERLOAD = Payload(Bool())
    n(testAt)(PROBABILITY) := onMove.probability
    n(testAt)(FACTOR) := parameter(testAt, coupling)
    private val bound = new MultipleBound(n.drop(testAt), PROBABILITY, FACTOR)
    private val m = n(boundAt + 1)
    private val (above, below) = (m(bound.BOUND) >> Widths.random, m(bound.BOUND)(Widths.random - 1 downto 0))
    m(IS_SQUARED) := IsBelow(m(GREATER).resize(Widths.random + 1), m(PROBABILITY) << 1)
    m(IS_BELOW) := IsBelow(m(FIRST), below)
    m(IS_CERTAIN) := above =/= 0
    m(IS_OVERLOAD) := above > 1 || (above === 1 && below =/= 0)
  }

  /** What L's own delay says. */
  val onNative = new Area {
    val WAITED = Payload(UInt(32 bits))
    val BEYOND = Payload(UInt(32 bits)) // ns above the threshold
    val NATIVE = Payload(UInt(64 bits)) // Q32.32
    val IS_NATIVE = Payload(Bool())
    private val read = n(QueueWaits.readAt + 1)
    n(QueueWaits.readAt)(WAITED) := onTick.waits.ofQueues(l)
    private val over = read(WAITED) -^ parameter(QueueWaits.readAt + 1, stepThresh)
    read(BEYOND) := over.resize(32).andMask(!over.msb)
    private val ramp = n(nativeAt)
    ramp(NATIVE) := (ramp(BEYOND) ## U(0, 32 bits)).asUInt |>> parameter(nativeAt, rampBits)
    private val test = n(nativeAt + 1)
    test(IS_NATIVE) := (IsBelow(test(FIRST), test(NATIVE)(31 downto 0)) || (test(NATIVE) >> 32) =/= 0) && test(
      HAS_NATIVE
    )
  }

  val onDecide = new Area {
    val VERDICT = Payload(Verdict())
    private val d = n(decideAt)
    import onCouple._
    d(VERDICT) := pass
    when(d(IS_SCALABLE)) {
      when(d(IS_OVERLOAD) && d(IS_SQUARED)) {
        d(VERDICT) := verdict(overloadDrop)
      } elsewhen (d(IS_BELOW) || d(IS_CERTAIN)) {
        d(VERDICT) := verdict(coupledMark)
      } elsewhen (d(onNative.IS_NATIVE) || d(IS_DEEP)) {
        d(VERDICT) := verdict(stepMark)
      }
    } elsewhen (d(IS_SQUARED) && d(IS_LONG)) {
      d(VERDICT) := Mux(
        d(IS_OVERLOAD),
        verdict(overloadDrop),
        Mux(d(IS_ECT), verdict(classicMark), verdict(classicDrop))
      )
    }
    answer(n(latency)(VERDICT))
    io.verdict.tag := n(latency)(TAG).asBits
  }

  show(probabilityNow, onMove.probability, shownAt = testAt)
  for ((status, waited) <- delays.zip(onTick.waits.ofQueues)) show(status, waited, shownAt = QueueWaits.readAt)
  viewAt(testAt, "base", onMove.base)
  viewAt(nativeAt, "native", n(nativeAt)(onNative.NATIVE))
  buildPipeline()
}
