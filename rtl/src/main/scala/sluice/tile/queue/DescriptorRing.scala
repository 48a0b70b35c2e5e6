// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.blocks.state.RingAddresses
import sluice.contract._
import spinal.core._
import spinal.lib._

/** The queue of descriptors in block RAM: push one and pop one per clock. For a queue from which packets go only to the link; the
  * oldest few wait at its output, fetched before anybody asks.
  *
  * A pushed descriptor can be popped four clocks later. The ring never checks for room: whoever pushes keeps the number of
  * entries at most `depth - TileConfig.margin`.
  */
class DescriptorRing(entry: HardType[Descriptor], depth: Int) extends Component {
  val io = new Bundle {
    val push = slave(Flow(entry()))
    val pop = master(Stream(entry()))
    val isEmpty = out(
      Bool()
    ) // a clock ago nothing was pushed and nothing on its way out: of two such clocks nothing is in the ring
    val isOdd = out(Bool()) // a packet has left with another length than it came with
  }

  val memory = Mem(CheckedDescriptor(entry), depth)
  val addresses = new RingAddresses(depth, io.push.valid)
  memory.write(addresses.tail, CheckedDescriptor.of(entry, io.push.payload), enable = io.push.valid)
  // Block RAM is slow, so its output gets a register and waits for a registered answer, and so do the addresses; what is offered
  // comes from registers too, because from it follows in the same clock whether a packet leaves. Read is also where nothing is
  // filled: that is known late.
  val fetch = addresses.filled.s2mPipe()
  val fetched = fetch.m2sPipe().translateWith(memory.readSync(fetch.payload, enable = fetch.ready))
  private val offered = fetched.m2sPipe().s2mPipe()
  private val leaving = offered.m2sPipe()
  io.pop << leaving.map(_.descriptor)
  io.isEmpty := RegNext(!(fetched.valid || offered.valid || leaving.valid || io.push.valid), init = True)
  io.isOdd := RegNext(leaving.fire, init = False) && RegNext(leaving.isOdd)
}
