// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.blocks.state.RingAddresses
import sluice.contract._
import spinal.core._
import spinal.lib._

/** The queue of descriptors in block RAM: push one and pop one per clock, and beside it a port that reads any queued entry, so
  * that a core may look at a random packet of the queue.
  *
  * A pushed descriptor can be popped four clocks later. The ring never checks for room: whoever pushes keeps the number of
  * entries at most `depth - TileConfig.margin`. A sampled position counts from the oldest entry; the answer comes
  * [[DescriptorRing.sampleLatency]] clocks after and is the entry as it stood when asked, even if it has left since.
  */
class DescriptorRing(entry: HardType[Descriptor], depth: Int, withSample: Boolean) extends Component {
  val io = new Bundle {
    val push = slave(Flow(entry()))
    val pop = master(Stream(entry()))
    val sample = withSample generate new Bundle {
      val position = in(UInt(log2Up(depth) bits))
      val flow = out(Bits(Widths.flow bits))
    }
  }

  val memory = Mem(entry(), depth)
  val addresses = new RingAddresses(depth, io.push.valid)
  memory.write(addresses.tail, io.push.payload, enable = io.push.valid)
  // Block RAM is slow, so its output gets a register and waits for a registered answer, and so do the addresses; what is offered
  // comes from registers too, because from it follows in the same clock whether a packet leaves. Read is also where nothing is
  // filled: that is known late.
  val fetch = addresses.filled.s2mPipe()
  val fetched = fetch.m2sPipe().translateWith(memory.readSync(fetch.payload, enable = fetch.ready))
  io.pop << fetched.m2sPipe().s2mPipe().m2sPipe()

  val sampling = withSample generate new Area {
    val oldest = Reg(UInt(log2Up(depth) bits)) init 0
    when(io.pop.fire)(oldest := oldest + 1)
    val flows = Mem(Bits(Widths.flow bits), depth)
    flows.write(addresses.tail, io.push.flow, enable = io.push.valid)
    io.sample.flow := RegNext(flows.readSync(RegNext(oldest + io.sample.position)))
  }
}

object DescriptorRing {

  /** Clocks from a sampled position to its flow. */
  val sampleLatency = 3
}
