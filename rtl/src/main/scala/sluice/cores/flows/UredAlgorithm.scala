// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.blocks.averages.{Ewma, IndexedAverage}
import sluice.contract._
import sluice.blocks.probability.curve.HazardTable
import spinal.core._

/** R. Nossenson, H. Maryuma, "Active Queue Management in Blind Access Networks": a user's flows are one tunnel that nobody looks into,
  * and a packet is judged by the average queue and by the average queue of its tunnel.
  *
  * @param buckets
  *   tunnels that are told apart, by the low bits of their ids; a power of two
  */
class UredAlgorithm(val buckets: Int) extends Algorithm {
  val name = "ured"
  val summary = "URED: RED for tunnels, each judged by its own average queue beside that of all"

  private def threshold(name: String, ns3: String, default: Int, share: String, doc: String) =
    Parameter(name, ns3, 32, 14, "packets", default, doc, follows = Some(Fact.limit * BigDecimal(share)))
  val min = threshold("min", "MinTh", 25, "0.25", "average queue below which every packet passes")
  val max = threshold("max", "MaxTh", 50, "0.5", "average queue from which on a tunnel with too much passes nothing")
  val buffer = Parameter(
    "buffer",
    "",
    Widths.maxPackets,
    0,
    "packets",
    100,
    "what the tunnels share: B of B / N and 2 B / N",
    follows = Some(Fact.limit)
  )
  private def exponent(name: String, default: Int, of: String) =
    Parameter(name, "", 4, 0, "1", default, s"weight of a sample of $of: 2^-n; n = 0 for the queue itself")
  val weightExponent = exponent("weight_exponent", 9, "the queue")
  val ownWeightExponent = exponent("own_weight_exponent", 3, "a tunnel's queue")
  val hered = Parameter.flag("hered", "", default = false, "judge by the average of all alone")
  val ecn = Parameter.ecn

  /** The default: 0.1 x^2. */
  private val pointsAtReset = Seq.tabulate(HazardTable.points) { i =>
    val x = BigDecimal(i) / (HazardTable.points / 2)
    (x * x * 6553.6).setScale(0, BigDecimal.RoundingMode.HALF_EVEN).toBigInt
  }
  val hazard: Seq[Parameter] = pointsAtReset.grouped(2).zipWithIndex.toSeq.map { case (points, i) =>
    Parameter(
      s"hazard_${2 * i}_${2 * i + 1}",
      "",
      32,
      0,
      "2 x Q0.16",
      BigDecimal(points(0) | points(1) << HazardTable.pointBits),
      s"drop function at ${2 * i}/32 (low half) and ${2 * i + 1}/32 of the upper threshold"
    )
  }
  val parameters = Seq(min, max, buffer, weightExponent, ownWeightExponent, hered, ecn) ++ hazard

  val rules = Seq(
    Rule("min_below_max", "min < max", v => v(min) < v(max)),
    Rule.isAtLeast(buffer, 1),
    Rule.isOneOf(weightExponent, 0 +: Ewma.exponents),
    Rule.isOneOf(ownWeightExponent, 0 +: IndexedAverage.exponents)
  )

  val unforcedDrop = Reason("Unforced drop", isMark = false)
  val forcedDrop = Reason("Forced drop", isMark = false)
  val unforcedMark = Reason("Unforced mark", isMark = true)
  val reasons = Seq(unforcedDrop, forcedDrop, unforcedMark)

  val average = Status("average", 32, 14, "packets", "average queue after the last arrival")
  val active = Status("active", Widths.count(buckets), 0, "tunnels", "tunnels with packets queued")
  val status = Seq(average, active)

  val needs = Needs(randomWords = 1, settled = true, departed = true, rest = true)

  override val options = Map("buckets" -> "tunnels that are told apart, by the low bits of their ids: a power of two")
  override protected def withOptions(chosen: Options): Algorithm =
    new UredAlgorithm(chosen.number("buckets", buckets, 64, 16384, isPow2(_), also = ", a power of two"))

  def core(): AqmCore = new UredCore(this)
}

object Ured extends UredAlgorithm(buckets = 1024)
