// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import spinal.core._
import spinal.lib._

/** The code of each queue's alpha ([[DynamicThreshold.codes]]): what the host has set, or what holds for all others. A reset forgets what
  * was set.
  *
  * @param select
  *   the queue that is set
  * @param set
  *   its code; 0: as all others again
  */
class Alphas(select: UInt, set: Flow[UInt]) extends Area {
  private val own = new QueueNumbers(select, set)

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
