// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.cardinality

import spinal.core._

/** Adds up the amounts of a run of clocks without a gap. In the second clock after the last one [[isComplete]], and [[total]] stands
  * until the same clock of the next run.
  */
class Tally(isOn: Bool, amount: UInt, width: Int) extends Area {
  private val sum = Reg(UInt(width bits))
  sum := Mux(isOn, sum + amount, U(0))
  private val isOver = (RegNext(isOn) init False) && !isOn

  val total: UInt = RegNextWhen(sum, isOver)
  val isComplete: Bool = RegNext(isOver) init False
}

object Tally {
  val latency = 2
}
