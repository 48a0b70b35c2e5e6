// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.blocks.arithmetic.CarrySave
import sluice.contract.Widths
import spinal.core._
import spinal.lib._

/** Picks the queue whose packet leaves next. */
abstract class Scheduler extends Area {

  /** That queue, one-hot, of those that have packets. */
  def next: Bits

  /** Whose turn it was could not be, and is made up for. */
  def isMended: Bool
}

/** The queue of the lowest number.
  *
  * @param waiting
  *   which queues have packets
  */
class StrictPriority(waiting: Bits) extends Scheduler {
  val next: Bits = OHMasking.first(waiting)
  val isMended: Bool = False
}

/** Deficit round robin (M. Shreedhar and G. Varghese, 1996) as Linux' `fq_codel` does it: a queue sends while its deficit is not below
  * zero, and what it sent too much it owes. On its turn it adds its quantum and sends one packet whatever it owes, so that
  * whoever is asked for a packet always has one; for packets up to the quantum that is as without.
  *
  * A queue that has no packet loses what it might still send and keeps its debt. What is sent with a debt of more than
  * [[DeficitRoundRobin.mostDebt]] bytes is not counted.
  *
  * @param isPicking
  *   the next queue sends a packet
  * @param quanta
  *   in bytes
  * @param sentBytes
  *   of the packet that was picked three clocks ago
  */
class DeficitRoundRobin(waiting: Bits, isPicking: Bool, quanta: Seq[UInt], sentBytes: UInt) extends Scheduler {
  private val queues = quanta.size
  val turn = Reg(Bits(queues bits)) init 1 // one-hot
  private val inDebt = Bits(queues bits)
  private val mayGoOn = CombInit(turn & waiting & ~inDebt)
  private val goesOn = CombInit(mayGoOn.orR)
  // The first behind the turn that has packets: those between have none.
  private val others = Vec((0 until queues).map { i =>
    val turns = (1 to queues).map(distance => (1 to distance).map(d => Math.floorMod(i - d, queues)))
    waiting(i) && turns.map(way => turn(way.last) && !way.init.map(waiting(_)).orR).orR
  }).asBits
  // Kept apart, or synthesis finds a deeper tree.
  Seq(mayGoOn, others).foreach(_.addAttribute("keep"))
  goesOn.addAttribute("keep")
  val next: Bits = Mux(goesOn, turn, others)
  when(isPicking)(turn := next)

  // Of no turn, or of two, another would never come.
  val isMended: Bool = RegNext(CountOne(turn) =/= 1, init = False)
  when(isMended)(turn := 1)

  // A turn begins a clock after it was picked, and counts in the next one's decision.
  private val begins = RegNext(next.andMask(isPicking && !goesOn)) init 0
  private val sends = Delay(next.andMask(isPicking), 3, init = B(0, queues bits))

  class Account(number: Int) extends Area {
    val deficit = Reg(SInt(DeficitRoundRobin.deficitBits bits)) init 0
    private val isForgiven = deficit.msb && !deficit(log2Up(DeficitRoundRobin.mostDebt))
    private val isCharged = sends(number) && !isForgiven
    private val kept = Mux(waiting(number) || deficit.msb, deficit, S(0, deficit.getWidth bits))
    private val granted = quanta(number).andMask(begins(number)).resize(deficit.getWidth)
    private val charged = sentBytes.andMask(isCharged).resize(deficit.getWidth)
    deficit := CarrySave.addAndSubtract(kept.asUInt, granted, charged).asSInt
    inDebt(number) := deficit.msb
  }
  val accounts = Seq.tabulate(queues)(new Account(_))
}

object DeficitRoundRobin {
  val mostDebt = 1 << 17

  /** From [[mostDebt]] and a packet below zero to a quantum above it. */
  private val deficitBits = Widths.quantum + 2
}
