// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.contract._
import sluice.checks.Proof
import spinal.core._

/** Small [[QueueRings]] among anything: packets come to any queue that has room, with any quanta, and the link takes them or waits. Each
  * queue's packets leave once and in their order, none is lost for lack of room, and no deficit leaves its range.
  */
class QueueRingsProof(discipline: String) extends Proof {
  private val (queues, depth) = (2, 4)
  private val numberBits = 5 // of a packet, in the order of pushing in its queue; it may overflow
  private def descriptor() = Descriptor(queueBits = Widths.queue(queues))

  val rings = new QueueRings(HardType(descriptor()), queues, depth, discipline, QueueRings.ahead)

  class OfQueue(queue: Int) extends Area {
    val pushed, left = Reg(UInt(numberBits bits)) init 0
    val isPushed = rings.io.push.valid && rings.io.push.queue === queue
    val isLeaving = rings.io.pop.fire && rings.io.pop.payload.queue === queue
    when(isPushed)(pushed := pushed + 1)
    when(isLeaving)(left := left + 1)
    val hasRoom = pushed - left < depth - 1
  }
  val each = Seq.tabulate(queues)(new OfQueue(_))
  private def of[T <: Data](queue: UInt)(value: OfQueue => T): T = Vec(each.map(value)).read(queue)

  rings.io.push.payload := free(HardType(descriptor()))
  rings.io.push.flow.allowOverride() := of(rings.io.push.queue)(_.pushed).asBits.resized
  rings.io.push.valid := free(Bool()) && of(rings.io.push.queue)(_.hasRoom)
  rings.io.pop.ready := free(Bool())
  Option(rings.io.quanta).toSeq.flatten.foreach(_ := free(HardType(UInt(Widths.quantum bits))))

  when(isRunning) {
    when(rings.io.pop.valid)(assert(rings.io.pop.flow === of(rings.io.pop.payload.queue)(_.left).asBits.resized))
    for (queue <- each) assert(queue.pushed - queue.left < depth)
    cover(each.map(_.left === 2).reduce(_ && _))
  }
  rings.scheduler match {
    case drr: DeficitRoundRobin =>
      for (account <- drr.accounts) {
        val deficit = account.deficit.pull()
        when(isRunning)(assert(deficit > -(1 << 18) && deficit < (1 << Widths.quantum)))
      }
    case _ =>
  }
}
