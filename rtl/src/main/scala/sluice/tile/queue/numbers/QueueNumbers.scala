// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package numbers

import sluice.blocks.state.{DeepMemory, ResetNumber}
import spinal.core._
import spinal.lib._

/** A number of each queue in block memory, as the host has set it. A reset makes all of them 0.
  *
  * @param select
  *   the queue that is set
  * @param set
  *   its number
  */
class QueueNumbers(select: UInt, set: Flow[UInt]) extends Area {
  private val queueBits = select.getWidth
  private val resets = new ResetNumber(queueBits, writing = 1)
  private val isWriting = RegNext(set.valid || resets.isFresh, init = False)
  private val written = RegNext(Mux(resets.isFresh, resets.address, select))
  private val word = RegNext(resets.number ## set.payload.andMask(set.valid))

  /** A look, of a queue in each clock. */
  class Look(queue: UInt) extends Area {
    private val memory = new DeepMemory(word.getWidth, 1 << queueBits).beginningWithZeros()
    memory.write(written, word, isWriting)
    private val read = RegNext(memory.readSync(queue)).asUInt // slow at its output
    private val bits = read.resize(set.payload.getWidth)
    private val isOfReset = (read >> set.payload.getWidth) === resets.number

    /** [[QueueNumbers.latency]] clocks later: the number, and whether that is to be taken for it. */
    val number = RegNext(bits)
    val isSet = RegNext(isOfReset && bits =/= 0)
  }

  /** The number of a queue, [[QueueNumbers.latency]] clocks later. */
  def of(queue: UInt): UInt = {
    val look = new Look(queue)
    look.number.andMask(look.isSet)
  }
}

object QueueNumbers {
  val latency = 3
}
