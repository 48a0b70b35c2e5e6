// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers
package delay

import sluice.contract.CoreIo
import spinal.core._

/** How long the last packet of each queue waited that left, in ns of 32 bits, the highest number for more; 0 where it left nothing behind.
  * The longest one of them, as a tick finds it, stands [[QueueWaits.cycles]] clocks after that, until the next one. A core with it hears
  * what departs, and its packets' tags are their times, of [[QueueWaits.tagBits]] bits: who waits for 18 minutes has waited for none.
  *
  * @param tick
  *   high a clock after the tick
  */
class QueueWaits(io: CoreIo, tick: Bool) extends Area {
  import QueueWaits._

  private val leaving = new Area {
    private val gone = io.departed
    val isNew = RegNext(gone.valid, init = False)
    val queue = RegNext(gone.packet.queue)
    val isAlone = RegNext(gone.queuePackets === 0)
    val waited = RegNext(gone.nowNs(tagBits - 1 downto 0) - gone.packet.tag.asUInt)
  }
  private val counted = new Area {
    val isNew = RegNext(leaving.isNew, init = False)
    val queue = RegNext(leaving.queue)
    private val isLong = (leaving.waited >> delayBits) =/= 0
    val delay = RegNext(
      (leaving.waited.resize(delayBits) | U(delayBits bits, default -> isLong)).andMask(!leaving.isAlone)
    )
  }

  /** Of each queue; an arrival finds it at stage [[QueueWaits.readAt]]. */
  val ofQueues: Seq[UInt] = Seq.tabulate(io.algorithm.needs.queues) { q =>
    RegNextWhen(counted.delay, counted.isNew && counted.queue === q) init 0
  }

  private val found = ofQueues.map(RegNextWhen(_, RegNext(tick, init = False)))

  /** The longest. */
  val delay: UInt = RegNext(found.reduceLeft((a, b) => Mux(RegNext(a < b), b, a)))
}

object QueueWaits {
  val tagBits = 40
  private val delayBits = 32
  val readAt = 2

  /** Clocks from the tick, with two queues. */
  val cycles = 5
}
