// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package numbers

import spinal.core._
import spinal.lib._

/** Each queue's quantum: what the host has set, or what holds for all others. A reset forgets what was set.
  *
  * @param select
  *   the queue that is set
  * @param set
  *   its quantum, in bytes; 0: as all others again
  * @param others
  *   bytes, of a queue that has none of its own
  */
class Quanta(select: UInt, set: Flow[UInt], others: UInt) extends Area {
  private val own = new QueueNumbers(select, set)

  /** The quantum of a queue, [[Quanta.latency]] clocks later. */
  def of(queue: UInt): UInt = {
    val look = new own.Look(queue)
    RegNext(Mux(look.isSet, look.number, others))
  }

  /** Whether a queue's quantum is enough for so many bytes, [[Quanta.latency]] clocks later; they come a clock before that. Both
    * that it may be are compared with, and chosen last.
    */
  def isEnough(queue: UInt, bytes: UInt): Bool = {
    val look = new own.Look(queue)
    RegNext(!Mux(look.isSet, look.number < bytes, others < bytes))
  }
}

object Quanta {
  val latency: Int = QueueNumbers.latency + 1
}
