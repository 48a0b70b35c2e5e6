// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers
package delay

import sluice.contract.{CoreIo, Widths}
import sluice.blocks.arithmetic.division.SequentialDivision
import spinal.core._

/** How long a link takes for what is queued, as RFC 8033, section 5.2, has it: bytes / rate, rounded down, in ns of 32 bits, the highest
  * number for more. It stands [[BacklogDelay.cycles]] clocks after a tick, until the next one; a core with it hears what settles and departs.
  *
  * @param tick
  *   high a clock after the tick
  * @param rate
  *   bytes in 16 ns, Q10.22; stands meanwhile
  */
class BacklogDelay(io: CoreIo, tick: Bool, rate: UInt) extends Area {
  private val queue = RegNext(new LastQueue(io).bytes)
  private val division = new SequentialDivision(tick, queue << BacklogDelay.shift, rate)
  private val ns = RegNext(division.quotient.resize(32))
  private val isLong = RegNext((division.quotient >> 32) =/= 0)
  val delay: UInt = RegNext(Mux(isLong, U(32 bits, default -> true), ns))
}

object BacklogDelay {

  /** Of a rate in bytes per 16 ns, behind the point. */
  val rateFraction = 22
  private val shift = rateFraction + 4

  /** Clocks from the tick. */
  val cycles: Int = 1 + Widths.maxBytes + shift + 1 + 2
}
