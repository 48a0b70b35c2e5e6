// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package numbers

import sluice.blocks.state.{ForwardedMemory, ResetNumber}
import spinal.core._
import spinal.lib._

object QueueTotal {

  /** Numbers by queue with one writer, which begin with zeros after a reset: read in the clock in which `queue` is there, and written
    * `ForwardedMemory.writeAt` clocks later if `isChanged` was true then. The owner drives `written`.
    *
    * @param bits
    *   of one queue's numbers
    */
  def apply(bits: Int, resets: ResetNumber, isChanged: Bool, queue: UInt): ForwardedMemory = {
    val index = Mux(resets.isFresh, resets.address, queue)
    val words = new ForwardedMemory(bits, resets.number, index, index)
    words.isWrite := Delay(isChanged || resets.isFresh, ForwardedMemory.writeAt, init = False)
    words
  }
}
