// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.shares

import sluice.blocks.cardinality.Estimate
import sluice.blocks.controllers.GreenRate
import sluice.contract._
import spinal.core._

/** GREEN: A. Kapadia, W. Feng, R. Campbell, "GREEN: A TCP Equation-Based Approach to Active Queue Management", 2004. Every flow is dropped as
  * often as TCP must be to have its fair share at its round-trip time, whatever the queue: with p = (K / RTT)^2, K = N MSS c / (gamma L).
  *
  * The paper leaves open gamma's first value, which is 1 here, and its bounds; and a start in which gamma stands is ours.
  *
  * @param isExact
  *   flows are counted by a bit for each, not estimated by MINCOUNT
  * @param queues
  *   1; or 2, the paper's proposal: whoever has no round-trip time has a queue of its own, and each queue the link's share of its flows
  */
class GreenAlgorithm(val isExact: Boolean, val queues: Int = 1) extends Algorithm {
  val name = "green"
  val summary = "GREEN (2004): drops each flow so often that TCP has its fair share at its round-trip time"

  val capacity = Parameter(
    "capacity",
    "",
    32,
    28,
    "bytes per ns",
    BigDecimal("0.00125"),
    "L: what the link sends",
    follows = Some(Fact.rateBps * BigDecimal("1.25e-10"))
  )
  val segment = Parameter(
    "segment",
    "",
    20,
    14,
    "kB",
    BigDecimal("1.31"),
    "MSS c: a full packet, times the constant of TCP's law, which is 1.31 for an ACK per packet",
    follows = Some(Fact.packetBytes * BigDecimal("0.00131"))
  )
  val window = Parameter(
    "window",
    "",
    32,
    0,
    "ns",
    1000000000,
    "W: the first arrival this long, and up to a millisecond more, after the last change makes the next one"
  )
  val freeze = Parameter("freeze", "", 12, 0, "windows", 0, "after a reset, in which gamma stays 1")
  private def bound(name: String, default: BigDecimal, doc: String) =
    Parameter(name, "", GreenRate.gammaBits, GreenRate.fraction, "1", default, doc)
  val gammaMin = bound("gamma_min", BigDecimal("0.015625"), "least gamma")
  val gammaMax = bound("gamma_max", 127, "largest gamma")
  val decrease =
    Parameter("decrease", "", 16, 16, "1", BigDecimal("0.95"), "what gamma is times after a window with overflow")
  val wanted = Parameter(
    "wanted",
    "",
    16,
    16,
    "1",
    BigDecimal("0.98"),
    "utilisation U below which gamma is times (1 + U) / 2 U after a window without overflow"
  )
  val ecn = Parameter.ecn
  val markMost = Parameter.markMost(
    "with `ecn`: mark while K / rtt, whose square is the probability, is at most this, and drop beyond it; 1: always mark",
    default = 0.5,
    fraction = 18
  )
  val rttMost = Parameter(
    "rtt_most",
    "",
    Widths.rttUs,
    0,
    "us",
    1000000,
    "the longest round-trip time that counts: who says more is taken to say this"
  )
  val quantum = Parameter(
    "quantum",
    "",
    Widths.packet,
    0,
    "bytes",
    1514,
    "what the queue of fewer flows sends on its turn, and the other one as its flows are more; at least the largest packet"
  )
  val parameters =
    Seq(capacity, segment, window, freeze, gammaMin, gammaMax, decrease, wanted, ecn, markMost, rttMost) ++
      Option.when(queues > 1)(quantum)
  val rules = Seq(capacity, window, gammaMin, rttMost).map(Rule.isAtLeast(_, 1)) :+ Rule(
    "gamma_min_at_most_gamma_max",
    "gamma_min <= gamma_max",
    values => !(values(gammaMax) < values(gammaMin))
  ) :+ Rule.isProbability(markMost)

  val unforcedDrop = Reason("Unforced drop", isMark = false)
  val unforcedMark = Reason("Unforced mark", isMark = true)
  val reasons = Seq(unforcedDrop, unforcedMark)

  val flows = Status("flows", GreenRate.flowsBits, Estimate.fractionBits, "flows", "N of the last window")
  val utilisation =
    Status("utilisation", GreenRate.utilisationBits, GreenRate.fraction, "1", "U of the last window, 4 if it is more")
  val gamma =
    Status("gamma", GreenRate.gammaBits, GreenRate.fraction, "1", "gamma", reset = BigInt(1) << GreenRate.fraction)
  val reach = Status("reach", 32, 10, "us", "K: the round-trip time up to which every packet is dropped")
  val windows =
    Status("windows", freeze.width, 0, "windows", "in which something has left, after a reset; all ones if more")
  val others =
    Status("others", GreenRate.flowsBits, Estimate.fractionBits, "flows", "of them those without a round-trip time")
  val quantaNow = Seq("compliant", "others").map(whose =>
    Status(s"quantum_$whose", Widths.quantum, 0, "bytes", s"quantum of the queue of $whose", reset = quantum.raw)
  )
  val status = Seq(flows, utilisation, gamma, reach, windows) ++ (if (queues > 1) others +: quantaNow else Nil)

  val onWindow = Tick("window")
  override val ticks = Seq(onWindow)

  val needs = Needs(
    randomWords = 2,
    rtt = true,
    settled = true,
    departed = true,
    queues = queues,
    choosesQueue = queues > 1,
    givesQuanta = queues > 1
  )
  override def queueOf(packet: Arrival): UInt = (packet.rttUs === 0).asUInt

  override val options = Map(
    "counter" -> "how flows are counted: mincount, an estimate, or bitmap, a bit for each of 16,384 ids",
    "queues" -> "1, or 2: one for flows with a round-trip time, and one for those without"
  )
  override protected def withOptions(chosen: Options): Algorithm =
    new GreenAlgorithm(
      chosen.oneOf("counter", isExact, "mincount" -> false, "bitmap" -> true),
      chosen.number("queues", queues, 1, 2)
    )

  def core(): AqmCore = new GreenCore(this)
}

object Green extends GreenAlgorithm(isExact = false)
