// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import sluice.blocks.controllers.{GainStep, PacketUnit}
import sluice.contract._
import spinal.core._

/** PI: C. Hollot, V. Misra, D. Towsley, W. Gong, "On Designing Improved Controllers for AQM Routers Supporting TCP Flows", INFOCOM
  * 2001. A tick moves the probability by a (q - q_ref) - b (q_old - q_ref). One arrival per clock.
  */
object Pi extends Controller {
  val name = "pi"
  val summary = "PI (2001): a probability that a proportional-integral controller moves until the queue is as wanted"
  override protected def defaultInterval: BigDecimal = 5882353

  private def factor(name: String, default: String, doc: String) =
    Parameter(name, "", 32, PiCore.fraction, "1", BigDecimal(default), doc)
  val a = factor("a", "1.822e-5", "what the probability rises by for each packet above `target`")
  val b = factor("b", "1.816e-5", "what it falls by for each that was above it at the update before")
  val target = Parameter("target", "", Widths.maxPackets, 0, "packets", 50, "q_ref: the queue that is wanted")
  val parameters = Seq(a, b, target) ++ shared
  val status = Seq(probabilityNow)

  def core(): AqmCore = new PiCore
}

class PiCore extends ControllerCore(Pi, PiCore.cycles) {
  import Pi._
  import PiCore._

  val onQueue = new Area {
    private val bytes = RegNextWhen(onTick.queue, onTick.tick)
    private val product = WideMultiplier.sum(WideMultiplier.multiplyApart(bytes, onParameters.inverse))
    val now = RegNext((product >> (PacketUnit.inverseFraction - queueFraction)).resize(queueBits))
    val old = Reg(UInt(queueBits bits)) init 0
    when(onTick.settles)(old := now)
  }

  private def term(queue: UInt, gain: UInt): SInt = {
    val wanted = (parameter(1, target) << queueFraction).intoSInt
    val (distance, isBelow) = GainStep.magnitude(RegNext(queue.intoSInt - wanted))
    val step = new GainStep(distance, gain, shift = queueFraction, bits = termBits)
    GainStep.signed(step.size, isBelow)
  }

  val onMove = new Area {
    val p = Reg(UInt(fraction + 1 bits)) init 0
    private val by = RegNext(term(onQueue.now, parameter(1, a)) -^ term(onQueue.old, parameter(1, b)))
    private val sum = RegNext(p.intoSInt.resize(termBits + 3) + by)
    private val isOver = sum(termBits + 1 downto fraction) =/= 0 // 1 or more
    val next = RegNext(isOver.asUInt @@ Mux(isOver, U(0), sum.asUInt.resize(fraction)))
    when(onTick.settles)(p := Mux(RegNext(sum.msb), U(0), next))
  }
  protected def probability: UInt = (onMove.p >> (fraction - probabilityNow.fraction)).resized

  viewAt(testAt, "p", onMove.p)
  buildController()
}

object PiCore {

  /** Bits of p, a and b behind the point. */
  val fraction = 40

  /** Queues are Q18.16, in packets. */
  private val queueFraction = 16
  private val queueBits = 34

  /** As large as a term may be, which is 2^10. */
  private val termBits = 50

  /** Clocks from the tick until all stands. */
  private val cycles: Int = 1 + Multiplier.latency + 1 + 2 + GainStep.cycles + 1 + 3
}
