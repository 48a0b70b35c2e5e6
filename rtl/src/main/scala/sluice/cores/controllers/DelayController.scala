// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.contract._
import sluice.blocks.controllers.delay.{BacklogDelay, DelaySource, DelayTerms, QueueWaits, WaitDelay}
import spinal.core._
import spinal.lib._

/** What schemes share in which a tick moves a probability by the delay.
  *
  * @param source
  *   of the delay
  */
abstract class DelayController(val source: DelaySource) extends Algorithm {
  private val byRate = source == DelaySource.Backlog
  protected def defaultTupdate: BigDecimal
  protected def defaultAlpha: BigDecimal
  protected def defaultBeta: BigDecimal

  /** Names in ns-3. */
  protected def ns3: Map[String, String] = Map.empty

  private def inNs(name: String, default: BigDecimal, doc: String) =
    Parameter(name, ns3.getOrElse(name, ""), 32, 0, "ns", default, doc)
  private def gain(name: String, default: BigDecimal, doc: String) =
    Parameter(name, ns3.getOrElse(name, ""), 32, DelayTerms.gainFraction, "1/s", default, doc)
  val target = inNs("target", 15000000, "delay that is wanted")
  val tupdate = inNs("tupdate", defaultTupdate, "time between two updates of the probability")
  val alpha =
    gain("alpha", defaultAlpha, "what the probability rises by at an update for each second of delay above `target`")
  val beta =
    gain("beta", defaultBeta, "what it rises by for each second that the delay has grown by since the last one")
  val minBytes = Parameter(
    "min_bytes",
    "",
    18,
    0,
    "bytes",
    3028,
    "no packet goes while less is queued: two full packets",
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
  protected def shared: Seq[Parameter] = Seq(target, tupdate, alpha, beta, minBytes) ++ (if (byRate) Seq(rate) else Nil)
  protected def sharedRules: Seq[Rule] =
    Rule.isAtLeast(tupdate, 1) +: (if (byRate) Seq(Rule.isAtLeast(rate, 1)) else Nil)

  val unforcedDrop = Reason("Unforced drop", isMark = false)
  val unforcedMark = Reason("Unforced mark", isMark = true)
  val reasons: Seq[Reason] = Seq(unforcedDrop, unforcedMark)

  val delay = Status("delay", 32, 0, "ns", "delay that the last update found, 4.3 s at most")

  val update = Tick("update", Some(tupdate))
  override val ticks = Seq(update)

  protected def sharedNeeds: Needs = source.needs
}

/** Their hardware: the tick, and what the delay at it moves the probability by.
  *
  * @param workCycles
  *   clocks from there until all stands
  */
abstract class DelayControllerCore(controller: DelayController, workCycles: Int, override val headLatency: Int)
    extends AqmCore(controller) {
  import controller._
  protected val testAt = 1
  val latency = if (controller.needs.head) 8 else 7 // the least that a tile takes
  override def tickCycles(kind: Tick): Int = source.cycles + DelayTerms.cycles + workCycles

  applyWhen(RegNext(io.apply, init = False))

  /** Of a tick, until the next one: `delay` and `old`, that at the one before, in ns of 32 bits. */
  protected val onTick = new Area {
    private val tick = RegNext(io.tick(update).valid, init = False)

    /** High in the clock after which stage [[testAt]] finds what the tick has changed. */
    val settles = sinceTick(update).is(tickCycles(update) + testAt - 1)

    /** Of each queue, where there are two. */
    val waits = (source == DelaySource.Departures) generate new QueueWaits(io, tick)
    val now = source match {
      case DelaySource.Backlog    => new BacklogDelay(io, tick, parameter(testAt, rate)).delay
      case DelaySource.LastHead   => new WaitDelay(io, tick).delay
      case DelaySource.Departures => waits.delay
    }
    val old = RegNextWhen(now, settles) init 0
    private val begin = Delay(tick, source.cycles - 1, init = False)

    /** What moves the probability, Q3.40; there when `workCycles` are left. */
    def terms(halvings: Option[UInt]): SInt = new DelayTerms(
      begin,
      now,
      old,
      parameter(testAt, target),
      parameter(testAt, alpha),
      parameter(testAt, beta),
      halvings
    ).setCompositeName(this, "terms").sum
  }

  show(delay, onTick.old, shownAt = testAt)
}
