// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.shares

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import sluice.blocks.hits.{HbfCache, HbfHits, HbfPeriod, HbfReplacement, HbfStages}
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** BLACK: G. Chatranon, M. Labrador, S. Banerjee, "BLACK: Detection and Preferential Dropping of High Bandwidth Unresponsive Flows",
  * ICC 2003. Each arrival looks at a packet of the queue: how often a flow is met there tells its share of the buffer, how often
  * the arrival's own is met the number of flows N. A flow with more than a share of 1/N is dropped, the more the larger it is.
  *
  * @param entries
  *   flows whose hits are counted
  */
class BlackAlgorithm(val entries: Int, val replacement: HbfReplacement) extends Algorithm {
  val name = "black"
  val summary = "BLACK (2003): drops flows that have more than their share of the buffer, by a cache of those met there"

  val threshold = Parameter(
    "threshold",
    "",
    Widths.maxPackets,
    0,
    "packets",
    200,
    "packets are sampled and dropped while more than so many are queued",
    follows = Some(Fact.limit * BigDecimal("0.2"))
  )
  val period = Parameter("period", "", 16, 0, "arrivals", 1000, "n_s: arrivals after which flows are weighed anew")
  val parameters: Seq[Parameter] = Seq(threshold, period)
  val rules: Seq[Rule] = Seq(Rule.isAtLeast(period, 1))

  val unfairDrop = Reason("Unfair drop", isMark = false)
  val reasons: Seq[Reason] = Seq(unfairDrop)

  val samples = Status("samples", period.width, 0, "packets", "S: packets sampled in the last period", reset = 1)
  val matches = Status(
    "matches",
    period.width,
    0,
    "packets",
    "M: arrivals of that period that met their own flow, at least 1; S / M is the number of flows",
    reset = 1
  )
  val status: Seq[Status] = Seq(samples, matches)

  val needs = Needs(randomWords = 1, samples = 1)

  override val options = Map(
    "entries" -> "flows whose hits are counted, 50..400",
    "replacement" -> "which of them goes: lru, the one hit the longest ago; fewest, the one with the fewest hits"
  )
  override protected def withOptions(chosen: Options): Algorithm =
    new BlackAlgorithm(
      chosen.number("entries", entries, 50, 400),
      chosen.oneOf("replacement", replacement, HbfReplacement.all.map(r => r.name -> r): _*)
    )

  def core(): AqmCore = new BlackCore(this)
}

object Black extends BlackAlgorithm(entries = 50, HbfReplacement.Lru)

/** The pipeline: the period's counts, the cache, the test. With S samples and M matches in the period before, and h hits of d samples
  * of a flow, N H - 1 = (S h - M d) / (M d). A draw U is below it iff U M d < S h - M d; and an entry is kept if it has M hits.
  */
class BlackCore(black: BlackAlgorithm) extends AqmCore(black) {
  import black._
  private val countBits = period.width
  private val drawBits = 18
  private val periodAt = HbfCache.sampleAt
  private val stages = new HbfStages(entries)
  private val knownAt = stages.latency
  private val weighAt = knownAt + 1
  private val excessAt = weighAt + Multiplier.latency
  private val sumAt = excessAt + Multiplier.latency
  private val decideAt = sumAt + 1
  val latency: Int = decideAt + 1

  val SAMPLED, FLOW = Payload(Bits(Widths.flow bits))
  val IS_THERE, IS_MATCH, IS_OVER, IS_SAMPLE = Payload(Bool())
  val QUEUE = Payload(UInt(Widths.maxPackets bits))
  val DRAW = Payload(UInt(drawBits bits))
  val PERIOD = Payload(HbfPeriod(countBits))
  private val sample = io.arrival.samples.head // BLACK and Purge take the same along, each with more of its own
  nodes(0)(SAMPLED) := sample.flow
  nodes(0)(FLOW) := io.arrival.packet.flow
  nodes(0)(IS_THERE) := sample.valid
  nodes(0)(QUEUE) := io.arrival.queuePackets
  nodes(0)(DRAW) := io.arrival.random(0) >> (Widths.random - drawBits)
  nodes(1)(IS_OVER) := nodes(1)(QUEUE) > parameter(1, threshold)
  nodes(1)(IS_MATCH) := nodes(1)(SAMPLED) === nodes(1)(FLOW)

  applyWhen(RegNext(io.apply, init = False))

  val cache = new HbfCache(entries, replacement, nodes, SAMPLED, IS_SAMPLE, FLOW, PERIOD, countBits)

  val onPeriod = new Area {
    private val n = nodes(periodAt)
    val arrivals, sampled, matched = Reg(UInt(countBits bits)) init 0
    val number = Reg(UInt(HbfPeriod.numberBits bits)) init 0
    val before, least = Reg(UInt(countBits bits)) init 1 // S and M
    val BEFORE = Payload(UInt(countBits bits))

    n(IS_SAMPLE) := n(IS_OVER) && n(IS_THERE)
    private val isMatch = n(IS_SAMPLE) && n(IS_MATCH)
    private val sampledNow = sampled + U(n(IS_SAMPLE))
    private val matchedNow = matched + U(isMatch)
    private val isNone = matched === 0 && !isMatch
    n(PERIOD).number := number
    n(PERIOD).least := least
    n(PERIOD).stamp := sampledNow
    n(BEFORE) := before

    private val mostBefore = inForce(periodAt, RegNext(io.parameters(period) - 1), U(period.raw - 1, countBits bits))
    private val isOver = !(arrivals < mostBefore)
    when(n.isValid) {
      arrivals := isOver ? U(0) | arrivals + 1
      sampled := sampledNow
      matched := matchedNow
      when(isOver && (n(IS_SAMPLE) || sampled =/= 0)) {
        before := sampledNow
        least := matchedNow | U(isNone).resized
        sampled := 0
        matched := 0
        number := number + 1
      }
    }
    show(samples, before, shownAt = periodAt + 1)
    show(matches, least, shownAt = periodAt + 1)
  }

  val onWeigh = new Area {
    val DRAWN_FROM = Payload(UInt(countBits + 1 bits)) // d
    val WEIGHT, SHARE = Payload(UInt(2 * countBits + 1 bits)) // S h and M d
    val EXCESS = Payload(SInt(2 * countBits + 2 bits))
    val PRODUCTS = Payload(WideMultiplier.products(2 * countBits + 1, drawBits))
    val PART = Payload(UInt(2 * countBits + 1 bits)) // U M d
    private val (k, w, e, s) = (nodes(knownAt), nodes(weighAt), nodes(excessAt), nodes(sumAt))
    k(DRAWN_FROM) := k(PERIOD).stamp +^ k(onPeriod.BEFORE).andMask(k(cache.HAS_PREVIOUS))
    e(WEIGHT) := Multiplier(w(onPeriod.BEFORE), w(cache.HITS))
    e(SHARE) := Multiplier(w(PERIOD).least, w(DRAWN_FROM))
    e(EXCESS) := e(WEIGHT).intoSInt - e(SHARE).intoSInt
    s(PRODUCTS) := WideMultiplier.multiplyApart(e(SHARE), e(DRAW))
    s(PART) := (WideMultiplier.sum(s(PRODUCTS)) >> drawBits).resized
  }

  val onDecide = new Area {
    private val n = nodes(decideAt)
    val VERDICT = Payload(Verdict())
    private val isUnfair = n(onWeigh.PART).intoSInt < n(onWeigh.EXCESS)
    n(VERDICT) := pass
    when(n(IS_OVER) && n(cache.IS_KNOWN) && isUnfair)(n(VERDICT) := verdict(unfairDrop))
  }

  viewAt(stages.enterAt, "has_victim", cache.onEnter.victim.isThere.asUInt)
  viewAt(stages.enterAt, "victim", cache.onEnter.victim.place)
  viewAt(stages.enterAt, "is_free", nodes(stages.enterAt)(cache.FINDING).isFree.asUInt)
  viewAt(stages.enterAt, "key", nodes(stages.enterAt)(cache.FINDING).key)
  viewAt(stages.hitsAt, "is_held", nodes(stages.hitsAt)(cache.onPlace.IS_HIT).asUInt)
  viewAt(stages.hitsAt, "place", nodes(stages.hitsAt)(cache.onPlace.PLACE))
  viewAt(stages.hitsAt + HbfHits.latency, "number", nodes(stages.hitsAt + HbfHits.latency)(PERIOD).number)
  viewAt(stages.knownAt - 1, "least", nodes(stages.knownAt - 1)(PERIOD).least)
  viewAt(knownAt, "is_known", nodes(knownAt)(cache.IS_KNOWN).asUInt)
  viewAt(excessAt, "share", nodes(excessAt)(onWeigh.SHARE))
  viewAt(excessAt, "excess", nodes(excessAt)(onWeigh.EXCESS).asUInt)
  viewAt(decideAt, "part", nodes(decideAt)(onWeigh.PART))

  answer(nodes(latency)(onDecide.VERDICT))
  buildPipeline()
}
