// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.blocks.state.{DeepMemory, ResetNumber}
import sluice.contract.Widths
import spinal.core._
import spinal.lib._

/** Each queue's quantum in block memory: what the host has set, or what holds for all others. A reset forgets what was set.
  *
  * @param select
  *   the queue that is set
  * @param set
  *   its quantum, in bytes; 0: as all others again
  * @param others
  *   bytes, of a queue that has none of its own
  */
class Quanta(select: UInt, set: Flow[UInt], others: UInt) extends Area {
  private val queueBits = select.getWidth
  private val resets = new ResetNumber(queueBits, writing = 1)
  private val isWriting = RegNext(set.valid || resets.isFresh, init = False)
  private val queue = RegNext(Mux(resets.isFresh, resets.address, select))
  private val word = RegNext(resets.number ## set.payload.andMask(set.valid))

  /** The quantum of a queue, [[Quanta.latency]] clocks later. */
  def of(queue: UInt): UInt = {
    val memory = new DeepMemory(word.getWidth, 1 << queueBits).beginningWithZeros()
    memory.write(this.queue, word, isWriting)
    val read = RegNext(memory.readSync(queue)).asUInt // slow at its output
    val bytes = read.resize(Widths.quantum)
    val isOwn = RegNext((read >> Widths.quantum) === resets.number && bytes =/= 0)
    RegNext(Mux(isOwn, RegNext(bytes), others))
  }
}

object Quanta {
  val latency = 4
}
