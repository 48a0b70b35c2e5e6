// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import sluice.checks.Proof
import spinal.core._
import spinal.lib._

/** A [[TurnRing]] beside a line that is shifted: what it gives is what the line has first, [[TurnRing.latency]] clocks later, and it says in
  * each clock whether there is one. By induction, for any time: whoever adds never adds more than there is room for, and whoever takes does
  * so only if one waits.
  */
class TurnRingProof(depth: Int) extends Proof {
  private def turn() = Turn(queueBits = 1, slotBits = 1)
  val ring = new TurnRing(HardType(turn()), depth)
  val added = Vec.fill(2)(free(HardType(Flow(turn()))))
  val take = free(Bool())
  for ((to, from) <- ring.io.added.zip(added)) to << from
  ring.io.take := take

  private val countBits = log2Up(depth + 3)
  val line = Vec.fill(depth)(Reg(turn()))
  val count = Reg(UInt(countBits bits)) init 0
  private val left = count - U(take)
  private val number = U(added(0).valid).resize(countBits) + U(added(1).valid)
  count := left + number
  private val first = Mux(added(0).valid, added(0).payload, added(1).payload)
  for (place <- 0 until depth) {
    when(take && Bool(place + 1 < depth))(line(place) := line((place + 1).min(depth - 1)))
    when(number =/= 0 && left === place)(line(place) := first)
    when(number === 2 && left + 1 === place)(line(place) := added(1).payload)
  }
  assume(!take || ring.io.isWaiting)
  assume(left + number <= depth)

  private val (head, tail) = (ring.head.pull(), ring.tail.pull())
  private val placeBits = log2Up(depth)
  private val memories = ring.memories.map(memory =>
    ring.rework(out(Vec((0 until depth / 2).map(word => memory.readAsync(U(word, placeBits - 1 bits))))))
  )
  private def at(place: UInt): Turn = {
    val word = (place >> 1).resize(placeBits - 1)
    Mux(place(0), memories(1)(word), memories(0)(word))
  }

  when(isRunning) {
    assert((tail - head).resize(countBits) === count)
    assert(count <= depth)
    assert(ring.io.isWaiting === (count =/= 0))
    for (place <- 0 until depth)
      assert(!(count > place) || at((head + place).resize(placeBits)) === line(place))
    assert(ring.io.taken.valid === Delay(take, TurnRing.latency, init = False))
    assert(!ring.io.taken.valid || ring.io.taken.payload === Delay(line(0), TurnRing.latency))
    cover(count === depth && take)
  }
}
