// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.cardinality

import sluice.blocks.arithmetic.SaltedHash
import sluice.contract.{Ports, Views}
import spinal.core._
import spinal.lib._

/** What is said of a window.
  *
  * @param flows
  *   an estimate, Q24.8
  * @param arrivals
  *   packets, modulo 2^32
  * @param stored
  *   numbers kept in all buckets
  */
case class MinCounted(buckets: Int, values: Int) extends Bundle {
  val flows = UInt(Estimate.flowsBits bits)
  val arrivals = UInt(32 bits)
  val stored = UInt(log2Up(buckets * values + 1) bits)
}

/** How many flows are there? Counts the distinct ids among those that come, one per clock, window after window: MINCOUNT of F. Giroire
  * (AofA 2005).
  *
  * The first bits of a flow's hash choose a bucket, the next 20 are a number of which each bucket keeps the smallest. There are two
  * banks of buckets. When a window ends, the next one begins in the same clock in the other bank, while the finished one is read and emptied,
  * a bucket per clock, and its estimate made. [[latency]] clocks after `window_end` it is on `m_count`; until then `busy` is high and
  * an end is not heeded: the window goes on. An id that comes with `window_end` is the first of the next window. A reset empties
  * everything at once, and its first clock may bring the first id.
  *
  * @param estimate
  *   what makes the number of flows out of the buckets, of [[Estimate.all]]
  * @param isSalted
  *   ids are hashed first ([[SaltedHash]]), with `salt` of their clock, which must stay for a window; otherwise the ids must have 32 bits
  *   as well mixed as those of [[sluice.packet.parser.FlowHash]]
  */
class MinCount(buckets: Int, values: Int, estimate: SweptBuckets => Estimate, isSalted: Boolean)
    extends Component
    with Views {
  require(isPow2(buckets) && 64 <= buckets && buckets <= 1024, s"64 to 1024 buckets, a power of two, not $buckets")
  require(1 <= values && values <= 3, s"1 to 3 numbers in a bucket, not $values")
  private val indexBits = log2Up(buckets)

  val io = new Bundle {
    val s_arrival = slave(Flow(Bits(32 bits)))
    val salt = isSalted generate in(Bits(64 bits))
    val window_end = in(Bool())
    val busy = out(Bool())
    val m_count = master(Flow(MinCounted(buckets, values)))
  }
  noIoPrefix()
  io.s_arrival.payload.setName("s_arrival_flow")
  Ports.name("m_count", io.m_count.payload)

  val onWindow = new Area {
    val isBusy = RegInit(False)
    val isEnd = io.window_end && !isBusy
    val bank = RegInit(False)
    bank := bank ^ isEnd
    when(isEnd)(isBusy := True)
    when(io.m_count.valid)(isBusy := False)

    val arrivals, arrivalsBefore = Reg(UInt(32 bits)) init 0
    arrivals := Mux(isEnd, U(0), arrivals) + U(io.s_arrival.valid)
    when(isEnd)(arrivalsBefore := arrivals)
  }
  io.busy := onWindow.isBusy

  private val hashLatency = if (isSalted) SaltedHash.latency else 0
  private val stepAt = 1 + hashLatency

  val onStep = new Area {
    val flow = RegNext(io.s_arrival.payload)
    val hash = if (isSalted) new SaltedHash(flow, RegNext(io.salt)).hash else flow
    val filled = Delay(onWindow.bank ^ onWindow.isEnd, stepAt, init = False)
    val isEnd = Delay(onWindow.isEnd, stepAt, init = False)

    // The last numbers of a finished bank are written first.
    val sweep = Flow(UInt(indexBits bits))
    val place = Reg(UInt(indexBits + 1 bits)) init buckets
    sweep.valid := !place.msb
    sweep.payload := place.resized
    when(Delay(isEnd, MinBanks.writeAt, init = False))(place := 0).elsewhen(sweep.valid)(place := place + 1)

    val step = Flow(MinStep(indexBits))
    step.valid := Delay(io.s_arrival.valid, stepAt, init = False)
    step.index := hash.asUInt >> (32 - indexBits)
    step.number := ~hash(31 - indexBits downto 32 - indexBits - MinWord.numberBits).asUInt
    val banks = new MinBanks(indexBits, values, step, filled, sweep)
  }

  val onSwept = new Area {
    val isOn = Delay(onStep.sweep.valid, MinBanks.sweptAt, init = False)
    val isThere = onStep.banks.onSwept.isThere
    val stored = new Tally(isOn, CountOne(isThere), widthOf(io.m_count.stored))
    val result = estimate(SweptBuckets(buckets, values, isOn, isThere, onStep.banks.onSwept.last, stored.total))
  }

  io.m_count.valid := onSwept.result.isDone
  io.m_count.flows := onSwept.result.flows
  io.m_count.arrivals := onWindow.arrivalsBefore
  io.m_count.stored := onSwept.stored.total

  // A counter that stands alone is a product, and only one in a core that does is a bench's.
  if (!isAlone) for ((name, value) <- onSwept.result.views) view(name, value, delay = 0)

  /** Clocks from `window_end` to `m_count`. */
  val latency: Int = stepAt + MinBanks.writeAt + buckets + MinBanks.sweptAt + onSwept.result.latency
}
