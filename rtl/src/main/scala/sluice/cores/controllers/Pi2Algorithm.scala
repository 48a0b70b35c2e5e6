// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.controllers.{BacklogDelay, DelayTerms}
import sluice.contract._
import spinal.core._

/** PI2: K. De Schepper, O. Bondarenko, I. Tsang, B. Briscoe, "PI2: A Linearized AQM for both Classic and Scalable TCP", CoNEXT 2016; with
  * the defaults of RFC 9332, appendix A.1. A tick moves p' by the delay; a packet goes by the square of p', or by a multiple of p' where
  * that is coupled.
  *
  * @param atHead
  *   whether packets are judged when they leave, and the delay is the time that they waited; else both are of the arrival, and the
  *   delay is what the link takes for the queue
  */
class Pi2Algorithm(val atHead: Boolean) extends Algorithm {
  val name = "pi2"
  val summary =
    "PI2 (2016): drops by the square of a probability that follows the delay; coupled, as in DualPI2, for ECT(1)"

  val target = Parameter("target", "", 32, 0, "ns", 15000000, "delay that is wanted")
  val tupdate = Parameter("tupdate", "", 32, 0, "ns", 16000000, "time between two updates of p'")
  private def gain(name: String, default: String, doc: String) =
    Parameter(name, "", 32, DelayTerms.gainFraction, "1/s", BigDecimal(default), doc)
  val alpha = gain("alpha", "0.16", "what p' rises by at an update for each second of delay above `target`")
  val beta = gain("beta", "3.2", "what it rises by for each second that the delay has grown by since the last one")
  val coupling = Parameter(
    "coupling",
    "",
    4,
    1,
    "1",
    0,
    "k: ECT(1) and CE go with k p', and not with its square; 0: they are as all others"
  )
  val maxBase = Parameter.probability("max_base", "", BigDecimal("0.5"), "the most that p' may be")
  val minBytes = Parameter(
    "min_bytes",
    "",
    18,
    0,
    "bytes",
    3028,
    s"nothing goes while less is queued${if (atHead) " behind it" else ""}: two full packets",
    follows = Some(Fact.packetBytes * 2)
  )
  val rate = Parameter(
    "rate",
    "",
    32,
    BacklogDelay.rateFraction,
    "bytes per 16 ns",
    BigDecimal("0.02"),
    "what the link sends, by which the delay of what is queued is known",
    follows = Some(Fact.rateBps * BigDecimal("2e-9"))
  )
  val ecn = Parameter.ecn
  val parameters =
    Seq(target, tupdate, alpha, beta, coupling, maxBase, minBytes) ++ (if (atHead) Nil else Seq(rate)) :+ ecn
  val rules =
    Seq(Rule.isAtLeast(tupdate, 1), Rule.isProbability(maxBase)) ++ (if (atHead) Nil else Seq(Rule.isAtLeast(rate, 1)))

  val unforcedDrop = Reason("Unforced drop", isMark = false)
  val unforcedMark = Reason("Unforced mark", isMark = true)
  val reasons = Seq(unforcedDrop, unforcedMark)

  val probabilityNow = Status("probability_now", 32, 31, "1", "p', of which the square is the probability of a drop")
  val delay = Status("delay", 32, 0, "ns", "delay that the last update found, 4.3 s at most")
  val status = Seq(probabilityNow, delay)

  val update = Tick("update", Some(tupdate))
  override val ticks = Seq(update)
  val needs =
    if (atHead) Needs(randomWords = 2, tagBits = 1 + Widths.random, head = true, idle = true)
    else Needs(randomWords = 2, settled = true, departed = true)

  override val options = Map(
    "at" -> "where packets are judged, and the delay found: at the `arrival`, or at the `head`"
  )
  override protected def withOptions(settings: Map[String, String]): Algorithm = {
    val at = settings("at")
    require(Set("arrival", "head")(at), s"at must be arrival or head, not $at")
    new Pi2Algorithm(atHead = at == "head")
  }

  def core(): AqmCore = new Pi2Core(this)
}

object Pi2 extends Pi2Algorithm(atHead = false)
