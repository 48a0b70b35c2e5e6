// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import spinal.core._
import spinal.lib._

/** The slots of a memory that no packet is in, one given and one taken back per clock. Right in the first clock after a reset: each slot
  * is given once in the order of its number, and only then those that came back, in the order in which they did.
  *
  * Nothing here checks whether there is one: whoever takes keeps fewer than `depth` taken and not given back, counting one that was
  * given back from the second clock on.
  *
  * @param depth
  *   slots, a power of two
  */
class FreeSlots(depth: Int) extends Component {
  private val slotBits = log2Up(depth)
  val io = new Bundle {
    val take = in(Bool())
    val slot = out(UInt(slotBits bits)) // [[FreeSlots.latency]] clocks after it was taken
    val back = slave(Flow(UInt(slotBits bits)))
    val restart = in(Bool()) // none is taken or given back in this clock or on its way: all are free, as after a reset
  }

  val taken, cameBack = Reg(UInt(slotBits bits)) init 0
  val wereAllTaken = RegInit(False)
  when(io.take) {
    taken := taken + 1
    when(taken.andR)(wereAllTaken := True)
  }
  when(io.back.valid)(cameBack := cameBack + 1)
  when(io.restart) {
    taken := 0
    cameBack := 0
    wereAllTaken := False
  }

  // The n-th that came back is the n-th that is taken once all were.
  val ring = Mem(UInt(slotBits bits), depth)
  ring.write(cameBack, io.back.payload, enable = io.back.valid)
  private val cameBackBefore = RegNext(ring.readSync(taken))
  io.slot := RegNext(Mux(Delay(wereAllTaken, 2), cameBackBefore, Delay(taken, 2)))
}

object FreeSlots {
  val latency = 3
}
