// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores

import sluice.contract._

/** Controlled Delay: K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, RFC 8289 (2018), with Linux's choices: a drop only after,
  * not at, the end of the interval, ECN, and a threshold of its own for marks.
  *
  * Every packet is queued and judged at the head, one per clock. Times are ns of 64 bits, compared as they are; sums of them are
  * modulo 2^64.
  *
  * @param ofEach
  *   whether the tile keeps its state, of each of many queues
  */
class CodelAlgorithm(val ofEach: Boolean) extends Algorithm {
  val name = "codel"
  val summary = "Controlled Delay (RFC 8289), drops or marks at the head, CE threshold"

  val target = Parameter(
    "target",
    "Target",
    32,
    0,
    "ns",
    5000000,
    "time in the queue that is accepted for good"
  )
  val interval = Parameter(
    "interval",
    "Interval",
    32,
    0,
    "ns",
    100000000,
    "time above `target` after which packets go: a long round-trip time"
  )
  val minBytes = Parameter(
    "min_bytes",
    "MinBytes",
    16,
    0,
    "bytes",
    1500,
    "as much behind a packet, or less, is no queue: a full packet"
  )
  val ecn = Parameter.ecn
  private[cores] val noThreshold = (BigInt(1) << 32) - 1
  val ceThreshold = Parameter(
    "ce_threshold",
    "CeThreshold",
    32,
    0,
    "ns",
    BigDecimal(noThreshold),
    s"time in the queue above which every ECN-capable packet is marked; $noThreshold: none"
  )
  val markMost = Parameter(
    "mark_most",
    "",
    8,
    0,
    "1",
    32,
    "with `ecn`: mark up to a delay of so many times `target`, 4.3 s at most, and drop beyond it; 255: always mark"
  )
  private[cores] val alwaysMarks = 255
  val parameters = Seq(target, interval, minBytes, ecn, ceThreshold, markMost)
  val rules = Seq(Rule.isAtLeast(interval, 1))

  object Reasons {
    val drop = Reason("Target exceeded drop", isMark = false)
    val mark = Reason("Target exceeded mark", isMark = true)
    val ceMark = Reason("CE threshold exceeded mark", isMark = true)
  }
  val reasons = Seq(Reasons.drop, Reasons.mark, Reasons.ceMark)

  private[cores] val mostCount = 1 << 16
  private[cores] val firstMost = target.raw * markMost.raw
  private[cores] val firstHasMost = markMost.raw != alwaysMarks

  val count = Status("count", 32, 0, "packets", "drops and marks since the rate began anew; they go with its root")
  val dropping = Status("dropping", 1, 0, "flag", "1 while the time in the queue stays above `target`")
  val delay = Status("delay", 32, 0, "ns", "time in the queue of the last packet at the head, 4.3 s at most")
  val status = Seq(count, dropping, delay)

  val needs =
    if (ofEach) Needs(head = true, headState = Some(CodelState.bits)) else Needs(idle = true, head = true)

  override val options = Map("state" -> "where it is kept: in the `core`, of one queue, or in `memory`, of each")
  override protected def withOptions(chosen: Options): Algorithm =
    new CodelAlgorithm(chosen.oneOf("state", ofEach, "core" -> false, "memory" -> true))

  def core(): AqmCore = if (ofEach) new CodelOfEachCore(this) else new CodelCore(this)
}

object Codel extends CodelAlgorithm(ofEach = false)
