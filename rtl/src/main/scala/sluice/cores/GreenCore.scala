// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores

import sluice.blocks.arithmetic.WideMultiplier
import sluice.blocks.cardinality.{Estimate, MinCount}
import sluice.blocks.controllers.GreenRate
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** GREEN: A. Kapadia, W. Feng, R. Campbell, "GREEN: A TCP Equation-Based Approach to Active Queue Management", 2004. Every flow is dropped as
  * often as TCP must be to have its fair share at its round-trip time, whatever the queue: with p = (K / RTT)^2, K = N MSS c / (gamma L).
  *
  * The paper leaves open gamma's first value, which is 1 here, and its bounds; and a start in which gamma stands is ours.
  */
object Green extends Algorithm {
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
  val gammaMax = bound("gamma_max", 64, "largest gamma")
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
  val parameters = Seq(capacity, segment, window, freeze, gammaMin, gammaMax, decrease, wanted, ecn)
  val rules = Seq(capacity, window, gammaMin).map(Rule.isAtLeast(_, 1)) :+ Rule(
    "gamma_min_at_most_gamma_max",
    "gamma_min <= gamma_max",
    values => !(values(gammaMax) < values(gammaMin))
  )

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
  val status = Seq(flows, utilisation, gamma, reach, windows)

  val onWindow = Tick("window")
  override val ticks = Seq(onWindow)

  val needs = Needs(randomWords = 2, rtt = true, settled = true, departed = true)

  def core(): AqmCore = new GreenCore
}

/** Two draws are both below K / RTT with probability (K / RTT)^2. So a packet is dropped iff the larger of them times its RTT is below K:
  * one multiplication, no division, and no table.
  *
  * A window ends with an arrival. A tick looks whether one has ended, and works out what holds from then on; if none has, the next
  * arrival ends it.
  */
class GreenCore extends AqmCore(Green) {
  import Green._
  private val productAt = 3 + WideMultiplier.wideLatency
  private val compareAt = productAt + 1
  private val decideAt = compareAt + 1
  val latency: Int = decideAt + 1
  private val lookNs = BigInt(1) << 20

  private val counter = new MinCount(1024, 3, Estimate.all("exposure"), isSalted = false)
  private val counted = counter.latency + 3 // clocks from a tick until all of a window that is over is known
  override def tickCycles(kind: Tick): Int = counted + GreenRate.end + 2

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

    private val interval = Reg(UInt(Widths.intervalNs bits)) init lookNs
    when(settling)(interval := Mux(isWorked, parameter(1, window).resized, U(lookNs, Widths.intervalNs bits)))
    io.interval(onWindow) := interval
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

    private val noRoom = RegNext(io.settled.valid && io.settled.fate === Fate.OVERLIMIT, init = False)
    private val hadNone = RegInit(False)
    hadNone := noRoom || (hadNone && !ends)
    val isOverflowed = RegNextWhen(hadNone, ends)

    counter.io.s_arrival.valid := io.arrival.valid
    counter.io.s_arrival.payload := io.arrival.packet.flow
    counter.io.window_end := onEnd.ends
    private val estimate = counter.io.m_count.flows
    val number = RegNextWhen(
      estimate.resize(flows.width) | U(flows.width bits, default -> (estimate >> flows.width).orR),
      counter.io.m_count.valid
    )
  }

  val onRate = new Area {
    private def held[T <: Data](next: T, reset: => T): T =
      RegNextWhen(next, settles(compareAt) && onEnd.isWorked) init reset
    val gammaNow = Reg(UInt(gamma.width bits)) init gamma.reset
    val number = Reg(UInt(windows.width bits)) init 0
    val next = new GreenRate(
      clock => sinceTick(onWindow).is(counted + clock),
      onWhat.elapsed,
      onWhat.departed,
      onWhat.isOverflowed,
      onWhat.number,
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
    show(flows, held(onWhat.number, U(0, flows.width bits)), shownAt = compareAt)
    show(utilisation, held(next.utilisation, U(0, utilisation.width bits)), shownAt = compareAt)
    show(gamma, gammaNow, shownAt = compareAt)
    show(reach, (reachNow >> 6).resized, shownAt = compareAt)
    show(windows, number, shownAt = compareAt)
    viewAt(compareAt, "exact_reach", reachNow)
  }

  val onDraw = new Area {
    val RTT = Payload(UInt(Widths.rttUs bits))
    val FIRST, SECOND, LARGER = Payload(UInt(Widths.random bits))
    val IS_FIRST, HAS_RTT, IS_ECT, IS_BELOW = Payload(Bool())
    val WEIGHED = Payload(UInt(Widths.random + Widths.rttUs - 16 bits)) // Q22.16
    nodes(0)(RTT) := io.arrival.packet.rttUs
    nodes(0)(FIRST) := io.arrival.random(0)
    nodes(0)(SECOND) := io.arrival.random(1)
    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    nodes(1)(IS_FIRST) := nodes(1)(SECOND) < nodes(1)(FIRST)
    nodes(1)(HAS_RTT) := nodes(1)(RTT).orR
    nodes(2)(LARGER) := Mux(nodes(2)(IS_FIRST), nodes(2)(FIRST), nodes(2)(SECOND))
    nodes(productAt)(WEIGHED) := (WideMultiplier.wide(nodes(3)(LARGER), nodes(3)(RTT)) >> 16).resized
    private val n = nodes(compareAt)
    n(IS_BELOW) := n(WEIGHED) < onRate.reachNow && n(HAS_RTT)
    viewAt(compareAt, "weighed", n(WEIGHED))
  }

  val onDecide = new Area {
    val VERDICT = Payload(Verdict())
    private val n = nodes(decideAt)
    private val marks = n(onDraw.IS_ECT) && parameter(decideAt, ecn).lsb
    n(VERDICT) := pass
    when(n(onDraw.IS_BELOW))(n(VERDICT) := Mux(marks, verdict(unforcedMark), verdict(unforcedDrop)))
    answer(nodes(latency)(VERDICT))
  }

  buildPipeline()
}
