// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package fair

import spinal.core._
import spinal.lib._

/** A queue's place in the two lists of RFC 8290. Each queue that is in either has one, in a line or on its way from one to the next. */
case class FairTurn(queueBits: Int, slotBits: Int) extends Bundle {
  val queue = UInt(queueBits bits)
  val slot = UInt(slotBits bits) // of its first packet, if that is known
  val hasSlot = Bool()
  val isNew = Bool() // in the list of new queues; else in that of old ones
  val isFirst = Bool() // the first since the queue came into a list: it has its quantum
  val maySend = Bool() // its deficit is above zero
}

/** Turns first in, first out: one is added and one taken in a clock, and one can be taken from the clock after it was added on. There is
  * room for `depth` of them, a power of two, and nothing here checks for it.
  */
class TurnLine(turn: HardType[FairTurn], depth: Int) extends Area {
  private val placeBits = log2Up(depth)
  val added = Flow(turn())
  val take = Bool() // only if one waits
  val head, tail = Reg(UInt(placeBits + 1 bits)) init 0
  when(added.valid)(tail := tail + 1)
  when(take)(head := head + 1)
  val isWaiting: Bool = head =/= tail

  val memory = Mem(turn(), depth)
  memory.addAttribute("syn_ramstyle", "block_ram")
  memory.write(tail.resize(placeBits), added.payload, enable = added.valid)

  /** The one that was taken two clocks ago. */
  val taken: FairTurn = RegNext(memory.readSync(head.resize(placeBits)))
}

/** Whose turn it is by the two lists of RFC 8290, section 4.2: new queues before old ones. A queue that is back from a turn and stays at the
  * front of its list waits in a line of its own that goes before the list's others; so turns of several queues are under way at a time
  * where the link asks for several packets, and where it asks for one after the other the order is the RFC's.
  *
  * @param queues
  *   a power of two
  */
class FairTurns(turn: HardType[FairTurn], queues: Int) extends Component {
  val io = new Bundle {
    val activated = slave(Flow(turn())) // to the end of the list of new ones
    val toEnd = slave(Flow(turn())) // to the end of the list of old ones
    val toFront = slave(Flow(turn())) // stays at the front of its list
    val isWaiting = out(Bool()) // there is one to take
    val take = in(Bool()) // only if there is
    val taken = master(Flow(turn())) // [[FairTurns.latency]] clocks later
  }
  val frontOfNew, frontOfOld = new TurnLine(turn, FairTurns.most)
  val endOfNew, endOfOld = new TurnLine(turn, queues)
  frontOfNew.added << io.toFront.takeWhen(io.toFront.isNew)
  frontOfOld.added << io.toFront.takeWhen(!io.toFront.isNew)
  endOfNew.added << io.activated
  endOfOld.added << io.toEnd

  private val lines = Seq(frontOfNew, endOfNew, frontOfOld, endOfOld)
  private val waiting = Vec(lines.map(_.isWaiting)).asBits
  io.isWaiting := waiting.orR
  private val chosen = OHMasking.first(waiting)
  for ((line, isChosen) <- lines.zip(chosen.asBools)) line.take := io.take && isChosen
  io.taken.valid := Delay(io.take, FairTurns.latency, init = False)
  io.taken.payload := RegNext(Vec(lines.map(_.taken)).read(Delay(OHToUInt(chosen), FairTurns.latency - 1)))
}

object FairTurns {
  val latency = 3

  /** Queues at the front of a list: more than there are clocks from one's turn to its end. */
  val most = 64
}
