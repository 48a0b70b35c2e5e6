// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import spinal.core._

/** Knows when nothing is queued and everything about what was has been counted: what counts the queued then begins anew at 0. So
  * whatever an upset has done to a count, it lasts until the queue is empty.
  *
  * @param isStep
  *   nothing of it is in the queue, and that is one step more towards the rest
  * @param isThere
  *   something may be
  * @param isEntering
  *   a packet was accepted a clock ago or more and is not there yet
  * @param most
  *   steps to the rest, a power of two
  */
class Rest(isStep: Bool, isThere: Bool, isEntering: Bool, most: Int = Rest.steps) extends Area {
  private val steps = Reg(UInt(log2Up(most) + 1 bits)) init 0
  when(isStep && !steps.msb)(steps := steps + 1)
  when(isThere || isEntering)(steps := 0)

  /** Nothing that was accepted before this clock counts. */
  val isOn: Bool = steps.msb && !isEntering
}

object Rest {

  /** More clocks than it takes to subtract what has left, and more packets than are on their way out of several queues' memory. */
  val steps = 8
}
