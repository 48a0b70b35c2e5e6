// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.cores.red.RedAlgorithm
import sluice.contract._
import spinal.core._

/** Flow Random Early Drop: D. Lin, R. Morris, "Dynamics of Random Early Detection", SIGCOMM 1997. RED that knows how much of the queue
  * is whose: who has less than a fair share is not touched, who has had too much more than once gets that share and no more.
  *
  * @param buckets
  *   flows that are told apart, by the low bits of their ids; a power of two
  */
class FredAlgorithm(val buckets: Int) extends RedAlgorithm(hasHalf = false) {
  override def name = "fred"
  override def summary = "Flow Random Early Drop (1997): RED that spares flows with less than their share of the queue"
  override protected def inBytes = ""

  override val min = Parameter(
    "min",
    "MinTh",
    32,
    14,
    "packets",
    5,
    "average queue below which RED drops nothing, and from which on one flow's queue is too long",
    follows = Some(Fact.limit * BigDecimal("0.25"))
  )
  override val max = Parameter(
    "max",
    "MaxTh",
    32,
    14,
    "packets",
    15,
    "average queue at which the probability reaches `probability`",
    follows = Some(Fact.limit * BigDecimal("0.5"))
  )
  val minQueued =
    Parameter("min_q", "", Widths.maxPackets, 0, "packets", 2, "what a flow may queue before its packets are tested")
  val forced = Parameter.flag(
    "forced",
    "",
    default = true,
    "from `max` on every packet is dropped, and a flow with over twice its share gets a strike"
  )
  val twoPackets = Parameter.flag(
    "two_packets",
    "",
    default = false,
    "from `max` on a flow may queue two packets: for more flows than the buffer has room for"
  )
  override def parameters: Seq[Parameter] =
    Seq(min, max, maxProbability, weightExponent, idleRate, ecn, minQueued, forced, twoPackets)

  override def rules: Seq[Rule] = super.rules ++ Seq(
    Rule("weight_below_1_32", "weight_exponent is not 5", v => v(weightExponent) =/= 5),
    Rule("min_at_least_a_packet", "min >= 1", v => v(min) >= (1 << min.fraction)),
    Rule("something_at_max", "forced or two_packets", v => v(forced).lsb || v(twoPackets).lsb)
  )

  val flowLimitDrop = Reason("Flow limit drop", isMark = false)
  val strikesDrop = Reason("Strikes drop", isMark = false)
  override def reasons: Seq[Reason] =
    Seq(Reasons.unforcedDrop, Reasons.forcedDrop, Reasons.unforcedMark, flowLimitDrop, strikesDrop)

  override val average =
    Status("average", 32, 14, "packets", "average queue, without a departure that nothing has followed yet")
  val active = Status("active", Widths.count(buckets), 0, "flows", "flows with packets queued")
  override def status: Seq[Status] = super.status :+ active

  override def needs: Needs = Needs(randomWords = 1, settled = true, departed = true, rest = true)

  override def options = Map("buckets" -> "flows that are told apart, by the low bits of their ids: a power of two")
  override protected def withOptions(chosen: Options): Algorithm =
    new FredAlgorithm(chosen.number("buckets", buckets, 64, 16384, isPow2(_), also = ", a power of two"))

  override def core(): AqmCore = new FredCore(this)
}

object Fred extends FredAlgorithm(buckets = 1024)
