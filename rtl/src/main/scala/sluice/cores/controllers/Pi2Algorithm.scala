// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.contract._
import sluice.blocks.controllers.delay.DelaySource

/** PI2: K. De Schepper, O. Bondarenko, I. Tsang, B. Briscoe, "PI2: A Linearized AQM for both Classic and Scalable TCP", CoNEXT 2016; with
  * the defaults of RFC 9332, appendix A.1. A tick moves p' by the delay; a packet goes by the square of p', or by a multiple of p' where
  * that is coupled.
  *
  * @param atHead
  *   whether packets are judged when they leave, and the delay is the time that they waited; else both are of the arrival, and the
  *   delay is what the link takes for the queue
  * @param ofEach
  *   whether the tile keeps its state, of each of many queues; packets are then judged at the head
  */
class Pi2Algorithm(val atHead: Boolean, val ofEach: Boolean)
    extends DelayController(if (atHead) DelaySource.LastHead else DelaySource.Backlog) {
  val name = "pi2"
  val summary =
    "PI2 (2016): drops by the square of a probability that follows the delay; coupled, as in DualPI2, for ECT(1)"
  override protected def defaultTupdate: BigDecimal = 16000000
  override protected def defaultAlpha: BigDecimal = BigDecimal("0.16")
  override protected def defaultBeta: BigDecimal = BigDecimal("3.2")

  val coupling = Parameter(
    "coupling",
    "",
    4,
    1,
    "1",
    0,
    "k: ECT(1) and CE go with k p', and not with its square; 0: they are as all others"
  )
  // The bound is for the others in the queue, of whom a flow that does not back off leaves some room. In a queue of each flow it would
  // have such a flow fill its queue.
  val maxBase =
    Parameter.probability("max_base", "", if (ofEach) 1 else BigDecimal("0.5"), "the most that p' may be")
  val parameters = shared ++ Seq(coupling, maxBase, ecn)
  val rules = sharedRules :+ Rule.isProbability(maxBase)

  private val whose = if (ofEach) "of the last head's queue: " else ""
  val probabilityNow =
    Status("probability_now", 32, 31, "1", s"${whose}p', of which the square is the probability of a drop")
  val status = Seq(probabilityNow, delay)

  private val heard = if (ofEach) Needs(head = true, headState = Some(Pi2State.bits)) else sharedNeeds
  val needs = heard.copy(randomWords = 2, tagBits = if (atHead) 1 + Widths.random else 0)

  override val options = Map(
    "at" -> "where packets are judged, and the delay found: at the `arrival`, or at the `head`",
    "state" -> "where it is kept: in the `core`, of one queue, or, of packets judged at the head, in `memory`, of each"
  )
  override protected def withOptions(chosen: Options): Algorithm = new Pi2Algorithm(
    chosen.oneOf("at", atHead, "arrival" -> false, "head" -> true),
    chosen.oneOf("state", ofEach, "core" -> false, "memory" -> true)
  )
  require(atHead || !ofEach, s"$name keeps the state of each queue in memory only where it judges at the head")

  def core(): AqmCore = if (ofEach) new Pi2OfEachCore(this) else new Pi2Core(this)
}

object Pi2 extends Pi2Algorithm(atHead = false, ofEach = false)
