// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package buffer

import sluice.blocks.state.RingAddresses
import spinal.core._
import spinal.lib._

/** Work that is never held back, between two streams that may be: what is let in has a place in a small
  * queue at the end. So no register on the way needs an enable, and block memories and multipliers can use their own. One item
  * per clock. What waits, waits in the queue: only its addresses and the last register are held back, and the input never sees
  * the output's ready in the same clock.
  */
object FreeRunning {

  /** For the work, the queue and the way back, and the one that a ring keeps free. */
  def places(cycles: Int): Int = 1 << log2Up(cycles + 5)

  /** @param cycles
    *   clocks that `work` takes
    */
  def apply[A <: Data, B <: Data](input: Stream[A], cycles: Int)(work: Flow[A] => Flow[B]): Stream[B] = {
    val places = FreeRunning.places(cycles)
    val free = Reg(UInt(log2Up(places) bits)) init places - 1
    val enters = input.haltWhen(free === 0).toFlow
    val done = work(enters)

    val memory = Mem(cloneOf(done.payload), places)
    val addresses = new RingAddresses(places, done.valid)
    memory.write(addresses.tail, done.payload, enable = done.valid)
    val waiting = addresses.filled.s2mPipe().m2sPipe().map(memory.readAsync(_))
    free := free - U(enters.valid) + U(RegNext(waiting.fire, init = False))
    waiting.m2sPipe()
  }
}
