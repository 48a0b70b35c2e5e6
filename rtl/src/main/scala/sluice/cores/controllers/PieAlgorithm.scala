// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.contract._
import sluice.blocks.controllers.delay.DelaySource

/** PIE: R. Pan et al., "Proportional Integral Controller Enhanced (PIE)", RFC 8033 (2017), appendix B, with what Linux and ns-3 do
  * otherwise as parameters. A tick moves the probability by the delay, the less the smaller it is; an arrival goes with it, unless the
  * last one that went was just before.
  */
class PieAlgorithm(byRate: Boolean) extends DelayController(if (byRate) DelaySource.Backlog else DelaySource.LastHead) {
  val name = "pie"
  val summary = "PIE (RFC 8033): a probability that follows the delay, by gains that follow it, and evenly spaced drops"
  override protected def defaultTupdate: BigDecimal = 15000000
  override protected def defaultAlpha: BigDecimal = BigDecimal("0.125")
  override protected def defaultBeta: BigDecimal = BigDecimal("1.25")
  override protected def ns3: Map[String, String] =
    Map("target" -> "QueueDelayReference", "tupdate" -> "Tupdate", "alpha" -> "A", "beta" -> "B")

  val maxBurst = Parameter(
    "max_burst",
    "BurstAllowance",
    32,
    0,
    "ns",
    150000000,
    "time for which nothing goes once the delay has been short and the probability 0"
  )
  val maxStep = Parameter.probability(
    "max_step",
    "",
    BigDecimal("0.02"),
    "the most that the probability rises by at an update, from 0.1 on"
  )
  private val never = (BigInt(1) << 32) - 1
  val lateDelay = Parameter(
    "late_delay",
    "",
    32,
    0,
    "ns",
    BigDecimal(never),
    s"delay above which the probability rises by `max_step` more; $never: none"
  )
  val decayEmpty = Parameter.flag(
    "decay_empty",
    "",
    default = false,
    "the probability decays only after two updates without a delay; else after two below half of `target`"
  )
  val derandomise = Parameter.flag(
    "derandomise",
    "UseDerandomization",
    default = true,
    "no packet goes too soon after another, and one does at last"
  )
  val markMost = Parameter.markMost.copy(ns3 = "MarkEcnThreshold", default = BigDecimal("0.1"))
  val parameters = shared ++ Seq(maxBurst, maxStep, lateDelay, decayEmpty, derandomise, markMost, ecn)
  val rules = sharedRules ++ Seq(Rule.isProbability(maxStep), Rule.isProbability(markMost))

  val probabilityNow = Status("probability_now", 32, 31, "1", "probability of a drop or mark")
  val burst = Status("burst_left", 32, 0, "ns", "time for which nothing goes yet")
  val status = Seq(probabilityNow, delay, burst)

  val needs = sharedNeeds.copy(randomWords = 1, settled = true)

  override val options = Map(
    "delay" -> "how it is known: `waited`, by the last packet, or `backlog`, by the link's rate"
  )
  override protected def withOptions(chosen: Options): Algorithm =
    new PieAlgorithm(chosen.oneOf("delay", byRate, "waited" -> false, "backlog" -> true))

  def core(): AqmCore = new PieCore(this)
}

object Pie extends PieAlgorithm(byRate = false)
