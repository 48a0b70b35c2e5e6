// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.shares

import sluice.contract._
import sluice.cores.controllers.Rem

/** Purge: G. Abbas, A. Nagar, H. Tawfik, J. Goulermas, "Pricing and Unresponsive Flows Purging for Global Rate Enhancement", Journal of
  * Electrical and Computer Engineering 2010. REM for everybody; and who has more than its share of the queue, by the hits of samples and the
  * number of flows, is marked while there is congestion and dropped while that lasts, the more the larger it is.
  *
  * @param entries
  *   flows whose hits are counted
  */
class PurgeAlgorithm(val entries: Int) extends Algorithm {
  val name = "purge"
  val summary = "Purge (2010): REM, and drops of flows with more than their share while overload lasts"

  val target = Parameter(
    "target",
    "",
    Widths.maxPackets,
    0,
    "packets",
    200,
    "b*: the queue that is wanted; packets are sampled while more are queued",
    follows = Some(Fact.limit * BigDecimal("0.2"))
  )
  val buffer = Parameter(
    "buffer",
    "",
    Widths.maxPackets,
    0,
    "packets",
    1000,
    "B of saturation 4",
    follows = Some(Fact.limit)
  )
  val gain = Rem.gain.copy(doc = "gamma log2 phi of REM: what log2 1/(1 - m) rises by for each packet of mismatch")
  val alpha = Rem.alpha
  val capacity =
    Rem.capacity.copy(doc =
      "c of the price: packets that the link sends in one `interval`; who sets that one sets this one too"
    )
  val interval = Parameter("interval", "", 32, 0, "ns", 2000000, "time between two updates of the price")
  val loadCapacity = Parameter(
    "load_capacity",
    "",
    32,
    14,
    "packets",
    BigDecimal("62.5"),
    "c of the load: packets that the link sends in one `load_interval`",
    follows = Some(Fact.ratePps * BigDecimal("0.05"))
  )
  val loadInterval =
    Parameter("load_interval", "", 32, 0, "ns", 50000000, "time over which arrivals are held against the link's rate")
  val window =
    Parameter("window", "", 32, 0, "ns", 1000000000, "time over which flows are counted, and hits of each")
  val saturation = Parameter(
    "saturation",
    "",
    3,
    0,
    "1",
    1,
    "s: 1 relative mismatch; 2 `step` times mismatch; 3 REM's probability; 4 queue beyond the target by room"
  )
  val step = Parameter("step", "", 18, 18, "1", BigDecimal("0.001"), "s for each packet of mismatch, of saturation 2")
  val persistence =
    Parameter("persistence", "", 4, 0, "intervals", 2, "J: intervals of overload in a row from which on it drops")
  val theta = Parameter("theta", "", 12, 8, "shares", BigDecimal("1.5"), "who has more shares has too much")
  val shareGain =
    Parameter("share_gain", "", 12, 8, "1", 2, "g: a flow of 1 + k shares is marked or dropped with g s k")
  val gate = Parameter(
    "gate",
    "",
    1,
    0,
    "code",
    1,
    "mark or drop who has too much 0: at any queue, as in the paper, 1: only while more than `target` are queued"
  )
  val ecn = Parameter.ecn
  val parameters: Seq[Parameter] = Seq(
    target,
    buffer,
    gain,
    alpha,
    capacity,
    interval,
    loadCapacity,
    loadInterval,
    window,
    saturation,
    step,
    persistence,
    theta,
    shareGain,
    gate,
    ecn
  )
  val rules: Seq[Rule] = Seq(target, loadCapacity, interval, loadInterval, window, persistence)
    .map(Rule.isAtLeast(_, 1)) ++ Seq(Rule.isOneOf(saturation, 1 to 4), Rule.isAtLeast(theta, 1 << theta.fraction))

  val unforcedDrop = Reason("Unforced drop", isMark = false)
  val unforcedMark = Reason("Unforced mark", isMark = true)
  val unfairDrop = Reason("Unfair drop", isMark = false)
  val unfairMark = Reason("Unfair mark", isMark = true)
  val reasons: Seq[Reason] = Seq(unforcedDrop, unforcedMark, unfairDrop, unfairMark)

  val price = Status("price", 32, 28, "1", "p log2 phi: how often the price halves what passes")
  val probabilityNow = Status("probability_now", 32, 31, "1", "m: probability of REM's drop or mark")
  val flows = Status("flows", 18, 4, "flows", "N of the last window, all ones if it is more", reset = 1 << 4)
  val samples = Status("samples", 20, 0, "packets", "packets sampled in the last window")
  val overload = Status("overload", 4, 0, "intervals", "with more arrivals than the link sends, in a row")
  val strength = Status("strength", 18, 14, "1", "g s")
  val status: Seq[Status] = Seq(price, probabilityNow, flows, samples, overload, strength)

  val onPrice = Tick("price", Some(interval))
  val onLoad = Tick("load", Some(loadInterval))
  val onWindow = Tick("window", Some(window))
  override val ticks: Seq[Tick] = Seq(onPrice, onLoad, onWindow)

  val needs = Needs(randomWords = 1, samples = 1, settled = true, departed = true)

  override val options = Map("entries" -> "flows whose hits are counted, 50..400")
  override protected def withOptions(chosen: Options): Algorithm =
    new PurgeAlgorithm(chosen.number("entries", entries, 50, 400))

  def core(): AqmCore = new PurgeCore(this)
}

object Purge extends PurgeAlgorithm(entries = 50)
