// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import sluice.blocks.state.{ForwardedMemory, ResetNumber}
import sluice.contract.Widths
import spinal.core._
import spinal.lib._

/** The list of captures as counters in block memory: same steps and same answer as [[CaptureCam]], as long as no two flows
  * share a fingerprint. The fingerprint is the low bits of the flow id, which is well mixed. A packet's count is wrong with a
  * probability of at most t / 2^fingerprintBits, and then too high.
  *
  * Two counters per fingerprint: entries ever entered, and entries ever removed; their difference is the count. Entries leave
  * in the order in which they came, so the ring keeps with each entry the number it made of the first counter, and that is
  * what its leaving writes to the second: each counter has one reader and one writer.
  *
  * A reset empties all of it at once, however soon after another ([[ResetNumber]]): in the clock after it no arrival comes. Fill levels
  * must not fall below [[CountTable.leastLength]] by removal.
  */
class CountTable(val capacity: Int, val fingerprintBits: Int) extends Component {
  import CountTable._
  val io = new Bundle {
    val step = slave(Flow(CaptureStep(capacity, capacity)))
    val count = master(Flow(UInt(Widths.count(capacity) bits)))
  }
  private val countBits = Widths.count(capacity)

  val resets = new ResetNumber(fingerprintBits, writing = lookUpAt + ForwardedMemory.writeAt + 1)

  case class Entry() extends Bundle {
    val fingerprint = UInt(fingerprintBits bits)
    val ordinal = UInt(countBits bits)
  }
  val ring = Mem(Entry(), 1 << log2Up(capacity))
  val onOldest = new Area {
    val isCut = io.step.valid && io.step.list.isCut
    val next = Reg(UInt(ring.addressWidth bits)) init 0
    when(isCut)(next := next + 1)
    val entry = RegNext(ring.readSync(next))
  }

  val onLookUp = new Area {
    val isFresh = Delay(resets.isFresh, lookUpAt + ForwardedMemory.writeAt, init = False)
    val address = Mux(resets.isFresh, resets.address, io.step.flow(0, fingerprintBits bits).asUInt)
    val key = Delay(address, lookUpAt)
    val isCut = Delay(onOldest.isCut, lookUpAt, init = False)
    val oldest = onOldest.entry
    val isOwn = isCut && oldest.fingerprint === key // what leaves is of the arrival's own fingerprint

    val entered = new ForwardedMemory(countBits, resets.number, key, key)
    val removed =
      new ForwardedMemory(countBits, resets.number, key, Mux(isCut, oldest.fingerprint, key))
  }

  val onCount = new Area {
    private def late[T <: Data](x: T): T = Delay(x, ForwardedMemory.writeAt)
    val isCaptured = Delay(io.step.valid && io.step.isCaptured, lookUpAt + ForwardedMemory.writeAt, init = False)
    val isCut = Delay(onLookUp.isCut, ForwardedMemory.writeAt, init = False)
    val ordinal = late(onLookUp.oldest.ordinal)
    import onLookUp.{entered, isFresh, removed}

    entered.isWrite := isCaptured || isFresh
    entered.written := entered.value + U(isCaptured)
    removed.isWrite := isCut || isFresh
    removed.written := Mux(isCut, ordinal, removed.value)

    val came = RegNext(entered.written)
    val left = RegNext(Mux(late(onLookUp.isOwn), ordinal, removed.value))
    io.count.valid := Delay(io.step.valid, latency, init = False)
    io.count.payload := RegNext(came - left)

    val newest = Entry()
    newest.fingerprint := RegNext(late(onLookUp.key))
    newest.ordinal := came
    val isEntered = RegNext(isCaptured, init = False)
    ring.write(Counter(1 << ring.addressWidth, isEntered), newest, isEntered)
  }

  def latency: Int = CountTable.latency
}

object CountTable {
  private val lookUpAt = 2
  val latency: Int = lookUpAt + ForwardedMemory.writeAt + 2

  /** An entry is written to the ring this many arrivals, or fewer, before it may leave. */
  val leastLength = 8
}
