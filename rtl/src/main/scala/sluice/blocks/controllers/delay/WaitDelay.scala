// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers
package delay

import sluice.contract.{CoreIo, Widths}
import spinal.core._

/** How long the last packet waited that the link asked for, in ns of 32 bits, the highest number for more; 0 where nothing is behind it, and
  * once the queue was found empty. As RFC 8033, appendix A, has it. What a tick finds stands [[WaitDelay.cycles]] clocks after it, until
  * the next one; a core with it judges heads and hears idle.
  *
  * @param tick
  *   high a clock after the tick
  */
class WaitDelay(io: CoreIo, tick: Bool) extends Area {
  private val head = new Area {
    val isNew = RegNext(io.head.valid || io.idle.valid, init = False)
    val isAlone = RegNext(io.idle.valid || io.head.queueBytes === 0)
    val waited = RegNext(io.head.nowNs - io.head.packet.queuedNs)
  }

  /** As the heads up to the clock before the last one have left it. */
  val last = Reg(UInt(Widths.timeNs bits)) init 0
  when(head.isNew)(last := Mux(head.isAlone, U(0), head.waited))

  private val found = RegNextWhen(last, tick)
  private val isLong = (found >> 32) =/= 0
  val delay: UInt = RegNext(Mux(isLong, U(32 bits, default -> true), found.resize(32)))
}

object WaitDelay {

  /** Clocks from the tick. */
  val cycles = 3
}
