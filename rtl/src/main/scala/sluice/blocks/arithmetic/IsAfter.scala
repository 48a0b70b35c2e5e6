// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._
import spinal.lib.misc.pipeline._

/** Whether one of two times of 64 bits is after the other: `a > b`. The halves are compared at one node, side by side, and make the
  * answer at the next, where it is three bits away.
  */
class IsAfter(at: Node, a: UInt, b: UInt) extends Area {
  private val HIGH_IS_AFTER, HIGH_IS_SAME, LOW_IS_AFTER = Payload(Bool())
  private val half = 32
  at(HIGH_IS_AFTER) := (a >> half) > (b >> half)
  at(HIGH_IS_SAME) := (a >> half) === (b >> half)
  at(LOW_IS_AFTER) := a(half - 1 downto 0) > b(half - 1 downto 0)

  /** The answer, at the next node. */
  def apply(next: Node): Bool = next(HIGH_IS_AFTER) || (next(HIGH_IS_SAME) && next(LOW_IS_AFTER))
}
