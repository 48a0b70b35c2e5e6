// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import sluice.contract.Widths
import spinal.core._

/** Time in ns of a clock alone: it never stands still and never steps back, which a clock that is disciplined may do, and it needs
  * no crossing. It is as exact as the oscillator, so is a shaper's rate.
  */
object FreeTime {
  def apply(periodNs: Int): UInt = {
    val now = Reg(UInt(Widths.timeNs bits)) init 0
    now := now + periodNs
    now
  }

  /** Of a clock whose period is no whole number: so many ns in so many clocks, and within 1 ns of it at each of them. */
  def apply(ns: Int, clocks: Int): UInt = {
    val now = Reg(UInt(Widths.timeNs bits)) init 0
    val rest = Reg(UInt(log2Up(clocks) bits)) init 0 // in parts of a ns, as many as there are clocks
    val next = rest +^ ns % clocks
    val isWhole = !(next < clocks)
    rest := Mux(isWhole, next - clocks, next).resized
    now := now + ns / clocks + U(isWhole)
    now
  }
}
