// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.red

import sluice.blocks.averages.Ewma
import sluice.contract._

/** Random Early Detection: S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM ToN
  * 1993, with ns-2's `gentle` slope, `wait` spacing and ECN rule.
  *
  * The average is Q18.18 in packets, in byte mode in units of 64 bytes.
  *
  * Of several queues each has an average, an idle time and a spacing of its own; the parameters are the same for all.
  *
  * A scheme made of it may leave switches out, each with the numbers that belong to it: those are off and cost nothing. Without byte
  * mode there is no gentle slope.
  */
class RedAlgorithm(hasHalf: Boolean, queues: Int = 1) extends Algorithm {
  import Parameter.{flag, probability}

  /** Whether the queue itself may be taken for its average. */
  def hasWhole: Boolean = !hasHalf && queues == 1

  def name = "red"
  def summary = "Random Early Detection (1993), gentle, wait, byte mode, ECN"

  /** Said of what byte mode measures in another unit. */
  protected def inBytes: String = " (byte mode: in 64 bytes)"

  val min = Parameter(
    "min",
    "MinTh",
    32,
    14,
    "packets",
    5,
    s"average queue below which nothing is dropped$inBytes"
  )
  val max =
    Parameter("max", "MaxTh", 32, 14, "packets", 15, "average queue at which the probability reaches `probability`")
  protected def defaultMaxProbability: BigDecimal = 0.02
  val maxProbability = probability("probability", "", defaultMaxProbability, "max_p: probability at `max`")
  val weightExponent =
    Parameter(
      "weight_exponent",
      "",
      4,
      0,
      "1",
      9,
      s"weight of a sample: 2^-n${if (hasWhole) "; n = 0 for the queue itself" else ""}"
    )
  val weightHalf: Option[Parameter] =
    Option.when(hasHalf)(flag("weight_half", "", default = false, "weight of a sample: 1.5 times 2^-n"))
  val avpkt = Parameter(
    "avpkt",
    "MeanPktSize",
    16,
    0,
    "bytes",
    1000,
    "typical packet: the size factor in byte mode is bytes / avpkt",
    follows = Some(Fact.packetBytes)
  )
  val idleRate = Parameter(
    "idle_rate",
    "",
    32,
    32,
    "packets per 16 ns",
    BigDecimal("0.00002"),
    "typical packets that the link sends in 16 ns; the average decays by them over idle time, and is gone after 68 s",
    follows = Some(Fact.ratePps * BigDecimal("16e-9"))
  )
  val gentle =
    flag("gentle", "Gentle", default = true, "from `max` to 2 `max` the probability rises to 1 instead of jumping")
  val waiting =
    flag("wait", "Wait", default = true, "ns-2's spacing: gap of marks uniform on 1/p..2/p instead of 1..1/p")
  val byteMode =
    flag("byte_mode", "", default = false, "measure the queue in bytes and scale the probability by packet size")
  val ecn = Parameter.ecn
  val hardDrop = flag("hard_drop", "UseHardDrop", default = true, "a forced drop also drops ECN-capable packets")
  val markMost = Parameter.markMost

  def parameters: Seq[Parameter] = Seq(min, max, maxProbability, weightExponent) ++ weightHalf ++
    Seq(avpkt, idleRate, gentle, waiting, byteMode, ecn, hardDrop, markMost)

  /** Whether the scheme has this one of RED's parameters. */
  def has(p: Parameter): Boolean = parameters.contains(p)

  def rules: Seq[Rule] = Seq(
    Rule("min_below_max", "min < max", v => v(min) < v(max)),
    Rule.isProbability(maxProbability)
  ) ++ Option.when(has(markMost))(Rule.isProbability(markMost)) ++
    Option.when(has(avpkt))(Rule.isAtLeast(avpkt, 1)) :+
    Rule.isOneOf(weightExponent, (if (hasWhole) Seq(0) else Nil) ++ Ewma.exponents)

  object Reasons {
    val unforcedDrop = Reason("Unforced drop", isMark = false)
    val forcedDrop = Reason("Forced drop", isMark = false)
    val unforcedMark = Reason("Unforced mark", isMark = true)
    val forcedMark = Reason("Forced mark", isMark = true)
  }
  def reasons: Seq[Reason] =
    Seq(Reasons.unforcedDrop, Reasons.forcedDrop, Reasons.unforcedMark, Reasons.forcedMark)

  val average = Status("average", 32, 14, "packets", s"average queue after the last arrival$inBytes")
  val probabilityNow = Status("probability_now", 32, 31, "1", "p_b of the last arrival judged while RED was active")
  def status: Seq[Status] = Seq(average, probabilityNow)

  def needs: Needs = Needs(randomWords = 1, idle = true, queues = queues)

  override def options = Map(
    "weight" -> "averaging weights to choose from: `powers` of two, or `halves` for 1.5 times those too",
    "queues" -> "queues that the tile has: 1, or as many as the configuration says"
  )
  override protected def withOptions(chosen: Options): Algorithm =
    new RedAlgorithm(
      chosen.oneOf("weight", hasHalf, "powers" -> false, "halves" -> true),
      chosen.number("queues", queues, 1, Widths.mostQueues)
    )

  def core(): AqmCore = new RedCore(this)
}

object Red extends RedAlgorithm(hasHalf = false)
