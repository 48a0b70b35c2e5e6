// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import sluice.checks.Proof
import spinal.core._
import spinal.core.formal._
import spinal.lib._

/** Any one of the slots is in exactly one place at every moment: never given yet, with who took it, or once among those that came back and
  * wait. So none is lost, doubled or given while it is out. By induction, for any time: whoever takes keeps fewer than `depth` of them and
  * gives back what it has.
  */
class FreeSlotsProof(depth: Int) extends Proof {
  private val slotBits = log2Up(depth)
  val slots = new FreeSlots(depth)
  val (take, restart) = (free(Bool()), free(Bool()))
  val back = free(HardType(Flow(UInt(slotBits bits))))
  slots.io.take := take
  slots.io.back << back
  slots.io.restart := restart

  val chosen = UInt(slotBits bits)
  anyconst(chosen)

  private val (taken, cameBack, wereAllTaken) = (slots.taken.pull(), slots.cameBack.pull(), slots.wereAllTaken.pull())
  private val ring = slots.rework(out(Vec((0 until depth).map(place => slots.ring.readAsync(U(place, slotBits bits))))))

  /** What is out, and what its owner knows to be: a slot that was given back counts for a clock more. */
  private val outside = taken - cameBack // fewer than depth
  private val known = Reg(UInt(slotBits + 1 bits)) init 0
  private val wasBack = RegNext(back.valid) init False
  known := known + U(take) - U(wasBack)
  when(restart)(known := 0)

  val toGive = Mux(wereAllTaken, ring(taken), taken)
  private val isGiven = take && toGive === chosen
  val isOut = RegInit(False)
  when(back.valid && back.payload === chosen)(isOut := False)
  when(isGiven)(isOut := True)

  private val isFirst = RegNext(False) init True
  private val isCalm = !History(take, 1 to 3, init = False).asBits.orR && !wasBack
  assume(!take || (known < depth - 1 && !isFirst))
  assume(!back.valid || (outside =/= 0 && (back.payload =/= chosen || isOut)))
  assume(!restart || (!take && !back.valid && known === 0 && !isOut && isCalm))

  private def isWaiting(place: Int): Bool =
    Mux(
      wereAllTaken,
      (U(place, slotBits bits) - taken).resize(slotBits + 1) < depth - outside.resize(slotBits + 1),
      U(place) < cameBack
    )
  private val waits = (0 until depth).map(place => isWaiting(place) && ring(place) === chosen)
  private val isFresh = !wereAllTaken && chosen >= taken
  private val places = CountOne(Seq(isOut, isFresh) ++ waits)

  when(isRunning) {
    assert(places === 1)
    assert(known === outside.resize(slotBits + 1) + U(wasBack))
    assert(wereAllTaken || cameBack <= taken)
    assert(!isGiven || !isOut)
    assert(!Delay(take, FreeSlots.latency, init = False) || slots.io.slot === Delay(toGive, FreeSlots.latency))
    cover(wereAllTaken && isGiven)
  }
}
