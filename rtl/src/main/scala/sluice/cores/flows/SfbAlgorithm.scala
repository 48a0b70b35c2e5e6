// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.contract._

import java.math.MathContext

/** What the paper and Linux have different: what counts as a full bin and what becomes of a packet that finds one, and the numbers. */
sealed abstract class SfbRule(val name: String, val binSize: Int, val increment: String, val decrement: String)

object SfbRule {

  /** A bin's probability rises from `bin_size` packets on; a packet whose bins all hold `bin_max` is dropped; and beyond one half more
    * and more of what a probability takes is dropped, though it could be marked.
    */
  object Linux extends SfbRule("linux", binSize = 20, increment = "0.001", decrement = "0.00017")

  /** A bin's probability rises beyond `bin_size` packets, and a packet that finds one of its bins so is dropped. As a flow has no more
    * than that queued, it warms the next set of bins up with packets that are dropped so, too.
    */
  object Paper extends SfbRule("paper", binSize = 13, increment = "0.005", decrement = "0.001")

  val all: Seq[SfbRule] = Seq(Linux, Paper)
}

/** Stochastic Fair BLUE: W. Feng, D. Kandlur, D. Saha, K. Shin, "Stochastic Fair Blue: A Queue Management Algorithm for Enforcing
  * Fairness", INFOCOM 2001, with what Linux' `sch_sfb` has made of it.
  *
  * A flow has one bin in each level, by a salted hash. A bin's probability rises while it holds many packets and falls while it is
  * empty, and a packet is dropped or marked with the least of its bins' probabilities. A flow of which all bins stand at 1 does not
  * respond: what is left of it is what a token bucket lets through. From time to time the salt changes; before that a second set of
  * bins is warmed up with the flows that do not respond.
  */
class SfbAlgorithm(shape: SfbShape, rule: SfbRule) extends Algorithm {
  val name = "sfb"
  val summary =
    "Stochastic Fair BLUE (2001): a probability per bin of flows, and a penalty box for flows that do not respond"

  /** @param share
    *   of the buffer over the bins of a level
    */
  private def packets(name: String, default: Int, share: String, doc: String) = {
    val each = (BigDecimal(share) / shape.bins).round(new MathContext(6))
    Parameter(name, "", SfbBins.countBits, 0, "packets", default, doc, follows = Some(Fact.limit * each))
  }
  private def step(name: String, default: String, doc: String) =
    Parameter(name, "", SfbBins.probabilityBits, SfbBins.probabilityBits, "1", BigDecimal(default), doc)

  val isLinux: Boolean = rule == SfbRule.Linux
  val binSize = packets(
    "bin_size",
    rule.binSize,
    "1.5", // the paper's
    s"${if (isLinux) "from" else "beyond"} so many packets on a bin's probability rises" +
      (if (isLinux) "" else ", and packets are dropped")
  )
  val binMax = packets("bin_max", 25, "1.875", "a packet whose bins all hold so many is dropped")
  val increment = step("increment", rule.increment, "d1: what a bin's probability rises by with an arrival")
  val decrement = step("decrement", rule.decrement, "d2: what it falls by with an arrival that finds the bin empty")
  val penaltyRate =
    Parameter("penalty_rate", "", 16, 0, "packets/s", 10, "what passes of all flows that do not respond")
  val penaltyBurst = Parameter("penalty_burst", "", 8, 0, "packets", 20, "what passes of them at once")
  val warmup = Parameter(
    "warmup",
    "",
    32,
    0,
    "us",
    60000000,
    "time before a change of the salt in which flows that do not respond move the next set of bins too"
  )
  val rehash = Parameter(
    "rehash",
    "",
    8,
    0,
    "warmup",
    10,
    "warm-up times from one change of the salt to the next; 0: it never changes"
  )
  val ecn = Parameter.ecn
  val parameters =
    Seq(binSize) ++ Option.when(isLinux)(binMax) ++
      Seq(increment, decrement, penaltyRate, penaltyBurst, warmup, rehash, ecn)
  val rules = Seq(Rule.isAtLeast(warmup, 1))

  val unforcedDrop = Reason("Unforced drop", isMark = false)
  val unforcedMark = Reason("Unforced mark", isMark = true)
  val bucketDrop = Reason("Bucket drop", isMark = false)
  val penaltyDrop = Reason("Penalty drop", isMark = false)
  val reasons = Seq(unforcedDrop, unforcedMark, bucketDrop, penaltyDrop)

  val age = Status("age", rehash.width, 0, "warmup", "warm-up times since the last change of the salt")
  val warming = Status("warming", 1, 0, "flag", "the next set of bins was being warmed up at the last arrival")
  val status = Seq(age, warming)

  val needs = Needs(randomWords = 1, tagBits = 2 * shape.numberBits, settled = true, departed = true, rest = true)
  val warmupIsOver = Tick("warmup", period = Some(warmup))
  override val ticks = Seq(warmupIsOver)

  override val options = Map(
    "levels" -> "levels of bins, each with its part of a hash of 32 bits: 1, 2, 4 or 8",
    "bins" -> "bins of each level, 2..32, and at most as many as its part of the hash tells",
    "rule" -> "linux or paper: what a full bin is, and what becomes of a packet that finds one"
  )
  override protected def withOptions(chosen: Options): Algorithm = {
    val levels = chosen.number("levels", shape.levels, 1, 8, Integer.bitCount(_) == 1, also = ", a power of two")
    val made = SfbShape(levels, chosen.number("bins", shape.bins, 2, 32))
    require(made.numberBits <= 32, s"${made.levels} levels of ${made.bins} bins are more than a hash of 32 bits tells")
    new SfbAlgorithm(made, chosen.oneOf("rule", rule, SfbRule.all.map(r => r.name -> r): _*))
  }

  override val mostPackets: Int = (1 << SfbBins.countBits) - 1

  def core(): AqmCore = new SfbCore(this, shape)
}

object Sfb extends SfbAlgorithm(SfbShape(levels = 8, bins = 16), SfbRule.Linux)
