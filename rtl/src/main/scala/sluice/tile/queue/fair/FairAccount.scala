// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package fair

import sluice.blocks.state.{DeepMemory, ResetNumber}
import sluice.contract.Widths
import sluice.tile.queue.numbers.Quanta
import spinal.core._
import spinal.lib._

/** What is kept of each queue from turn to turn: the bytes taken from it, and its deficit by RFC 8290, section 4.2, which is signed. A turn
  * that begins in clock 0 reads both, and `memory` gets them as they are at its end.
  *
  * @param resets
  *   whose number stands before each word: zeros where it is of an earlier reset
  */
class FairAccount(turn: Flow[FairTurn], quanta: Quanta, resets: ResetNumber) extends Area {
  import FairAccount._
  private val bits = Widths.maxBytes + deficitBits
  val memory = new DeepMemory(resets.number.getWidth + bits, 1 << turn.queue.getWidth).beginningWithZeros()
  private val read = RegNext(memory.readSync(turn.queue)).asUInt
  private val isCurrent = RegNext((read >> bits) === resets.number)
  private val word = RegNext(read.resize(bits)).andMask(isCurrent) // in clock 3
  val taken: UInt = RegNext(word >> deficitBits) // in clock 4
  private val deficit4 = RegNext(word.resize(deficitBits).asSInt)
  private val quantum4 = quanta.of(turn.queue).resize(deficitBits).asSInt
  require(Quanta.latency == 4)
  private val deficit5 = RegNext(Mux(Delay(turn.isFirst, 4), quantum4, deficit4))
  private val isRenewed = !Delay(turn.maySend, 5)

  /** In clock 6, if no packet is sent. */
  val deficit: SInt = RegNext(Mux(isRenewed, deficit5 + RegNext(quantum4), deficit5))
}

object FairAccount {

  /** More than a packet may be owed, or a quantum left. */
  val deficitBits: Int = Widths.quantum + 1
  def isAboveZero(deficit: SInt): Bool = !deficit.msb && deficit.asBits.orR
}
