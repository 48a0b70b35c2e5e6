// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers
package delay

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import spinal.core._
import spinal.lib._

/** PI2's p' after some updates at once, of another queue in each clock. The first one moves it by both terms; those after it find the same
  * delay again, so each of them moves it by the first term only. All of these go one way by the same amount, so to clamp their sum once is
  * to clamp each.
  *
  * @param base
  *   p' before, Q1.40, in clock 0, as are the next three
  * @param first
  *   both terms
  * @param size
  *   of the first one, and `isBelow`, its sign
  * @param times
  *   updates after the first, of [[MissedUpdates.timesBits]] bits, in clock [[MissedUpdates.timesAt]]
  * @param most
  *   Q1.31, in any clock
  */
class MissedUpdates(base: UInt, first: SInt, size: UInt, isBelow: Bool, times: UInt, most: Int => UInt) extends Area {
  import MissedUpdates._

  /** Within the bound, of a sum that is there in a clock: in the next one. */
  private def bounded(sum: SInt, clock: Int): UInt = {
    def bound(clock: Int): UInt = most(clock) << (bits - most(clock).getWidth)
    val isOver = RegNext(sum > bound(clock).intoSInt)
    val isUnder = RegNext(sum.msb)
    Mux(isUnder, U(0, bits bits), Mux(isOver, bound(clock + 1), RegNext(sum.asUInt.resize(bits))))
  }
  private val moved = RegNext(base.intoSInt +^ first)
  private val afterFirst = RegNext(bounded(moved, clock = 1))

  private val products = WideMultiplier.multiplyApart(Delay(size, timesAt), times)
  private val again = RegNext(WideMultiplier.sum(products).resize(ParallelTerms.sizeBits + timesBits))
  private val signed = GainStep.signed(again, Delay(isBelow, timesAt + 2))
  private val movedAgain = RegNext(Delay(afterFirst, timesAt).intoSInt +^ signed)

  /** In clock [[cycles]]. */
  val after: UInt = bounded(movedAgain, clock = timesAt + 4)
}

object MissedUpdates {
  private val bits = DelayTerms.fraction + 1

  /** Of updates after the first, of which there may be 1,023; whoever missed more has missed so many. */
  val timesBits = 10
  val timesAt = 2

  /** Clocks from the state before to p'. */
  val cycles: Int = timesAt + 5
  require(Multiplier.latency == 1)
}
