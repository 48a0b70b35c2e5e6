// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.averages

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** How long a queue has been idle when an arrival comes to it. */
abstract class IdleTime extends Area {

  /** Whether the arrival ends an idle time, and the time in ns; only then it counts. */
  def isIdle: Bool
  def ns: UInt
}

/** Of one queue: since it was found empty first.
  *
  * @param isArriving
  *   an arrival comes to it
  */
class IdleSince(isArriving: Bool, nowNs: UInt, foundEmpty: Bool, emptySinceNs: UInt) extends IdleTime {
  val isIdle = Reg(Bool()) init False
  val sinceNs = Reg(UInt(nowNs.getWidth bits))
  when(foundEmpty && !isIdle) { sinceNs := emptySinceNs }
  isIdle := (isIdle && !isArriving) || foundEmpty
  lazy val ns: UInt = nowNs - sinceNs
}

/** Of the arrival's queue among several, chosen a node before the difference is taken.
  *
  * @param n
  *   the node at which the arrival comes, and the one after it, at which the time is known
  * @param queue
  *   the arrival's
  * @param foundEmpty
  *   one bit for each queue
  */
class IdleSinceOfQueues(n: Seq[Node], queue: Payload[UInt], nowNs: UInt, foundEmpty: Bits, emptySinceNs: UInt)
    extends IdleTime {
  private val NOW_NS = Payload(UInt(nowNs.getWidth bits))
  private val IS_IDLE = Payload(Bool())
  val each = foundEmpty.asBools.zipWithIndex.map { case (found, i) =>
    new IdleSince(n(0).isValid && n(0)(queue) === i, nowNs, found, emptySinceNs)
  }
  n(0)(NOW_NS) := nowNs
  private val sinceNs = each.zipWithIndex.map { case (one, i) =>
    val SINCE_NS = Payload(UInt(nowNs.getWidth bits)) // of one queue, and 0 for the others: cheaper than a multiplexer
    n(0)(SINCE_NS) := one.sinceNs.andMask(n(0)(queue) === i)
    n(1)(SINCE_NS)
  }
  n(0)(IS_IDLE) := Vec(each.map(_.isIdle)).read(n(0)(queue))
  def isIdle: Bool = n(1)(IS_IDLE)
  val ns: UInt = n(1)(NOW_NS) - sinceNs.reduceBalancedTree(_ | _)
}
