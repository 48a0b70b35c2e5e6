// SPDX-License-Identifier: Apache-2.0
package sluice.packet

import spinal.core._
import spinal.lib._

/** Work of up to three clocks that is never held back, between two streams that may be: what is let in has a place in a small
  * queue at the end. So no register on the way needs an enable, and block memories and multipliers can use their own. One item
  * per clock.
  */
object FreeRunning {
  private val places = 8 // the work, the queue, and the way back

  def apply[A <: Data, B <: Data](input: Stream[A])(work: Flow[A] => Flow[B]): Stream[B] = {
    val free = Reg(UInt(log2Up(places + 1) bits)) init places
    val enters = input.haltWhen(free === 0).toFlow
    val done = work(enters).toStream.queueLowLatency(places, latency = 1)
    free := free - U(enters.valid) + U(done.fire)
    done.m2sPipe().s2mPipe()
  }
}
