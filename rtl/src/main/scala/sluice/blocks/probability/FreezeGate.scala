// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import sluice.contract.Widths
import spinal.core._

/** BLUE's gate: what moves its probability closes it, for all else of the same time and for `pause` ns. One event per clock.
  *
  * Both comparisons that an event may need are made a clock early: with the time left by the events two clocks before it, and with what the
  * one a clock before it leaves if it goes through.
  *
  * @param nowNs
  *   the time in the clock of the event
  * @param pause
  *   as it is in force in that clock
  * @param isAny
  *   whether there was an event, a clock after it
  */
class FreezeGate(nowNs: UInt, pause: UInt, isAny: Bool) extends Area {

  /** An event goes through at a time after this one. */
  val frozenUntil = Reg(UInt(Widths.timeNs + 1 bits)) init 0
  val next = RegNext(nowNs +^ pause)
  val isAfter = RegNext(nowNs > frozenUntil)
  val isAfterNext = RegNext(nowNs > next)

  /** Whether the event of the clock before goes through. */
  val isOpen = Bool()
  isOpen := isAny && Mux(RegNext(isOpen, init = False), isAfterNext, isAfter)
  when(isOpen)(frozenUntil := next)
}
