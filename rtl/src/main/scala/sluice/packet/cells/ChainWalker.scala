// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package cells

import sluice.packet.buffer.FarQueue
import spinal.core._
import spinal.lib._

/** Gives chains of cells back, cell by cell, for each of three sources. To find the next cell takes three clocks, so it is the turn of
  * each source in every third clock: it gives back one cell of its chain, or of its next chain.
  *
  * Nothing here checks for room: whoever gives a source its chains sees to it that fewer than its `waiting` wait.
  */
class ChainWalker(shape: CellShape, waiting: Seq[Int]) extends Component {
  require(waiting.size == CellShape.following)
  val io = new Bundle {
    val chains = Vec.fill(waiting.size)(slave(Flow(Chain(shape))))
    val looked = out(UInt(shape.cellBits bits)) // whose next one is wanted
    val next = in(UInt(shape.cellBits bits)) // that, [[CellShape.following]] clocks later
    val back = master(Flow(UInt(shape.cellBits bits)))
    val isOf, isEnd = out(Bits(waiting.size bits)) // whose cell that is, and whether it is its chain's last one
  }

  // Whose it is, one bit; whatever it was, it is one bit again in two clocks.
  val turn = Reg(Bits(waiting.size bits)) init 1
  turn := turn(1) ## turn(0) ## (turn(1 downto 0) === 0)
  private val queues = io.chains.zip(waiting).map { case (chains, depth) => FarQueue(chains, depth) }

  val onTurn = new Area {
    val left = UInt(shape.countBits bits) // with this one
    val isGoingOn = Bool()
    private val next = MuxOH(turn, queues.map(_.payload))
    val isWalking = isGoingOn || MuxOH(turn, queues.map(_.valid))
    val its = Mux(isGoingOn, io.next, next.first)
    private val leftNow = Mux(isGoingOn, left, next.count)
    val isLast = leftNow === 1
    for ((queue, isIts) <- queues.zip(turn.asBools)) queue.ready := isIts && !isGoingOn
    isGoingOn := Delay(isWalking && !isLast, CellShape.following, init = False)
    left := Delay(leftNow - 1, CellShape.following)
  }
  io.looked := onTurn.its
  io.back.valid := RegNext(onTurn.isWalking, init = False)
  io.back.payload := RegNext(onTurn.its)
  io.isOf := RegNext(turn.andMask(onTurn.isWalking)) init 0
  io.isEnd := RegNext(turn.andMask(onTurn.isWalking && onTurn.isLast)) init 0
}
