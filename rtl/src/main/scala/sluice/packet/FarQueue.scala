// SPDX-License-Identifier: Apache-2.0
package sluice.packet

import spinal.core._
import spinal.lib._

/** A queue in block memory that is never full, which whoever fills it sees to. The memory is slow and perhaps far: it gets a
  * register before it and two behind it, one of which it can use as its own, and whoever waits for it a registered answer.
  */
object FarQueue {
  def apply[T <: Data](input: Flow[T], depth: Int): Stream[T] =
    input.stage().toStream.queue(depth).m2sPipe().s2mPipe().m2sPipe()
}
