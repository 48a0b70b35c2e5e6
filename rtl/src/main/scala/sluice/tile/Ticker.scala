// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import spinal.core._

/** Tells a core that its period has passed. The first period begins after reset, a new one when it takes effect. A tick comes
  * when `now` has reached the time that is due, and the next is due a period after that time; where `now` has jumped over it
  * too, a period after `now`. So a jump of time makes one tick, however long, and ticks do not drift where time passes evenly.
  *
  * @param now
  *   time in ns, from a register, never backwards
  * @param period
  *   in ns, at least 1
  * @param isNew
  *   high for one cycle before [[period]] is another one
  * @param spacing
  *   least number of clocks from one tick to the next
  */
class Ticker(now: UInt, period: UInt, isNew: Bool, spacing: Int) extends Area {
  private val rest = Reg(UInt(log2Up(spacing) bits)) init 3 // clocks until the time is looked at
  private val isLooking = RegInit(False) // rest === 0
  private val due = Reg(UInt(now.getWidth bits)) init 0
  private val late = Reg(UInt(now.getWidth bits))
  private val isFirst = RegInit(True)
  private val isBehind = Reg(Bool())

  // `due` is at most a period ahead of the time, so that before it the upper bits are all ones; a jump may set the topmost too.
  private val isEarly = late(late.high downto period.getWidth).andR
  private val isDue = isLooking && (isFirst || !isEarly)

  /** One clock long, three after the time came. From a register: it goes to every end of the core. */
  val tick: Bool = RegNext(isDue && !isFirst, init = False)

  /** The core is at work on a tick. */
  val isBusy: Bool = !isLooking

  when(!isDue)(late := now - due) // stands while it is added
  when(isBusy)(rest := rest - 1)
  isLooking := !isDue && (isLooking || rest === 1)
  when(isDue) {
    rest := spacing - 1
    isFirst := False
    isBehind := isFirst || !(late < period)
  }
  when(isNew)(isFirst := True)

  // One adder, twice: up to the present time, and a period beyond.
  private val isCatching = RegNext(isDue, init = False)
  private val isAdding = RegNext(isCatching, init = False)
  private val step = Mux(isCatching, Mux(isBehind, late, U(0, now.getWidth bits)), period.resize(now.getWidth))
  when(isCatching || isAdding)(due := due + step)
}
