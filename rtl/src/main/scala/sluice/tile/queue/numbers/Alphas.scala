// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package numbers

import sluice.tile.registers.QueueWindowIo
import spinal.core._
import spinal.lib._

/** The code of each queue's alpha ([[DynamicThreshold.codes]]): what the host has set, or what holds for all others. A reset forgets what
  * was set.
  *
  * @param window
  *   through which the host sets one of them, to 0 where it is to be as all others again, and reads it
  * @param othersNow
  *   what the host reads of those
  */
class Alphas(window: QueueWindowIo, othersNow: UInt) extends Area {
  private val own = new QueueNumbers(window.select, window.alpha)
  window.alphaNow := of(window.select, othersNow)

  /** The code of a queue, [[QueueNumbers.latency]] and `later` clocks later.
    *
    * @param others
    *   of a queue that has none of its own, as it is by then
    */
  def of(queue: UInt, others: UInt, later: Int = 0): UInt = {
    val look = new own.Look(queue)
    Mux(Delay(look.isSet, later), Delay(look.number, later), others)
  }
}
