// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.red

import sluice.blocks.flows._
import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** RED-PD, RED with Preferential Dropping: R. Mahajan, S. Floyd, D. Wetherall, "Controlling High-Bandwidth Flows at the Congested
  * Router", ICNP 2001. Flows that lose packets in several of the last lists of losses are monitored: a filter before RED drops their
  * packets with a probability of their own, which rises until they lose no more than others. The rules are those of the authors'
  * code for ns-2.
  *
  * Latency 23, one arrival and one settled packet per clock. A list ends with a tick, whose interval follows from the drop rate.
  */
object RedPd extends RedAlgorithm(hasHalf = false) {
  override def name = "red-pd"
  override def summary = "RED-PD (2001): RED behind a filter for flows that its own losses give away"

  val rtt = Parameter(
    "rtt",
    "",
    28,
    0,
    "ns",
    40000000,
    "R: flows that send more than a TCP flow of this round-trip time are held back; a list lasts 2 R to 10 R"
  )
  val testUnresponsive = Parameter.flag(
    "test_unresponsive",
    "",
    default = true,
    "drop more of a flow whose rate does not fall as it loses more, and also while the queue is short"
  )
  override def parameters: Seq[Parameter] = super.parameters ++ Seq(rtt, testUnresponsive)
  override def rules: Seq[Rule] = super.rules :+ Rule.isAtLeast(rtt, 1)

  val filteredDrop = Reason("Filtered drop", isMark = false)
  override def reasons: Seq[Reason] = super.reasons :+ filteredDrop

  val dropRate = Status(
    "drop_rate",
    FlowState.probabilityBits,
    FlowState.probabilityBits,
    "1",
    "share of bytes that RED and the limit drop, averaged over lists"
  )
  val monitored = Status("monitored", FlowPlaces.placeBits + 1, 0, "flows", "flows with a probability of their own")
  override def status: Seq[Status] = super.status ++ Seq(dropRate, monitored)

  val list = Tick("list")
  override def ticks: Seq[Tick] = Seq(list)

  override def needs: Needs = Needs(randomWords = 2, tagBits = FlowTag.bits, idle = true, settled = true)

  override def options: Map[String, String] = Map.empty
  override def core(): AqmCore = new RedPdCore
}

/** RED's pipeline behind the filter: stages 0..3 look the flow up, 4..11 draw. The filter decides where RED averages. */
class RedPdCore extends RedCore(RedPd) {
  import RedPd._
  override def tickCycles(kind: Tick): Int = ListController.cycles

  private lazy val onTick = new Area {
    val since = sinceTick(list)
    val isLast = since.is(ListController.cycles - 1)
    val controller = new ListController(
      io.tick(list),
      settles = isLast,
      isRecorded = since.is(ListController.cycles),
      io.settled,
      isTested = parameter(averageAt, testUnresponsive).lsb,
      rtt = parameter(averageAt, rtt),
      resetRtt = rtt.raw
    )
    val isPublished = RegInit(False) setWhen isLast
    val inForce = Reg(UInt(1 bits)) init 0
    when(isLast)(inForce := ~inForce)
    io.interval(list) := controller.rates.intervalNs.resized
    show(dropRate, controller.onShow.shownRate, shownAt = 0)
    show(monitored, controller.onShow.shownMonitored, shownAt = 0)

    // With the verdicts from the list's end on. What is shown stands longer than these take: until the next tick.
    if (isAlone) {
      val isAnswered = Delay(isLast, latency, init = False)
      for ((name, value) <- controller.views) viewAt(latency, name, RegNextWhen(value, isAnswered))
    }
  }.setCompositeName(this, "onTick")

  private lazy val onFilter = new Area {
    private val drawAt = KnownFlows.latency
    val known = new KnownFlows(
      nodes,
      io.arrival.packet.flow,
      onTick.isPublished,
      onTick.inForce,
      onTick.controller.published
    )
    val DRAWN = Payload(UInt(KnownFlow.probabilityBits bits))
    nodes(0)(DRAWN) := io.arrival.random(1) >> (Widths.random - KnownFlow.probabilityBits)
    val draw = new FlowDraw(nodes.drop(drawAt), known, DRAWN)
    require(drawAt + FlowDraw.decideAt == averageAt)

    val IS_HELD_BACK = Payload(Bool())
    private val drawn = nodes(drawAt + 1)
    drawn(IS_HELD_BACK) := drawn(draw.IS_DRAWN) && drawn(known.IS_UNRESPONSIVE)
    private val at = nodes(averageAt)
    at(draw.IS_DROPPED) := at(IS_CAUGHT)

    val tag = FlowTag()
    tag.isFiltered := nodes(latency)(IS_CAUGHT)
    tag.isKnown := nodes(latency)(known.IS_KNOWN)
    tag.place := nodes(latency)(known.PLACE)
    io.verdict.tag := tag.asBits
    viewAt(averageAt, "filter_probability", at(known.PROBABILITY))
    viewAt(averageAt, "filter_count", at(draw.COUNT))
    viewAt(averageAt, "filter_rise", draw.rise)
  }.setCompositeName(this, "onFilter")

  override protected def filter: Option[Filter] = {
    import onFilter._
    Some(Filter(draw.HITS_AFTER_DROP, draw.HITS_AFTER_PASS, draw.IS_DRAWN, IS_HELD_BACK, filteredDrop))
  }
}
