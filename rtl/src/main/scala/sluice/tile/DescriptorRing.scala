// SPDX-License-Identifier: Apache-2.0
package sluice.tile

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
class DescriptorRing(queues: Int, depth: Int, withSample: Boolean) extends Component {
  val io = new Bundle {
    val push = slave(Flow(Descriptor(queues)))
    val pop = master(Stream(Descriptor(queues)))
    val sample = withSample generate new Bundle {
      val position = in(UInt(log2Up(depth) bits))
      val flow = out(Bits(Widths.flow bits))
    }
  }

  val memory = Mem(Descriptor(queues), depth)
  val tail = Reg(UInt(log2Up(depth) bits)) init 0 // where the next push goes
  val next = Reg(UInt(log2Up(depth) bits)) init 0 // the next entry to fetch for the pop side

  memory.write(tail, io.push.payload, enable = io.push.valid)
  when(io.push.valid)(tail := tail + 1)

  val fetch = Stream(UInt(log2Up(depth) bits))
  fetch.valid := next =/= tail
  fetch.payload := next
  when(fetch.fire)(next := next + 1)
  // Block RAM is slow, so its output gets a register and waits for a registered answer; what is offered comes from registers too,
  // because from it follows in the same clock whether a packet leaves.
  io.pop << memory.streamReadSync(fetch.s2mPipe()).m2sPipe().s2mPipe().m2sPipe()

  val sampling = withSample generate new Area {
    val oldest = Reg(UInt(log2Up(depth) bits)) init 0
    when(io.pop.fire)(oldest := oldest + 1)
    val flows = Mem(Bits(Widths.flow bits), depth)
    flows.write(tail, io.push.flow, enable = io.push.valid)
    io.sample.flow := RegNext(flows.readSync(RegNext(oldest + io.sample.position)))
  }
}

object DescriptorRing {

  /** Clocks from a sampled position to its flow. */
  val sampleLatency = 3
}
