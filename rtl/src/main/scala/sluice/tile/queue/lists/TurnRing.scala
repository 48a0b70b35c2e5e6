// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import spinal.core._
import spinal.lib._

/** A queue's place in the order of turns: the queue, and the slot of its first packet. */
case class Turn(queueBits: Int, slotBits: Int) extends Bundle {
  val queue = UInt(queueBits bits)
  val slot = UInt(slotBits bits)
  val sends = Bool() // that packet leaves; else the turn only adds to what the queue may send
  val isFirst = Bool() // the queue had no packet before
}

/** The turns to come, first in, first out: two may be added and one taken in a clock. Of two of one clock the first of `added` goes
  * before the second. One can be taken from the clock after it was added on.
  *
  * There is room for `depth` of them, a power of two, and nothing here checks for it.
  */
class TurnRing(turn: HardType[Turn], depth: Int) extends Component {
  val io = new Bundle {
    val added = Vec.fill(2)(slave(Flow(turn())))
    val isWaiting = out(Bool()) // there is one to take
    val take = in(Bool()) // only if there is
    val taken = master(Flow(turn())) // [[TurnRing.latency]] clocks later
  }
  private val placeBits = log2Up(depth)
  val head, tail = Reg(UInt(placeBits + 1 bits)) init 0
  tail := tail + (io.added(0).valid.asUInt +^ io.added(1).valid.asUInt)
  // Kept beside the head, so that the comparisons below wait for no sum; it follows the head by itself.
  private val afterHead = Reg(UInt(placeBits + 1 bits)) init 1
  afterHead := Mux(io.take, afterHead, head) + 1
  when(io.take)(head := afterHead)

  // The even places are in one memory and the odd ones in the other, so two that are added never go to the same.
  private val isAnyAdded = io.added.map(_.valid).orR
  // Who was added waits in any case, since one is taken only if there is. So the next clock's answer is ready at its beginning.
  io.isWaiting := RegNext(isAnyAdded || Mux(io.take, afterHead =/= tail, head =/= tail), init = False)
  private val areBothAdded = io.added.map(_.valid).andR
  private val first = Mux(io.added(0).valid, io.added(0).payload, io.added(1).payload)
  private def line(place: UInt): UInt = (place >> 1).resize(placeBits - 1)
  val memories = Seq.tabulate(2) { parity =>
    val isFirsts = tail(0) === Bool(parity == 1)
    val memory = Mem(turn(), depth / 2)
    memory.addAttribute("syn_ramstyle", "block_ram")
    memory.write(
      Mux(isFirsts, line(tail), line(tail + 1)),
      Mux(isFirsts, first, io.added(1).payload),
      enable = Mux(isFirsts, isAnyAdded, areBothAdded)
    )
    memory
  }
  private val words = memories.map(memory => RegNext(memory.readSync(line(head))))
  io.taken.valid := Delay(io.take, TurnRing.latency, init = False)
  io.taken.payload := RegNext(Mux(Delay(head(0), 2), words(1), words(0)))
}

object TurnRing {
  val latency = 3
}
