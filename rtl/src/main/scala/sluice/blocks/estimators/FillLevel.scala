// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import sluice.contract.Widths
import spinal.core._

/** How full a list of captures is, and when its oldest entry leaves: with an arrival that finds the list holding more than the
  * limit, its own capture counted. At most one entry leaves per arrival, so a list whose limit has been lowered shrinks by one
  * with each arrival, and one whose limit has been raised fills with captures. Nothing is ever cleared or searched.
  *
  * @param limit
  *   entries, at most `capacity`; may change between any two arrivals
  */
class FillLevel(capacity: Int, isValid: Bool, isCaptured: Bool, limit: UInt) extends Area {
  val level = Reg(UInt(Widths.count(capacity) bits)) init 0

  // All outcomes beside the comparisons, so that these and the capture only choose.
  private val (isFull, isOver) = (!(level < limit), limit < level)

  /** The oldest entry leaves with this arrival. */
  val isCut = Mux(isCaptured, isFull, isOver)

  /** The level after this arrival. */
  val after = Mux(isCaptured, Mux(isFull, level, level + 1), Mux(isOver, level - 1, level))
  when(isValid)(level := after)
}
