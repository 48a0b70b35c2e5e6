// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import spinal.core._

/** Tells a core that an interval has passed. The first one begins after reset, and when a new period takes effect. A tick comes when
  * `now` has reached the time that is due. When its work is over the next is due an interval after that time; where `now` has passed
  * that too, an interval after `now`. So a jump of time makes one tick, however long, and ticks do not drift where time passes
  * evenly.
  *
  * @param now
  *   time in ns, from a register, never backwards
  * @param interval
  *   in ns, at least 1; what is there when the work of the tick before is over
  * @param isNew
  *   high for one cycle, in which [[isHeld]] is high too, when [[interval]] becomes another one within two clocks
  * @param isHeld
  *   no tick may begin
  * @param spacing
  *   least number of clocks from one tick to the next
  */
class Ticker(now: UInt, interval: UInt, isNew: Bool, isHeld: Bool, spacing: Int) extends Area {
  require(spacing > Ticker.setting, s"ticks must be more than ${Ticker.setting} clocks apart, not $spacing")
  private val rest = Reg(UInt(log2Up(spacing) bits)) init Ticker.setting // clocks until the time is looked at
  private val isLooking = RegInit(False) // rest === 0
  // An interval beyond the end of time is due too, and never comes: a bit more than `now` has, which says of `late` that it is early.
  private val bits = now.getWidth + 1
  private val due = Reg(UInt(bits bits)) init 0
  private val late = Reg(UInt(bits bits))
  private val isFirst = RegInit(True)

  // `due` is at most an interval ahead of the time. Further ahead it was upset, or the time was set back: then a tick comes, and the next
  // one is due from now on.
  private val isEarly = late(late.high downto interval.getWidth).andR
  private val isDue = isLooking && !isHeld && !isEarly

  /** One clock long, three after the time came. From a register: it goes to every end of the core. */
  val tick: Bool = RegNext(isDue, init = False)

  /** The core is at work on a tick. */
  val isBusy: Bool = !isLooking

  // Set by the tick, a clock after it is known that one is due, for that answer comes late; nobody looks at `rest` meanwhile.
  when(isBusy)(rest := rest - 1)
  when(tick)(rest := spacing - 2)
  when(isNew)(rest := Ticker.setting)
  isLooking := !isDue && !isNew && (isLooking || rest === 1)

  // The next time that is due, in the last clocks of the rest. One adder, twice: up to the present time, and an interval beyond.
  private val isComparing = RegNext(rest === 5, init = False)
  private val isCatching = RegNext(isComparing, init = False)
  private val isAdding = RegNext(isCatching, init = False)
  private val isBehind = RegNext(isFirst || !(late < interval))
  private val step = Mux(isCatching, Mux(isBehind, late, U(0, bits bits)), interval.resize(bits))
  when(!isComparing)(late := now.resize(bits) - due) // stands while it is compared and added
  when(isCatching || isAdding)(due := due + step)
  when(isCatching)(isFirst := False)
  when(isNew)(isFirst := True)
}

object Ticker {

  /** Clocks that it takes to set the time that is due. */
  val setting = 7
}
