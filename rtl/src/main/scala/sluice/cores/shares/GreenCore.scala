// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.shares

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import sluice.blocks.cardinality.{Estimate, FlowBitmap, MinCount}
import sluice.blocks.controllers.{GreenRate, GreenShares}
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** Two draws are both below K / RTT with probability (K / RTT)^2. So a packet is dropped iff the larger of them times its RTT is below K:
  * one multiplication, no division, and no table.
  *
  * A window ends with an arrival. A tick looks whether one has ended, and works out what holds from then on; if none has, the next
  * arrival ends it.
  */
class GreenCore(green: GreenAlgorithm) extends AqmCore(green) {
  import green._
  private val productAt = 3 + WideMultiplier.wideLatency
  private val compareAt = productAt + 1
  private val decideAt = compareAt + 1
  val latency: Int = decideAt + 1
  private val lookNs = BigInt(1) << 20
  private val (compliantQueue, otherQueue) = (0, 1)

  /** Whether something happens to a packet of a queue, where there are several. */
  private def isOf(queue: Int, event: Bool, packet: UInt): Bool = if (queues > 1) event && packet === queue else event

  /** Counts the flows of one of the queues. */
  private class FlowCount(queue: Int) extends Area {
    private def comes = isOf(queue, io.arrival.valid, io.arrival.packet.queue)
    val isEnd = Bool()
    val number = Reg(UInt(GreenRate.flowsBits bits))
    private def limited(flows: UInt): UInt =
      flows.resize(number.getWidth) | U(number.getWidth bits, default -> (flows >> number.getWidth).orR)
    val latency: Int = if (isExact) {
      val bits = new FlowBitmap(idBits = 14)
      bits.io.s_arrival.valid := comes
      bits.io.s_arrival.payload := io.arrival.packet.flow
      bits.io.window_end := isEnd
      when(bits.io.m_count.valid)(number := limited(bits.io.m_count.payload << Estimate.fractionBits))
      bits.latency
    } else {
      val estimate = new MinCount(1024, 3, Estimate.all("exposure"), isSalted = false)
      estimate.io.s_arrival.valid := comes
      estimate.io.s_arrival.payload := io.arrival.packet.flow
      estimate.io.window_end := isEnd
      when(estimate.io.m_count.valid)(number := limited(estimate.io.m_count.flows))
      viewsOf(estimate, delay = 0, of = Seq("flows_", "others_")(queue))
      estimate.latency
    }
  }
  private val onCount = new FlowCount(compliantQueue)
  private val onOthers = (queues > 1) generate new FlowCount(otherQueue)
  private val counted = onCount.latency + 3 // clocks from a tick until all of a window that is over is known
  private val shared = counted + (if (queues > 1) GreenShares.end else 0)
  override def tickCycles(kind: Tick): Int = shared + GreenRate.end + 2

  /** In this clock a stage has the last packet before what a tick changes. */
  private def settles(stage: Int): Bool = sinceTick(onWindow).is(tickCycles(onWindow) + stage - 1)

  applyWhen(RegNext(io.apply, init = False))

  val onEnd = new Area {
    private val tick = io.tick(onWindow).valid
    val isAwaited = RegInit(True)
    val isOver = RegInit(False)
    val isWorked = RegNextWhen(isOver, tick) init False
    val ends = io.arrival.valid && isAwaited
    private val settling = settles(0)
    isAwaited := Mux(settling && !isWorked, !(isOver || ends), isAwaited && !ends)
    isOver := (isOver || ends) && !(settling && isWorked)

    private val interval = Reg(UInt(window.width bits)) init lookNs
    when(settling)(interval := Mux(isWorked, parameter(1, window), U(lookNs, window.width bits)))
    io.interval(onWindow) := interval.resized
  }

  /** What a window holds, a clock late: packets that leave or find no room with the arrival that ends it are the next one's. */
  val onWhat = new Area {
    private val ends = RegNext(onEnd.ends, init = False)
    private val now = RegNext(io.arrival.nowNs)
    val begin, end = Reg(UInt(Widths.timeNs bits)) init 0
    when(ends) {
      begin := end
      end := now
    }
    val elapsed = RegNext(end - begin)

    private val byteBits = 40
    private val leaves = RegNext(io.departed.valid, init = False)
    private val left = RegNext(io.departed.packet.bytes)
    private val bytes = Reg(UInt(byteBits bits)) init 0
    private val before = bytes.andMask(!ends)
    bytes := before + left.andMask(leaves && !before.msb)
    val departed = RegNextWhen(bytes, ends)

    // Of two queues the bytes of the compliant one are counted once more.
    val ofCompliant = (queues > 1) generate new Area {
      val leaves = RegNext(isOf(compliantQueue, io.departed.valid, io.departed.packet.queue), init = False)
      val bytes = Reg(UInt(byteBits bits)) init 0
      private val before = bytes.andMask(!ends)
      bytes := before + left.andMask(leaves && !before.msb)
      val departed = RegNextWhen(bytes, ends)
    }

    /** Whether a compliant packet of a window that is over had such a fate. */
    private def has(isSuch: SpinalEnumCraft[Fate.type] => Bool): Bool = {
      val now = io.settled.valid && isSuch(io.settled.fate)
      val happens = RegNext(isOf(compliantQueue, now, io.settled.packet.queue), init = False)
      val happened = RegInit(False)
      happened := happens || (happened && !ends)
      RegNextWhen(happened, ends)
    }
    val isOverflowed = has(_ === Fate.OVERLIMIT)
    val hasRefused = has(_ === Fate.REFUSED)
    val hasLetIn = has(_ =/= Fate.REFUSED)
    val isClosed = hasRefused && !hasLetIn

    onCount.isEnd := onEnd.ends
    if (queues > 1) onOthers.isEnd := onEnd.ends
  }

  val onShares = (queues > 1) generate new Area {
    val next = new GreenShares(
      clock => sinceTick(onWindow).is(counted + clock),
      onWhat.departed,
      onWhat.ofCompliant.departed,
      onCount.number,
      onOthers.number,
      parameter(1, quantum)
    )
    val isNew = settles(0) && onEnd.isWorked
    for (((port, status), quantum) <- io.quanta.zip(quantaNow).zip(next.quanta)) {
      port := RegNextWhen(quantum, isNew) init status.reset
      show(status, port, shownAt = 0)
    }
    show(others, RegNextWhen(onOthers.number, isNew) init 0, shownAt = 0)
  }

  val onRate = new Area {
    private def held[T <: Data](next: T, reset: => T): T =
      RegNextWhen(next, settles(compareAt) && onEnd.isWorked) init reset
    val gammaNow = Reg(UInt(gamma.width bits)) init gamma.reset
    val number = Reg(UInt(windows.width bits)) init 0
    private val (departed, flowsNow) =
      if (queues > 1) (onShares.next.departedEvenly, onShares.next.flows) else (onWhat.departed, onCount.number)
    val next = new GreenRate(
      clock => sinceTick(onWindow).is(shared + clock),
      onWhat.elapsed,
      departed,
      onWhat.isOverflowed,
      onWhat.isClosed,
      flowsNow,
      gammaNow,
      isFrozen = RegNext(number < parameter(1, freeze)),
      parameter(1, capacity),
      parameter(1, segment),
      parameter(1, gammaMin),
      parameter(1, gammaMax),
      parameter(1, decrease),
      parameter(1, wanted)
    )
    when(settles(compareAt) && onEnd.isWorked) {
      gammaNow := next.gamma
      number := number + U(next.utilisation =/= 0 && !number.andR)
    }
    val reachNow = held(next.reach, U(0, GreenRate.reachBits bits))
    show(flows, held(flowsNow, U(0, flows.width bits)), shownAt = compareAt)
    show(utilisation, held(next.utilisation, U(0, utilisation.width bits)), shownAt = compareAt)
    show(gamma, gammaNow, shownAt = compareAt)
    show(reach, (reachNow >> 6).resized, shownAt = compareAt)
    show(windows, number, shownAt = compareAt)
    viewAt(compareAt, "exact_reach", reachNow)

    /** What the last window held, and what was made of it, as long as its results are in force. */
    private def viewOf(name: String, value: => UInt): Unit =
      viewAt(compareAt, name, RegNextWhen(value, settles(compareAt) && onEnd.isWorked))
    viewOf("begin_ns", onWhat.begin)
    viewOf("elapsed_ns", onWhat.elapsed)
    viewOf("departed", departed)
    viewOf("is_overflowed", onWhat.isOverflowed.asUInt)
    viewOf("has_refused", onWhat.hasRefused.asUInt)
    viewOf("has_let_in", onWhat.hasLetIn.asUInt)
    if (isAlone) for ((name, value) <- next.views) viewOf(name, value)
  }

  val onDraw = new Area {
    val SAID, RTT = Payload(UInt(Widths.rttUs bits)) // RTT: what of it counts
    val FIRST, SECOND, LARGER = Payload(UInt(Widths.random bits))
    val IS_FIRST, HAS_RTT, IS_FAR, IS_ECT, IS_BELOW, IS_MARKED = Payload(Bool())
    val MARK_PRODUCTS = Payload(WideMultiplier.products(Widths.rttUs, markMost.fraction))
    val MARK_REACH = Payload(UInt(Widths.rttUs + 16 bits)) // up to which a packet is marked, Q22.16
    val WEIGHED = Payload(UInt(Widths.random + Widths.rttUs - 16 bits)) // Q22.16
    nodes(0)(SAID) := io.arrival.packet.rttUs
    nodes(0)(FIRST) := io.arrival.random(0)
    nodes(0)(SECOND) := io.arrival.random(1)
    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    nodes(1)(IS_FIRST) := nodes(1)(SECOND) < nodes(1)(FIRST)
    nodes(1)(HAS_RTT) := nodes(1)(SAID).orR
    nodes(1)(IS_FAR) := nodes(1)(SAID) > parameter(1, rttMost)
    nodes(2)(RTT) := Mux(nodes(2)(IS_FAR), parameter(2, rttMost), nodes(2)(SAID))
    nodes(2)(LARGER) := Mux(nodes(2)(IS_FIRST), nodes(2)(FIRST), nodes(2)(SECOND))
    nodes(productAt)(WEIGHED) := (WideMultiplier.wide(nodes(3)(LARGER), nodes(3)(RTT)) >> 16).resized
    private val n = nodes(compareAt)
    n(IS_BELOW) := n(WEIGHED) < onRate.reachNow && n(HAS_RTT)

    private val most =
      inForce(3, io.parameters(markMost).resize(markMost.fraction), U(markMost.raw, markMost.fraction bits))
    private val (multiplied, summed) = (nodes(3 + Multiplier.latency), nodes(4 + Multiplier.latency))
    multiplied(MARK_PRODUCTS) := WideMultiplier.multiplyApart(nodes(3)(RTT), most)
    summed(MARK_REACH) := (WideMultiplier.sum(summed(MARK_PRODUCTS)) >> (markMost.fraction - 16)).resized
    private val isBeyond = onRate.reachNow > n(MARK_REACH) && !inForce(compareAt, io.parameters(markMost).msb, False)
    n(IS_MARKED) := n(IS_ECT) && parameter(compareAt, ecn).lsb && !isBeyond
    viewAt(compareAt, "weighed", n(WEIGHED))
    viewAt(compareAt, "mark_reach", n(MARK_REACH))
  }

  val onDecide = new Area {
    val VERDICT = Payload(Verdict())
    private val n = nodes(decideAt)
    n(VERDICT) := pass
    when(n(onDraw.IS_BELOW))(n(VERDICT) := Mux(n(onDraw.IS_MARKED), verdict(unforcedMark), verdict(unforcedDrop)))
    answer(nodes(latency)(VERDICT))
  }

  buildPipeline()
}
