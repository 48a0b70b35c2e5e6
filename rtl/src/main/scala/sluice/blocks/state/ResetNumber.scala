// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import spinal.core._
import spinal.lib._

/** Numbers the resets for a block memory that each of them empties at once: each word carries the number of the reset that it
  * belongs to, and one from before counts as 0.
  *
  * In the clock after a reset, when [[isFresh]], the owner rewrites the word whose address is the low bits of the number, and there are
  * twice as many numbers as words, so no word is left when its number comes again. A reset before that word is written, when
  * nothing else is either, goes without a number of its own. When the chip starts the memory must hold zeros
  * ([[DeepMemory.beginningWithZeros]]).
  *
  * @param addressBits
  *   of the memory
  * @param writing
  *   clocks from that rewriting's beginning to the word in the memory
  * @param restart
  *   empties the memory as a reset does, without one
  */
class ResetNumber(addressBits: Int, writing: Int, restart: Bool = False) extends Area {

  /** The first clock after a reset or a restart. */
  val isFresh = RegInit(True)
  isFresh := restart
  val isFreshWritten = Delay(isFresh, writing, init = False)

  // Has a value when the chip starts and is itself not reset.
  private val domain = ClockDomain.current
  private def isReset = domain.readResetWire
  val generation = new ClockingArea(ClockDomain(domain.clock, config = ClockDomainConfig(resetKind = BOOT))) {
    val number = Reg(UInt(addressBits + 1 bits)) init 0
    // A word of this number is written. Before the first reset one may be: what that finds in registers writes anything. So the first
    // reset is number 1.
    val isUsed = Reg(Bool()) init True
    when(isFreshWritten)(isUsed := True)
    when((isReset || restart) && (isUsed || isFreshWritten)) {
      number := number + 1
      isUsed := False
    }
  }

  def number: UInt = generation.number

  /** The address of the word that is rewritten. */
  def address: UInt = number.resize(addressBits)
}
