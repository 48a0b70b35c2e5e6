// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.contract._
import spinal.core._
import spinal.lib._

/** Which entries of a ring are only tombstones of packets that were thrown out, and who may be thrown out.
  *
  * A victim falls [[Tombstones.deciding]] clocks after its verdict, if it has not been thrown out before and the link has not asked
  * for it in an earlier clock. A verdict either lets its packet in or takes a victim, never both, so one write per clock is enough.
  *
  * @param verdict
  *   valid with every verdict that names a victim: its place in the ring, as it was drawn
  * @param pushed
  *   where a packet is pushed in this clock, as many clocks after its verdict
  * @param entering
  *   that packet
  * @param next
  *   the oldest entry that the link has not asked for
  */
class Tombstones(depth: Int, verdict: Flow[UInt], pushed: Flow[UInt], entering: Descriptor, next: UInt) extends Area {
  private def address(place: UInt): UInt = place.resize(log2Up(depth))
  private val isDead = Mem(Bool(), depth)
  private val packets = Mem(HardType(cloneOf(entering)), depth)

  val onVictim = new Area {
    val asked = verdict.stage()
    val isDeadThen = RegNext(isDead.readSync(address(asked.payload)))
    val packet = RegNext(packets.readSync(address(asked.payload)))
    val place = Delay(asked.payload, 2)
    val isThere = Delay(asked.valid, 2, init = False) && !isDeadThen && !(place - next).msb
    // The last two victims are not in the memory's answer.
    val taken = Bool()
    val others = for (ago <- 1 to 2) yield Delay(taken, ago, init = False) && Delay(place, ago) === place
    taken := isThere && !others.reduce(_ || _)
  }

  /** The packet that is thrown out in this clock. */
  val thrown: Flow[Descriptor] = Flow(cloneOf(entering))
  thrown.valid := onVictim.taken
  thrown.payload := onVictim.packet

  /** Its place. */
  val thrownPlace: UInt = onVictim.place

  isDead.write(
    address(Mux(pushed.valid, pushed.payload, onVictim.place)),
    !pushed.valid,
    enable = pushed.valid || onVictim.taken
  )
  packets.write(address(pushed.payload), entering, enable = pushed.valid)

  /** Whether the entry at a place was a tombstone before this clock; the answer comes in the next one. What a memory reads while it
    * is written nobody knows: it could only be a victim that falls, which was none before, since nobody asks for what is pushed.
    */
  def readSync(place: UInt): Bool =
    isDead.readSync(address(place)) && !RegNext(onVictim.taken && onVictim.place === place, init = False)
}

object Tombstones {

  /** Clocks from a verdict to the fall of its victim. */
  val deciding = 3
}
