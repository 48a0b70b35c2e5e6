// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package buffer

import sluice.blocks.state.RingAddresses
import spinal.core._
import spinal.lib._

/** A queue in block memory, with fewer than `depth` items in it, a power of two, which whoever fills it sees to. The memory is
  * slow and perhaps far: it gets a register before it and one behind it, and neither it nor these are ever held back.
  */
object FarQueue {
  def apply[T <: Data](input: Flow[T], depth: Int): Stream[T] = {
    val memory = Mem(cloneOf(input.payload), depth)
    val pushed = input.stage()
    val addresses = new RingAddresses(depth, pushed.valid)
    memory.write(addresses.tail, pushed.payload, enable = pushed.valid)
    FreeRunning(addresses.filled, cycles = 2) { address =>
      val read = Flow(cloneOf(input.payload))
      read.valid := Delay(address.valid, 2, init = False)
      read.payload := RegNext(memory.readSync(address.payload))
      read
    }
  }
}
