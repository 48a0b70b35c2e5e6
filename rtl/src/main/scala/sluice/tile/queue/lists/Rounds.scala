// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import spinal.core._
import spinal.lib._

/** Whose turn is next: by the [[Rounds]] of all queues, or by those of each level ([[Levels]]). A queue is in one place of the order at most,
  * and in none while its turn is under way.
  */
abstract class TurnOrder extends Component {
  def io: RoundsIo
}

/** The turns of this round and those of the next one, each in a line. The next round begins when this one's line is empty and nobody can
  * come back into it: so no queue is ever more than a round ahead of another that has packets.
  *
  * In a clock two may be added to the next round, the first of `added` before the second, one comes back into this one, and one is
  * taken. One can be taken from the clock after it was added on, and of the next round from the clock after that round began.
  *
  * @param depth
  *   queues, a power of two: there is one turn of each
  * @param back
  *   clocks from a turn being taken to where it comes back, if it does
  */
class Rounds(turn: HardType[Turn], depth: Int, back: Int) extends TurnOrder {
  val io = RoundsIo(turn)
  val isSecond = RegInit(False) // this round is in the second ring
  val rings = Seq(False, True).map { number =>
    val ring = new TurnRing(turn, depth)
    val isThis = isSecond === number
    ring.io.added(0) << Mux(isThis, io.again, io.added(0))
    ring.io.added(1) << io.added(1).takeWhen(!isThis)
    ring.io.take := io.take && isThis
    ring
  }
  private def of(isSecond: Bool)(value: TurnRing => Bool) = Mux(isSecond, value(rings(1)), value(rings(0)))

  // A turn that is taken in clock 0 comes back in clock `back` and waits a clock later.
  private val sinceTaken = Reg(UInt(log2Up(back + 1) bits)) init 0
  when(sinceTaken =/= 0)(sinceTaken := sinceTaken - 1)
  when(io.take)(sinceTaken := back)

  io.isWaiting := of(isSecond)(_.io.isWaiting)
  private val isNextWaiting = of(!isSecond)(_.io.isWaiting)
  io.isAny := io.isWaiting || isNextWaiting
  when(!io.isWaiting && isNextWaiting && sinceTaken === 0)(isSecond := !isSecond)

  io.taken.valid := rings.map(_.io.taken.valid).orR
  io.taken.payload := Mux(rings(1).io.taken.valid, rings(1).io.taken.payload, rings(0).io.taken.payload)
}

/** Where turns come and go. */
case class RoundsIo(turn: HardType[Turn]) extends Bundle {
  val again = slave(Flow(turn())) // into this round
  val added = Vec.fill(2)(slave(Flow(turn()))) // into the next one
  val isWaiting = out(Bool()) // there is one to take
  val isAny = out(Bool()) // of this round or the next
  val take = in(Bool()) // only if there is
  val taken = master(Flow(turn())) // [[TurnRing.latency]] clocks later, of levels one more
}
