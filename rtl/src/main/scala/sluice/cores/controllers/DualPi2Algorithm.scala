// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.contract._
import sluice.blocks.controllers.delay.DelaySource
import spinal.core._

/** DualPI2: RFC 9332, appendix A, and Linux' `sch_dualpi2`, with its `drop_early`: packets are judged where they arrive. Two queues, L for
  * scalable senders, ECT(1) and CE, and C for all others, and one p' that follows the longer delay. C goes with its square, L is marked
  * with a multiple of it, or by its own delay. The tile's scheduler serves L before C, and C a little.
  */
object DualPi2 extends DelayController(DelaySource.Departures) {
  val name = "dualpi2"
  val summary =
    "DualPI2 (RFC 9332): two queues under one PI2, a short one for scalable senders (L4S), and one for all others"
  override protected def defaultTupdate: BigDecimal = 16000000
  override protected def defaultAlpha: BigDecimal = BigDecimal("0.16")
  override protected def defaultBeta: BigDecimal = BigDecimal("3.2")

  val coupling = Parameter("coupling", "", 4, 1, "1", 2, "k: L is marked with k p', C goes with the square of p'")
  val maxBase = Parameter.probability(
    "max_base",
    "",
    1,
    "the most that p' may be; 1 / `coupling`: L is never dropped, as in Linux without `drop_overload`"
  )
  val stepThresh =
    Parameter("step_thresh", "", 32, 0, "ns", 1000000, "delay of L above which it is marked by itself")
  val rampBits = Parameter(
    "ramp_bits",
    "",
    5,
    0,
    "1",
    0,
    "L is marked with all certainty 2^ramp_bits ns above `step_thresh`, and linearly in between; 0: a step"
  )
  val stepPackets = Parameter(
    "step_packets",
    "",
    Widths.maxPackets,
    0,
    "packets",
    (1 << Widths.maxPackets) - 1,
    s"L is marked too while more are queued in it; ${(1 << Widths.maxPackets) - 1}: never"
  )
  val minQlenStep = Parameter(
    "min_qlen_step",
    "",
    Widths.maxPackets,
    0,
    "packets",
    1,
    "the delay of L marks no packet that finds fewer queued in it"
  )
  val parameters =
    shared ++ Seq(coupling, maxBase, stepThresh, rampBits, stepPackets, minQlenStep)
  val rules = sharedRules ++ Seq(Rule.isProbability(maxBase), Rule.isAtLeast(coupling, 1))

  val classicDrop = Reason("Classic drop", isMark = false)
  val classicMark = Reason("Classic mark", isMark = true)
  val overloadDrop = Reason("Overload drop", isMark = false)
  val coupledMark = Reason("Coupled mark", isMark = true)
  val stepMark = Reason("Step mark", isMark = true)
  override val reasons = Seq(classicDrop, classicMark, overloadDrop, coupledMark, stepMark)

  val probabilityNow = Status("probability_now", 32, 31, "1", "p', of which the square is the probability of C")
  private def delayOf(queue: String, whose: String) =
    Status(
      s"delay_$queue",
      32,
      0,
      "ns",
      s"time that the last packet of $whose waited that left; 0 if none was behind it"
    )
  val delays = Seq(delayOf("l", "L"), delayOf("c", "C"))
  val status = Seq(probabilityNow, delay) ++ delays

  val needs = sharedNeeds.copy(randomWords = 2, picksLate = true)

  val (l, c) = (0, 1) // the numbers of the queues

  /** Whether a packet is of a scalable sender: ECT(1) or CE. */
  def isScalable(packet: Arrival): Bool = packet.ecn.lsb
  override def queueOf(packet: Arrival): UInt = Mux(isScalable(packet), U(l, 1 bits), U(c, 1 bits))

  /** A ninth of a full link for C: in overload it is empty now and then, and has a tenth. */
  override def quantumOf(queue: Int): Int = if (queue == l) 8 * super.quantumOf(queue) else super.quantumOf(queue)

  def core(): AqmCore = new DualPi2Core(this)
}
