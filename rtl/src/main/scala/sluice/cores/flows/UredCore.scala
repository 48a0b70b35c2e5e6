// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.blocks.arithmetic.WideMultiplier
import sluice.blocks.averages.{Ewma, IndexedAverage}
import sluice.contract._
import sluice.blocks.arithmetic.division.{Reciprocal, Reciprocals}
import sluice.blocks.probability.curve.{HazardFunction, HazardTable}
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** Stages: 0..9 the tunnel's occupancy; 10 the active tunnels; 12 the tunnel's average and 15 that of all; 16..28 the drop function of
  * both, and beside it where in the paper's table the packet stands; 28..32 the product of the two, test and verdict.
  */
class UredCore(ured: UredAlgorithm) extends AqmCore(ured) {
  import ured._
  private val (flowAt, activeAt, ownAt, averageAt, hazardAt) = (9, 10, 12, 15, 16)
  private val ruledAt = hazardAt + 1
  private val foundAt = hazardAt + HazardFunction.latency
  private val testAt = foundAt + 3
  val latency = testAt + 2

  private val onApply = new Area {
    val reciprocals = new Reciprocals(io.apply, Seq(io.parameters(max), (io.parameters(buffer) << 14).resize(32)))
    val table = new HazardTable(io.apply, hazard.map(io.parameters(_)), hazard.map(_.raw))
    applyWhen(RegNext(reciprocals.isDone, init = False)) // later than the table
    private def at(number: Int, reset: BigInt)(stage: Int): Reciprocal =
      inForce(hazardAt + stage, reciprocals.results(number), Reciprocal.literal(reset))
    def ofMax(stage: Int): Reciprocal = at(0, max.raw)(stage)
    def ofBuffer(stage: Int): Reciprocal = at(1, buffer.raw << 14)(stage)
    def page(stage: Int): UInt = inForce(hazardAt + stage, table.page, U(0, HazardTable.pageBits bits))
  }

  val onFlow = new Area {
    val QUEUED = Payload(UInt(Widths.maxPackets bits)) // of the arrival's tunnel
    private def moment(valid: Bool, flow: Bits) = QueuedFlows.bucket(valid, flow, buckets)
    val arriving = moment(io.arrival.valid, io.arrival.packet.flow)
    private val isAccepted = io.settled.valid && io.settled.fate === Fate.ACCEPTED
    val flows = new QueuedFlows(
      buckets,
      arriving,
      moment(isAccepted, io.settled.packet.flow),
      moment(io.departed.valid, io.departed.packet.flow),
      io.rest
    )
    require(flows.queuedAt == flowAt, s"the occupancy takes ${flows.queuedAt} clocks")
    nodes(flowAt)(QUEUED) := flows.queued
    show(active, RegNext(flows.active) init 0, shownAt = activeAt + 1)
  }

  private def weight(stage: Int, exponent: Parameter): UInt = inForce(
    stage,
    Ewma.weight(io.parameters(exponent), None),
    Ewma.weight(U(exponent.raw, exponent.width bits), None)
  )
  private def isWhole(stage: Int, exponent: Parameter): Bool =
    inForce(stage, io.parameters(exponent) === 0, Bool(exponent.raw == 0))
  private def selected(stage: Int, exponent: Parameter, select: UInt => Bits): Bits =
    inForce(stage, select(io.parameters(exponent)), select(U(exponent.raw, exponent.width bits)))

  /** The tunnel's average, Q18.14. Its increment is a product with two registers of its own. */
  val onOwn = new Area {
    val OWN, INCREMENT = Payload(UInt(32 bits))
    nodes(flowAt)(INCREMENT) :=
      Ewma.increment(nodes(flowAt)(onFlow.QUEUED), weight(flowAt, ownWeightExponent), fraction = 14).resized
    private val readAt = ownAt - IndexedAverage.updateAt
    private val sampled = Flow(UInt(log2Up(buckets) bits))
    sampled.valid := nodes(readAt).isValid
    sampled.payload := Delay(onFlow.arriving.payload, readAt)
    val averages = new IndexedAverage(
      buckets,
      width = 32,
      sampled,
      nodes(ownAt)(INCREMENT),
      selected(ownAt - 1, ownWeightExponent, IndexedAverage.select(_)),
      isWhole(ownAt - 1, ownWeightExponent)
    )
    nodes(ownAt + 1)(OWN) := averages.average
  }

  val onAverage = new Area {
    val QUEUE = Payload(UInt(Widths.maxPackets bits))
    val INCREMENT = Payload(UInt(36 bits))
    private val weighedAt = averageAt - 3
    nodes(0)(QUEUE) := io.arrival.queuePackets
    val ewma = new Ewma(integerBits = 18, fraction = 18, reset = 0)
    nodes(weighedAt)(INCREMENT) := ewma.increment(nodes(weighedAt)(QUEUE), weight(weighedAt, weightExponent))
    private val next = ewma.next(
      nodes(averageAt)(INCREMENT),
      selected(averageAt, weightExponent, Ewma.select(_)),
      half = None,
      isWhole(averageAt, weightExponent)
    )
    when(nodes(averageAt).isValid)(ewma.average := next)
    val level = (ewma.average >> 4).resize(32) // of the packet at the stage behind
    show(average, RegNext(level) init 0, shownAt = averageAt + 2)
  }

  /** The tunnel's average against its thresholds, B / max(N, 3) and 2 B / max(N, 4), with nothing divided. */
  val onShare = new Area {
    private val sharingBits = Widths.count(buckets)
    val SHARING = Payload(UInt(sharingBits bits)) // max(N, 4)
    val IS_FEW = Payload(Bool()) // N < 4
    val PRODUCTS = Payload(WideMultiplier.products(32, sharingBits))
    val SHARED = Payload(UInt(32 + sharingBits bits)) // the queue if each tunnel had as much
    val LEAST = Payload(UInt(33 bits)) // the lower threshold, so multiplied
    val IS_FAIR, IS_LONG = Payload(Bool())

    nodes(activeAt)(IS_FEW) := onFlow.flows.active < 4
    nodes(activeAt + 1)(SHARING) := Mux(
      nodes(activeAt + 1)(IS_FEW),
      U(4, sharingBits bits),
      RegNext(onFlow.flows.active)
    )
    private val at = ownAt + 1
    nodes(at)(PRODUCTS) := WideMultiplier.multiply(nodes(at)(onOwn.OWN), nodes(at)(SHARING))
    nodes(at + 2)(SHARED) := WideMultiplier.sum(nodes(at + 2)(PRODUCTS)).resized
    private def scaled(stage: Int) = parameter(stage, buffer) << 14
    nodes(at + 2)(LEAST) := scaled(at + 2) +^ nodes(at + 2)(onOwn.OWN).andMask(nodes(at + 2)(IS_FEW))
    private val n = nodes(hazardAt)
    n(IS_FAIR) := n(SHARED) < n(LEAST)
    n(IS_LONG) := !(n(SHARED) < (scaled(hazardAt) << 1))
  }

  private def hazardOf(doubled: UInt, of: Int => Reciprocal) =
    new HazardFunction(nodes.slice(hazardAt, foundAt + 1), doubled, of, onApply.table, onApply.page)
  val ofAll = hazardOf((onAverage.level << 1).resize(33), onApply.ofMax)
  val ofOwn = hazardOf(nodes(hazardAt)(onShare.SHARED).resize(33), onApply.ofBuffer)

  /** The paper's table: rows by the average of all, columns by the tunnel's own. */
  val onRules = new Area {
    val IS_ABOVE_MIN, IS_ABOVE_MAX, BY_ALL, BY_BOTH, IS_FORCED = Payload(Bool())
    private val before = nodes(hazardAt)
    before(IS_ABOVE_MIN) := !(onAverage.level < parameter(hazardAt, min))
    before(IS_ABOVE_MAX) := !(onAverage.level < parameter(hazardAt, max))

    private val n = nodes(ruledAt)
    private val isAlone = parameter(ruledAt, hered).lsb
    private val isLong = n(onShare.IS_LONG) || isAlone
    private val isFair = n(onShare.IS_FAIR) && !isLong
    private val isBetween = n(IS_ABOVE_MIN) && !n(IS_ABOVE_MAX)
    n(IS_FORCED) := n(IS_ABOVE_MAX) && isLong && !isAlone
    n(BY_ALL) := (isBetween && isLong) || (n(IS_ABOVE_MAX) && !isFair && !n(IS_FORCED))
    n(BY_BOTH) := (isBetween && !isLong && !isFair) || (n(IS_ABOVE_MAX) && isFair)
  }

  val onTest = new Area {
    val DRAW = Payload(UInt(32 bits))
    val PRODUCT, THRESHOLD = Payload(UInt(36 bits))
    val IS_ECT, IS_HIT = Payload(Bool())
    val VERDICT = Payload(Verdict())
    nodes(0)(DRAW) := io.arrival.random(0)
    nodes(0)(IS_ECT) := io.arrival.packet.isEct

    nodes(foundAt)(PRODUCT) := nodes(foundAt)(ofAll.VALUE) * nodes(foundAt)(ofOwn.VALUE)
    private val chosen = nodes(testAt - 1)
    chosen(THRESHOLD) := chosen(PRODUCT).andMask(chosen(onRules.BY_BOTH)) |
      (chosen(ofAll.VALUE) << 18).andMask(chosen(onRules.BY_ALL))
    nodes(testAt)(IS_HIT) := (nodes(testAt)(DRAW) << 4) < nodes(testAt)(THRESHOLD)

    private val n = nodes(testAt + 1)
    private val marks = parameter(testAt + 1, ecn).lsb && n(IS_ECT)
    n(VERDICT) := pass
    when(n(IS_HIT))(n(VERDICT) := Mux(marks, verdict(unforcedMark), verdict(unforcedDrop)))
    when(n(onRules.IS_FORCED))(n(VERDICT) := verdict(forcedDrop))
  }

  viewAt(ownAt + 1, "tunnel", onOwn.averages.averaged)
  viewAt(activeAt, "queued", nodes(activeAt)(onFlow.QUEUED))
  viewAt(activeAt, "active", onFlow.flows.active)
  viewAt(ownAt + 1, "own", nodes(ownAt + 1)(onOwn.OWN))
  viewAt(averageAt + 1, "average", onAverage.ewma.average)
  viewAt(hazardAt, "shared", nodes(hazardAt)(onShare.SHARED))
  viewAt(hazardAt, "fair_below", nodes(hazardAt)(onShare.LEAST))
  viewAt(ruledAt, "row", (nodes(ruledAt)(onRules.IS_ABOVE_MAX) ## nodes(ruledAt)(onRules.IS_ABOVE_MIN)).asUInt)
  viewAt(ruledAt, "column", (nodes(ruledAt)(onShare.IS_LONG) ## nodes(ruledAt)(onShare.IS_FAIR)).asUInt)
  viewAt(foundAt, "of_all", nodes(foundAt)(ofAll.VALUE))
  viewAt(foundAt, "of_own", nodes(foundAt)(ofOwn.VALUE))

  answer(nodes(latency)(onTest.VERDICT))
  buildPipeline()

  Clocks.suffice("UredCore.onApply, by its reciprocals,", onApply.reciprocals.cycles, HazardTable.cycles)
}
