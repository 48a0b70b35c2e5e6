// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers
package delay

import sluice.blocks.arithmetic.Seconds
import spinal.core._
import spinal.lib._

/** The two terms of [[DelayTerms]] side by side, of other delays in each clock.
  *
  * @param delay
  *   in clock 0, ns of 32 bits, as are `old` and `target`
  * @param alpha
  *   and `beta`, 1/s, Q16.16, in clock [[ParallelTerms.gainAt]]
  */
class ParallelTerms(delay: UInt, old: UInt, target: UInt, alpha: UInt, beta: UInt) extends Area {
  import ParallelTerms._

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

object ParallelTerms {
  val sizeBits: Int = DelayTerms.fraction + 2
  val bits: Int = sizeBits + 2 // of the sum
  val gainAt: Int = 2 + Seconds.cycles
  private val sizeAt = gainAt + GainStep.cycles
  val cycles: Int = sizeAt + 2
}
