// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.shares

import sluice.blocks.arithmetic.WideMultiplier
import sluice.blocks.cardinality.{Estimate, FlowBitmap, MinCount}
import sluice.blocks.controllers.GreenRate
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** GREEN: A. Kapadia, W. Feng, R. Campbell, "GREEN: A TCP Equation-Based Approach to Active Queue Management", 2004. Every flow is dropped as
  * often as TCP must be to have its fair share at its round-trip time, whatever the queue: with p = (K / RTT)^2, K = N MSS c / (gamma L).
  *
  * The paper leaves open gamma's first value, which is 1 here, and its bounds; and a start in which gamma stands is ours.
  *
  * @param isExact
  *   flows are counted by a bit for each, not estimated by MINCOUNT
  */
class GreenAlgorithm(val isExact: Boolean) extends Algorithm {
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

  override val options = Map(
    "counter" -> "how flows are counted: mincount, an estimate, or bitmap, a bit for each of 16,384 ids"
  )
  override protected def withOptions(settings: Map[String, String]): Algorithm = {
    val counters = Map("mincount" -> false, "bitmap" -> true)
    new GreenAlgorithm(
      counters.getOrElse(
        settings("counter"),
        throw new IllegalArgumentException(s"counter must be mincount or bitmap, not '${settings("counter")}'")
      )
    )
  }

  def core(): AqmCore = new GreenCore(this)
}

object Green extends GreenAlgorithm(isExact = false)

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

  private val onCount = new Area {
    val isEnd = Bool()
    val number = Reg(UInt(GreenRate.flowsBits bits))
    private def limited(flows: UInt): UInt =
      flows.resize(number.getWidth) | U(number.getWidth bits, default -> (flows >> number.getWidth).orR)
    val latency: Int = if (isExact) {
      val bits = new FlowBitmap(idBits = 14)
      bits.io.s_arrival.valid := io.arrival.valid
      bits.io.s_arrival.payload := io.arrival.packet.flow
      bits.io.window_end := isEnd
      when(bits.io.m_count.valid)(number := limited(bits.io.m_count.payload << Estimate.fractionBits))
      bits.latency
    } else {
      val estimate = new MinCount(1024, 3, Estimate.all("exposure"), isSalted = false)
      estimate.io.s_arrival.valid := io.arrival.valid
      estimate.io.s_arrival.payload := io.arrival.packet.flow
      estimate.io.window_end := isEnd
      when(estimate.io.m_count.valid)(number := limited(estimate.io.m_count.flows))
      estimate.latency
    }
  }
  private val counted = onCount.latency + 3 // clocks from a tick until all of a window that is over is known
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

    onCount.isEnd := onEnd.ends
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
      onCount.number,
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
    show(flows, held(onCount.number, U(0, flows.width bits)), shownAt = compareAt)
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
