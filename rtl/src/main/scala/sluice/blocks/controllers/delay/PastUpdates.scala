// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers
package delay

import sluice.blocks.arithmetic.{Multiplier, Seconds, WideMultiplier}
import spinal.core._
import spinal.lib._

/** The two terms of [[DelayTerms]] side by side, of other delays in each clock.
  *
  * @param delay
  *   in clock 0, ns of 32 bits, as are `old` and `target`
  * @param alpha
  *   and `beta`, 1/s, Q16.16, in clock [[ApartTerms.gainAt]]
  */
class ApartTerms(delay: UInt, old: UInt, target: UInt, alpha: UInt, beta: UInt) extends Area {
  import ApartTerms._

  /** `gain (delay - from)`: its size, Q2.40, in clock [[sizeAt]], and its sign there. */
  private class Term(from: UInt, gain: UInt) extends Area {
    private val distance = RegNext(delay.intoSInt - from.intoSInt)
    private val (magnitude, isBelow1) = GainStep.magnitude(distance)
    val isBelow: Bool = Delay(isBelow1, sizeAt - 1)
    val size: UInt = new GainStep(
      Seconds(magnitude),
      gain,
      shift = Seconds.fraction + DelayTerms.gainFraction - DelayTerms.fraction,
      bits = sizeBits
    ).size
    val term: SInt = GainStep.signed(size, isBelow)
  }
  private val ofTarget = new Term(target, alpha)
  private val ofOld = new Term(old, beta)

  /** In clock [[cycles]], Q3.40 with a sign: both terms, and the size and the sign of the first one. */
  val sum: SInt = RegNext(ofTarget.term +^ ofOld.term)
  val size: UInt = Delay(ofTarget.size, cycles - sizeAt)
  val isBelow: Bool = Delay(ofTarget.isBelow, cycles - sizeAt)
}

object ApartTerms {
  val sizeBits: Int = DelayTerms.fraction + 2
  val bits: Int = sizeBits + 2 // of the sum
  val gainAt: Int = 2 + Seconds.cycles
  private val sizeAt = gainAt + GainStep.cycles
  val cycles: Int = sizeAt + 2
}

/** PI2's p' after some updates at once, of another queue in each clock. The first one moves it by both terms; those after it find the same
  * delay again, so each of them moves it by the first term only. That is one way and by the same, so from 0 to a bound their sum needs the
  * bound but once.
  *
  * @param base
  *   p' before, Q1.40, in clock 0, as are the next three
  * @param first
  *   both terms
  * @param size
  *   of the first one, and `isBelow`, its sign
  * @param times
  *   updates after the first, of [[PastUpdates.timesBits]] bits, in clock [[PastUpdates.timesAt]]
  * @param most
  *   Q1.31, in any clock
  */
class PastUpdates(base: UInt, first: SInt, size: UInt, isBelow: Bool, times: UInt, most: Int => UInt) extends Area {
  import PastUpdates._

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
  private val again = RegNext(WideMultiplier.sum(products).resize(ApartTerms.sizeBits + timesBits))
  private val signed = GainStep.signed(again, Delay(isBelow, timesAt + 2))
  private val movedAgain = RegNext(Delay(afterFirst, timesAt).intoSInt +^ signed)

  /** In clock [[cycles]]. */
  val after: UInt = bounded(movedAgain, clock = timesAt + 4)
}

object PastUpdates {
  private val bits = DelayTerms.fraction + 1

  /** Of updates after the first, of which there may be 1,023; whoever missed more has missed so many. */
  val timesBits = 10
  val timesAt = 2

  /** Clocks from the state before to p'. */
  val cycles: Int = timesAt + 5
  require(Multiplier.latency == 1)
}
