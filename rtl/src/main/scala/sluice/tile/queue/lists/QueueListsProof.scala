// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import sluice.contract._
import sluice.checks.Proof
import spinal.core._
import spinal.lib._

/** Small [[QueueLists]] among anything: packets come to any queue while there is room, and the link takes them or waits. Each queue's
  * packets leave once and in their order, and no slot is given to a packet while another is in it.
  */
class QueueListsProof extends Proof {
  private val (queues, depth) = (3, 4)
  private val numberBits = 4 // of a packet, in the order of pushing in its queue; it may overflow
  private def descriptor() = Descriptor(queueBits = Widths.queue(queues))

  val lists = new QueueLists(HardType(descriptor()), queues, depth)

  class OfQueue(queue: Int) extends Area {
    val pushed, left = Reg(UInt(numberBits bits)) init 0
    when(lists.io.push.valid && lists.io.push.queue === queue)(pushed := pushed + 1)
    when(lists.io.pop.fire && lists.io.pop.payload.queue === queue)(left := left + 1)
  }
  val each = Seq.tabulate(queues)(new OfQueue(_))
  private def of(queue: UInt)(value: OfQueue => UInt): UInt = Vec(each.map(value)).read(queue)

  // The memories of totals begin with zeros, and nothing is being written.
  private val totals = Seq(lists.pushed.words, lists.onPop.came.copy, lists.popped.words, lists.onPush.gone.copy)
  private val stored = totals.map(memory =>
    lists.rework(out(Vec((0 to queues).map(word => memory.columns.head.readAsync(U(word, 2 bits))))))
  )
  assumeInitial(stored.map(_.asBits === 0).reduce(_ && _))
  for (writing <- Seq(lists.resets.isFreshWritten, lists.pushed.isWriting, lists.popped.isWriting))
    assumeInitial(!writing.pull())

  private val held = each.map(queue => queue.pushed - queue.left).reduce(_ + _)

  private val isFirst = RegNext(False) init True
  lists.io.push.payload := free(HardType(descriptor()))
  lists.io.push.flow.allowOverride() := of(lists.io.push.queue)(_.pushed).asBits.resized
  lists.io.push.valid := free(Bool()) && held < depth - 1 && !isFirst && lists.io.push.queue < queues
  lists.io.pop.ready := free(Bool())
  lists.io.quantum := free(HardType(UInt(Widths.quantum bits)))
  lists.io.select := free(HardType(UInt(Widths.queue(queues) bits)))
  lists.io.setQuantum := free(HardType(Flow(UInt(Widths.quantum bits))))
  lists.io.restart := False

  when(isRunning) {
    when(lists.io.pop.valid) {
      assert(lists.io.pop.payload.queue < queues)
      assert(lists.io.pop.flow === of(lists.io.pop.payload.queue)(_.left).asBits.resized)
      assert(of(lists.io.pop.payload.queue)(_.left) =/= of(lists.io.pop.payload.queue)(_.pushed))
    }
    assert(held < depth)
    cover(each.head.left === 2 && each(1).left === 1)
  }
}
