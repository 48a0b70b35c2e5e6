// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.blocks.arithmetic.IsBelow
import sluice.blocks.controllers.delay.DelayTerms
import spinal.core._

/** PIE's probability and burst allowance, as an update leaves them (RFC 8033, sections 4.2, 4.4, 5.1 and 5.3): what it moves by is halved the
  * more often the smaller it is, and decays when the delay is short. Probabilities are Q1.40, times ns of 32 bits.
  *
  * @param settles
  *   the clock after which the next values are in force
  * @param terms
  *   what the probability moves by; [[PieProbability.cycles]] clocks before `settles`
  * @param delay
  *   and `old`: at the update, and at the one before
  */
class PieProbability(
    settles: Bool,
    terms: UInt => SInt,
    delay: UInt,
    old: UInt,
    target: UInt,
    interval: UInt,
    maxBurst: UInt,
    maxStep: UInt,
    lateDelay: UInt,
    decayEmpty: Bool
) extends Area {
  import PieProbability._

  val probability = Reg(UInt(bits bits)) init 0
  val burst = Reg(UInt(32 bits)) init 0

  /** Nothing goes: in a burst, or while the delay is short and the probability small. */
  val isSpared = RegInit(False)

  private val halvings = scales.foldLeft(U(0, 4 bits)) { case (fewer, (below, halvings)) =>
    Mux(IsBelow(probability, U(below, bits bits)), U(halvings), fewer)
  }

  private val onDelay = new Area {
    private def isShort(of: UInt): Bool = RegNext(IsBelow(of << 1, target.resize(33)))
    val (isNowShort, isOldShort) = (isShort(delay), isShort(old))
    private val isEmpty = RegNext((delay | old) === 0)
    val isQuiet = RegNext(Mux(decayEmpty, isEmpty, isNowShort && isOldShort))
    val isLate = RegNext(delay > lateDelay)
  }

  private val onMove = new Area {
    private val by = terms(RegNext(halvings))
    private val most = (maxStep << (DelayTerms.fraction - 31)).intoSInt
    private val isCapped = RegNext(by > most) && RegNext(halvings) === 0
    private val capped = RegNext(Mux(isCapped, most.resized, RegNext(by)))
    private val moved = RegNext(capped +^ Mux(onDelay.isLate, most, S(0)))
    private val sum = RegNext(probability.intoSInt +^ moved)
    private val isOver = RegNext((sum >> DelayTerms.fraction) > 0)
    private val isUnder = RegNext(sum.msb)
    private val kept = RegNext(sum.asUInt.resize(bits))
    private val clipped = RegNext(Mux(isUnder, U(0), Mux(isOver, U(one, bits bits), kept)))
    private val decay = Mux(onDelay.isQuiet, clipped >> decayShift, U(0))
    val next = RegNext(clipped - decay)
  }

  private val onBurst = new Area {
    private val isZero = RegNext(onMove.next === 0)
    private val isSmall = RegNext(IsBelow(onMove.next, U(small, bits bits)))
    private val begins = isZero && onDelay.isNowShort && onDelay.isOldShort
    private val left = burst -^ interval
    val next = RegNext(Mux(begins, maxBurst, Mux(RegNext(left.msb), U(0), RegNext(left.resize(32)))))
    val isSpared = RegNext(next =/= 0 || (onDelay.isNowShort && isSmall))
  }

  when(settles) {
    probability := onMove.next
    burst := onBurst.next
    isSpared := onBurst.isSpared
  }
}

object PieProbability {
  private val one = BigInt(1) << DelayTerms.fraction
  val bits: Int = DelayTerms.fraction + 1

  private def rounded(p: String): BigInt =
    (BigDecimal(p) * BigDecimal(one)).setScale(0, BigDecimal.RoundingMode.HALF_UP).toBigInt

  /** Below which probability a term is halved how often, the smallest last. */
  private val scales =
    Seq("0.1" -> 1, "0.01" -> 3, "0.001" -> 5, "0.0001" -> 7, "0.00001" -> 9, "0.000001" -> 11).map {
      case (below, halvings) => rounded(below) -> halvings
    }

  /** Below which the packets of a short queue are spared. */
  private val small = rounded("0.2")

  /** What a decay takes is so many times halved. */
  private val decayShift = 6

  /** Clocks from the terms until all stands. */
  val cycles = 10
}
