// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.arithmetic.WideMultiplier
import sluice.blocks.controllers.{VirtualCapacity, VirtualQueue}
import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** AVQ: S. Kunniyur, R. Srikant, "Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for Active Queue Management", SIGCOMM
  * 2001. A virtual queue is served by a virtual capacity that follows the load; who would overflow it is dropped or marked. As in ns-2's
  * `vq.cc`, who is dropped does not count as load: packets move the capacity when their fate is settled.
  *
  * One arrival and one settled packet per clock.
  */
object Avq extends Algorithm {
  val name = "avq"
  val summary =
    "Adaptive Virtual Queue (2001): keeps the load below the link's rate by a virtual queue, and no random draw"

  val rate = Parameter(
    "rate",
    "",
    32,
    VirtualCapacity.rateFraction,
    "bytes per 16 ns",
    BigDecimal("0.02"),
    "C: what the link sends; a new one begins with a virtual capacity of 0.8 of it",
    follows = Some(Fact.rateBps * BigDecimal("2e-9"))
  )
  val buffer = Parameter(
    "buffer",
    "",
    Widths.maxBytes,
    0,
    "bytes",
    200000,
    "what the virtual queue holds",
    follows = Some(Fact.limitBytes)
  )
  val alpha =
    Parameter("alpha", "", 22, 20, "1/s", BigDecimal("0.15"), "how fast the virtual capacity follows the load")
  val gamma = Parameter("gamma", "", 18, 18, "1", BigDecimal("0.98"), "part of the link's rate that is wanted as load")
  val ecn = Parameter.ecn
  val markMost = Parameter.markMost(
    "with `ecn`: mark while the virtual capacity is at least 1 less this of `rate`, and drop below it; 1: always mark",
    fraction = 18
  )
  val parameters = Seq(rate, buffer, alpha, gamma, ecn, markMost)
  val rules = Seq(Rule.isAtLeast(rate, 1), Rule.isProbability(markMost))

  val queueDrop = Reason("Virtual queue drop", isMark = false)
  val queueMark = Reason("Virtual queue mark", isMark = true)
  val reasons = Seq(queueDrop, queueMark)

  private[controllers] val perSecond = BigInt(140737) // 2^40 * 16 ns of an alpha in Q.20, as Q.8: Q3.15
  private[controllers] val start = BigInt(209715) // 0.8, Q0.18
  private[controllers] val weight = alpha.raw * perSecond >> 15
  private[controllers] val gain = ((weight * gamma.raw >> 10) * rate.raw) >> 18
  private[controllers] val first = rate.raw * start
  private[controllers] val firstLeast = rate.raw * ((BigInt(1) << markMost.fraction) - markMost.raw) >>
    (VirtualCapacity.fraction - VirtualQueue.capacityFraction)

  val capacity = Status(
    "capacity",
    32,
    VirtualCapacity.rateFraction,
    "bytes per 16 ns",
    "virtual capacity",
    first >> (VirtualCapacity.fraction - VirtualCapacity.rateFraction)
  )
  val virtualQueue = Status("virtual_queue", Widths.maxBytes, 0, "bytes", "virtual queue after the last arrival")
  val status = Seq(capacity, virtualQueue)

  val needs = Needs(settled = true)

  def core(): AqmCore = new AvqCore
}

/** Two loops, each of one clock: the capacity's, with settled packets, and behind it the virtual queue's, with arrivals. */
class AvqCore extends AqmCore(Avq) {
  import Avq._
  private val capacityAt = VirtualCapacity.moveAt
  private val queueAt = capacityAt + VirtualQueue.latency
  val latency: Int = queueAt + 1

  val onParameters = new Area {
    private val raw = io.parameters
    private def product(a: UInt, b: UInt): UInt = RegNext(WideMultiplier.sum(WideMultiplier.multiplyApart(a, b)))
    val weight = (product(raw(alpha), U(perSecond, 18 bits)) >> 15).resize(25)
    private val wanted = (product(weight, raw(gamma)) >> 10).resize(33)
    val gain = RegNext(WideMultiplier.wide(wanted, raw(rate)) >> 18).resize(47)
    val start = product(raw(rate), U(Avq.start, 18 bits)).resize(VirtualCapacity.bits)
    // The rate times 1 - M: times ~M and once more. Of M = 1 it is 0.
    private val kept = product(raw(rate), ~raw(markMost).resize(markMost.fraction)) + RegNext(raw(rate))
    val least = RegNext(kept.andMask(!raw(markMost).msb) >> (VirtualCapacity.fraction - VirtualQueue.capacityFraction))
      .resize(VirtualQueue.capacityBits)
    applyWhen(Delay(io.apply, derivedAt, init = False))
  }

  val onCapacity = new Area {
    private val packet = Flow(UInt(Widths.packet bits))
    packet.valid := io.settled.valid && io.settled.fate =/= Fate.REFUSED
    packet.payload := io.settled.packet.bytes
    private val restart = Flow(UInt(VirtualCapacity.bits bits))
    restart.valid := isEntering(capacityAt) && RegNext(io.parameters(rate) =/= parameter(capacityAt, rate))
    restart.payload := onParameters.start
    private val gainAt = VirtualCapacity.gainAt
    val virtual = new VirtualCapacity(
      packet,
      io.settled.nowNs,
      inForce(gainAt, onParameters.gain, U(Avq.gain, 47 bits)),
      inForce(gainAt, onParameters.weight, U(Avq.weight, 25 bits)),
      parameter(capacityAt - 1, rate),
      restart,
      first
    )
  }

  val onTime = new Area {
    val DIFFERENCE = Payload(UInt(Widths.timeNs - VirtualCapacity.unitBits bits))
    val PASSED = Payload(UInt(VirtualCapacity.passedBits bits))
    private val now = io.arrival.nowNs >> VirtualCapacity.unitBits
    val before = Reg(cloneOf(now)) init 0
    when(nodes(0).isValid)(before := now)
    nodes(0)(DIFFERENCE) := now - before
    nodes(1)(PASSED) := VirtualCapacity.limited(nodes(1)(DIFFERENCE))
  }

  val BYTES = Payload(UInt(Widths.packet bits))
  nodes(0)(BYTES) := io.arrival.packet.bytes
  val CAPACITY = Payload(UInt(VirtualQueue.capacityBits bits))
  nodes(capacityAt)(CAPACITY) :=
    (onCapacity.virtual.capacity >> (VirtualCapacity.fraction - VirtualQueue.capacityFraction)).resized

  val virtual = new VirtualQueue(
    nodes.slice(capacityAt, queueAt + 1),
    onTime.PASSED,
    CAPACITY,
    BYTES,
    parameter(capacityAt + VirtualQueue.roomAt, buffer)
  )

  val onDecide = new Area {
    val IS_ECT, MARKS = Payload(Bool())
    val IF_OVER, VERDICT = Payload(Verdict())
    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    private val found = nodes(capacityAt)
    private val isBeyond = found(CAPACITY) < inForce(
      capacityAt,
      onParameters.least,
      U(firstLeast, VirtualQueue.capacityBits bits)
    )
    found(MARKS) := found(IS_ECT) && parameter(capacityAt, ecn).lsb && !isBeyond
    private val before = nodes(queueAt - 1)
    before(IF_OVER) := Mux(before(MARKS), verdict(queueMark), verdict(queueDrop))
    nodes(queueAt)(VERDICT) := Mux(nodes(queueAt)(virtual.IS_OVER), nodes(queueAt)(IF_OVER), pass)
  }

  show(
    capacity,
    (onCapacity.virtual.capacity >> (VirtualCapacity.fraction - VirtualCapacity.rateFraction)).resized,
    shownAt = capacityAt
  )
  show(virtualQueue, (virtual.queue >> VirtualQueue.fraction).resized, shownAt = queueAt + 1)
  viewAt(capacityAt, "capacity", onCapacity.virtual.capacity)
  viewAt(queueAt + 1, "virtual_queue", virtual.queue)

  answer(nodes(latency)(onDecide.VERDICT))
  buildPipeline()

  /** Clocks from a set of parameters to all that is derived from it. */
  private def derivedAt = 10
  private val derivation = new Clocks(Seq(alpha, gamma, rate, markMost).map(io.parameters(_)))
  for (
    (name, derived) <- Seq(
      "weight" -> onParameters.weight,
      "gain" -> onParameters.gain,
      "start" -> onParameters.start,
      "least" -> onParameters.least
    )
  )
    Clocks.suffice(s"AvqCore.derivedAt, for its $name,", derivedAt, derivation.to(derived))
}
