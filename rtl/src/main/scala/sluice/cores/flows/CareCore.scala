// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import sluice.blocks.estimators.{CaptureCam, CaptureStep, CountTable, FillLevel, FrequencyCounter, Jackknife, ListStep}
import sluice.blocks.probability.Sampler
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** CARE: M.-K. Chan, M. Hamdi, "An Active Queue Management Scheme Based on a Capture-Recapture Model", IEEE JSAC 2003.
  *
  * Every arrival is captured into a list with a small probability. How often a flow is in the list of t tells its rate, how
  * often the flows are in its newest part tells their number n: a flow with m2 entries takes more than its share if
  * m2 n > t, and is then dropped with probability 1 - t / (n m2).
  *
  * @param capacity
  *   longest list
  * @param withTable
  *   count the list by fingerprint in block memory instead of comparing every entry
  */
class CareAlgorithm(val capacity: Int, val withTable: Boolean) extends Algorithm {
  import Parameter.probability

  val name = "care"
  val summary = "Capture-recapture: drops flows that take more than the fair share, without state per flow"

  val windowCapacity: Int = capacity.min(64)

  val listLength =
    Parameter("list_length", "", Widths.count(capacity), 0, "captures", capacity, "t: captures that tell a flow's rate")
  val window = Parameter(
    "window",
    "",
    Widths.count(windowCapacity),
    0,
    "captures",
    windowCapacity.min(50),
    "t_n: the newest captures, which tell the number of flows"
  )
  val captureProbability = probability(
    "capture_probability",
    "",
    0.04,
    "p_cap: chance of a packet to be captured; the list spans list_length / p_cap packets"
  )
  val gate = Parameter(
    "gate",
    "",
    2,
    0,
    "code",
    2,
    "drop 0: at any queue, as in the paper, 1: only if the queue is not empty, 2: only from `gate_threshold` on"
  )
  val gateThreshold = Parameter(
    "gate_threshold",
    "",
    Widths.maxPackets,
    0,
    "packets",
    25,
    "queue from which gate 2 lets drop",
    follows = Some(Fact.limit * 0.25)
  )
  val ecn = Parameter.ecn
  private[flows] val chanceBits = 18
  val markMost = Parameter.markMost(
    "with `ecn`: mark while 1 - t / (n m2) is at most this, and drop beyond it; 1: always mark",
    default = 0.5,
    fraction = chanceBits
  )

  val parameters: Seq[Parameter] = Seq(listLength, window, captureProbability, gate, gateThreshold, ecn, markMost)

  val rules: Seq[Rule] = Seq(
    Rule.isAtLeast(listLength, CountTable.leastLength),
    Rule("list_length_in_capacity", s"list_length <= $capacity", v => v(listLength) <= capacity),
    Rule.isAtLeast(window, 1),
    Rule("window_in_capacity", s"window <= $windowCapacity", v => v(window) <= windowCapacity),
    Rule("window_in_list", "window <= list_length", v => v(window) <= v(listLength)),
    Rule.isProbability(captureProbability),
    Rule("gate_known", "gate <= 2", v => v(gate) <= 2),
    Rule.isProbability(markMost)
  )

  object Reasons {
    val drop = Reason("Unforced drop", isMark = false)
    val mark = Reason("Unforced mark", isMark = true)
  }
  val reasons: Seq[Reason] = Seq(Reasons.drop, Reasons.mark)

  val flows = Status("flows", Jackknife.estimateBits, 8, "flows", "n: estimated number of flows, at the last arrival")
  val recaptures = Status("recaptures", Widths.count(capacity), 0, "captures", "m2: entries of the last arrival's flow")
  val fill = Status("fill", Widths.count(capacity), 0, "captures", "captures in the list")
  val status: Seq[Status] = Seq(flows, recaptures, fill)

  val needs = Needs(randomWords = 2)

  override val options = Map(
    "capacity" -> "captures that the list can hold, 10..1024",
    "list" -> "cam: compare every entry; table: count by fingerprint in block memory"
  )
  override protected def withOptions(chosen: Options): Algorithm =
    new CareAlgorithm(
      chosen.number("capacity", capacity, 10, 1024),
      chosen.oneOf("list", withTable, "cam" -> false, "table" -> true)
    )

  def core(): AqmCore = new CareCore(this)
}

object Care extends CareAlgorithm(capacity = 200, withTable = false)

/** The pipeline. Stage 0 samples; 1 moves the fill levels; from 2 on the captures are searched; in the middle the flows are
  * estimated; then the packet is weighed against its share and judged. The search of the list and the estimate run side by side.
  */
class CareCore(care: CareAlgorithm) extends AqmCore(care) {
  import care._
  private val (sampleAt, fillAt, searchAt) = (0, 1, 2)

  val cam =
    if (withTable) new CaptureCam(windowCapacity, windowCapacity) else new CaptureCam(capacity, windowCapacity)
  val table = withTable generate new CountTable(capacity, log2Up(capacity) + 4)
  val counter = new FrequencyCounter(windowCapacity)
  val jackknife = new Jackknife(windowCapacity)

  private val changeAt = searchAt + cam.windowLatency
  private val capturesAt = changeAt + FrequencyCounter.latency - Jackknife.frequenciesAt
  private val countAt = searchAt + (if (withTable) table.latency else cam.latency)
  private val estimateAt = capturesAt + Jackknife.latency
  private val (weighAt, chanceAt) = (estimateAt + Multiplier.latency, estimateAt + 2 * Multiplier.latency)
  private val decideAt = chanceAt + 1
  val latency = decideAt + 1

  applyWhen(RegNext(io.apply, init = False))

  val onSample = new Area {
    val FLOW = Payload(Bits(Widths.flow bits))
    val DRAW = Payload(UInt(Widths.random bits))
    val IS_CAPTURED = Payload(Bool())
    nodes(0)(FLOW) := io.arrival.packet.flow
    nodes(0)(DRAW) := io.arrival.random(0)
    nodes(sampleAt)(IS_CAPTURED) := Sampler.isTaken(nodes(sampleAt)(DRAW), parameter(sampleAt, captureProbability))
  }

  val onFill = new Area {
    val n = nodes(fillAt)
    val isCaptured = n(onSample.IS_CAPTURED)
    val list = new FillLevel(capacity, n.isValid, isCaptured, parameter(fillAt, listLength))
    val window = new FillLevel(windowCapacity, n.isValid, isCaptured, parameter(fillAt, care.window))
    val STEP = Payload(CaptureStep(capacity, windowCapacity))
    val FILL = Payload(UInt(Widths.count(capacity) bits))
    val WINDOW_FILL = Payload(UInt(Widths.count(windowCapacity) bits))
    n(STEP).flow := n(onSample.FLOW)
    n(STEP).isCaptured := isCaptured && n.isValid
    n(STEP).list := ListStep(capacity, list)
    n(STEP).window := ListStep(windowCapacity, window)
    n(FILL) := list.after
    n(WINDOW_FILL) := window.after
  }

  val onSearch = new Area {
    val step = nodes(searchAt)(onFill.STEP)
    val RECAPTURES = Payload(UInt(Widths.count(capacity) bits))
    private def search(port: spinal.lib.Flow[CaptureStep]): Unit = {
      port.valid := nodes(searchAt).isValid
      port.flow := step.flow
      port.isCaptured := step.isCaptured
      move(port.window, step.window)
      move(port.list, if (port.list.capacity == capacity) step.list else step.window)
    }
    private def move(to: ListStep, from: ListStep): Unit = {
      to.isCut := from.isCut
      to.level := from.level.resized
    }
    search(cam.io.step)
    if (withTable) search(table.io.step)
    nodes(countAt)(RECAPTURES) := (if (withTable) table.io.count.payload else cam.io.count.payload)
  }

  val onEstimate = new Area {
    counter.io.change := cam.io.window.payload
    jackknife.io.captures.valid := nodes(capturesAt).isValid
    jackknife.io.captures.payload := nodes(capturesAt)(onFill.WINDOW_FILL).resized
    for ((to, from) <- jackknife.io.frequencies.flatten.zip(counter.io.frequencies.flatten)) {
      to.asInstanceOf[UInt] := from.asInstanceOf[UInt].resized
    }
  }

  val onWeigh = new Area {
    val n = nodes(estimateAt)
    val bits = Jackknife.estimateBits + Widths.count(capacity)
    val FLOWS = Payload(UInt(Jackknife.estimateBits bits))
    val WEIGHT = Payload(UInt(bits bits)) // n m2, 8 fraction bits
    n(FLOWS) := jackknife.io.estimate.payload
    nodes(weighAt)(WEIGHT) := Multiplier(n(FLOWS), n(onSearch.RECAPTURES))

    for ((s, value) <- Seq(care.flows -> n(FLOWS), recaptures -> n(onSearch.RECAPTURES), fill -> n(onFill.FILL)))
      show(s, RegNextWhen(value, n.isValid, init = value.getZero), shownAt = estimateAt + 1)
  }

  // Take iff U n m2 < (n m2 - t) 2^18, that is ~U n m2 + n m2 - t 2^18 - 1 >= 0. Beyond `mark_most` iff M n m2 < (n m2 - t) 2^18, M being
  // that, and so with ~M in the place of ~U.
  val onChance = new Area {
    val (w, n) = (nodes(weighAt), nodes(chanceAt))
    val CHANCE = Payload(UInt(chanceBits bits)) // ~U
    val PRODUCTS, MARK_PRODUCTS = Payload(WideMultiplier.products(onWeigh.bits, chanceBits))
    val restBits = Widths.count(capacity) + 8 + chanceBits + 2
    val PRODUCT, MARK_PRODUCT = Payload(UInt(onWeigh.bits + chanceBits bits))
    val REST = Payload(SInt(restBits bits))
    val IS_OPEN = Payload(Bool())
    val IS_ECT = Payload(Bool())
    val QUEUE = Payload(UInt(Widths.maxPackets bits))

    nodes(0)(CHANCE) := ~(io.arrival.random(1) >> (Widths.random - chanceBits))
    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    nodes(0)(QUEUE) := io.arrival.queuePackets
    nodes(1)(IS_OPEN) := parameter(1, gate).mux(
      0 -> True,
      1 -> (nodes(1)(QUEUE) =/= 0),
      default -> !(nodes(1)(QUEUE) < parameter(1, gateThreshold))
    )
    n(PRODUCTS) := WideMultiplier.multiplyApart(w(onWeigh.WEIGHT), w(CHANCE))
    n(PRODUCT) := WideMultiplier.sum(n(PRODUCTS)).resized
    private val most = inForce(
      chanceAt - Multiplier.latency,
      ~io.parameters(markMost).resize(chanceBits),
      U((BigInt(1) << chanceBits) - 1 - markMost.raw, chanceBits bits)
    )
    n(MARK_PRODUCTS) := WideMultiplier.multiplyApart(w(onWeigh.WEIGHT), most)
    n(MARK_PRODUCT) := WideMultiplier.sum(n(MARK_PRODUCTS)).resized
    n(REST) := n(onWeigh.WEIGHT).intoSInt.resize(restBits) - (n(onFill.FILL) << (8 + chanceBits)).intoSInt
      .resize(restBits) - 1
  }

  val onDecide = new Area {
    val n = nodes(decideAt)
    val VERDICT = Payload(Verdict())
    val excess = n(onChance.PRODUCT).intoSInt + n(onChance.REST)
    val isMarked = (n(onChance.MARK_PRODUCT).intoSInt + n(onChance.REST)).msb ||
      inForce(decideAt, io.parameters(markMost).msb, False)
    n(VERDICT) := pass
    when(!excess.msb && n(onChance.IS_OPEN)) {
      n(VERDICT) := Mux(
        parameter(decideAt, ecn).lsb && n(onChance.IS_ECT) && isMarked,
        verdict(Reasons.mark),
        verdict(Reasons.drop)
      )
    }
  }

  viewAt(sampleAt, "captured", nodes(sampleAt)(onSample.IS_CAPTURED).asUInt)
  viewAt(fillAt, "window_fill", nodes(fillAt)(onFill.WINDOW_FILL))
  viewsOf(jackknife, latency - estimateAt)
  viewAt(weighAt, "weight", nodes(weighAt)(onWeigh.WEIGHT))
  viewAt(decideAt, "excess", onDecide.excess.asUInt)
  viewAt(decideAt, "mark_product", nodes(decideAt)(onChance.MARK_PRODUCT))

  answer(nodes(latency)(onDecide.VERDICT))
  buildPipeline()
}
