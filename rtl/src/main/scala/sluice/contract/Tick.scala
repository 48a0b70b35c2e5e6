// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._

/** Something that a core does every so often, beside its arrivals.
  *
  * @param name
  *   of its port
  * @param period
  *   the parameter that holds the time from one to the next, in ns or us; none: the core says itself, on a port of its own, how
  *   long it is to the next one
  */
case class Tick(name: String, period: Option[Parameter] = None) {
  private val nsPerUnit: Int = period.fold(1) { p =>
    require(Set("ns", "us")(p.unit), s"tick $name: its period ${p.name} must be in ns or us, not in '${p.unit}'")
    require(p.fraction == 0, s"tick $name: its period ${p.name} must be an integer")
    if (p.unit == "us") 1000 else 1
  }

  /** Bits of the interval in ns. */
  val intervalBits: Int = period.fold(Widths.intervalNs)(p => p.width + log2Up(nsPerUnit))

  /** A period in ns, of one as the parameter has it; within two clocks. */
  def inNs(period: UInt): UInt =
    if (nsPerUnit == 1) period
    else {
      val fewer = RegNext((period << 4) +^ (period << 3)) // 1,000 = 1,024 - 24
      RegNext((RegNext(period) << 10).resize(intervalBits) - fewer.resize(intervalBits))
    }
}

/** The moment of a tick, with the time. */
case class Ticked() extends Bundle {
  val nowNs = UInt(Widths.timeNs bits)
}

/** Clocks since the last tick of a kind; they stand still when the tick has reached every stage.
  *
  * @param tick
  *   the tick comes in this cycle
  * @param last
  *   cycles until it has reached every stage
  */
class SinceTick(tick: Bool, last: Int) extends Area {
  val cycles = Reg(UInt(log2Up(last + 1) bits)) init last
  private val isOver = RegInit(True) // cycles === last
  when(tick)(cycles := 1) elsewhen (!isOver)(cycles := cycles + 1)

  /** Whether nothing of a tick is under way in the next cycle. */
  val willBeOver: Bool = !tick && (isOver || cycles === last - 1)
  isOver := willBeOver

  /** High in the n-th cycle after a tick, from the second on. */
  def is(n: Int): Bool = RegNext(cycles === n - 1 && !tick, init = False)
}
