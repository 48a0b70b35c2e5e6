// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.blocks.arithmetic.WideMultiplier
import sluice.blocks.arithmetic.division.SequentialDivision
import spinal.core._
import spinal.lib._

/** What GREEN makes of a window that is over: the link's utilisation U, gamma, and the reach K, by one divider, a bit per clock, three
  * times.
  *
  *   1. U = departed bytes / (L elapsed), Q2.20
  *   1. gamma (1 + U) / (2 U), Q7.20, which is taken while 0 < U < wanted and nothing overflowed; then it is gamma decrease, and 2 gamma
  *      where all were refused and none left: the paper's rule has no value there, and a reach that drops all would stand
  *   1. K = N MSS c / (gamma L), Q22.16 of microseconds
  *
  * All rounded down, and all ones where the divisor is 0. What goes in stands from [[GreenRate.begin]] on, what comes out from
  * [[GreenRate.end]] on.
  *
  * @param is
  *   high in the n-th clock since the work began
  * @param elapsed
  *   ns
  * @param departed
  *   bytes
  * @param isClosed
  *   packets came, and all were refused
  * @param flows
  *   N, Q14.8
  * @param capacity
  *   L, bytes per ns, Q4.28
  * @param segment
  *   MSS c, kB, Q6.14
  * @param decrease
  *   and `wanted`: Q0.16
  */
class GreenRate(
    is: Int => Bool,
    elapsed: UInt,
    departed: UInt,
    isOverflowed: Bool,
    isClosed: Bool,
    flows: UInt,
    gammaBefore: UInt,
    isFrozen: Bool,
    capacity: UInt,
    segment: UInt,
    gammaMin: UInt,
    gammaMax: UInt,
    decrease: UInt,
    wanted: UInt
) extends Area {
  import GreenRate._

  private def limited(quotient: UInt, width: Int): UInt =
    quotient.resize(width) | U(width bits, default -> (quotient >> width).orR)

  val onDivide = new Area {
    val dividends = Vec(UInt(dividendBits bits), 3)
    val divisors = Vec(UInt(shareBits bits), 3)
    private val phase = Reg(UInt(2 bits)) init 0
    for (number <- 0 until 3) when(is(loadAt(number) - 3))(phase := number)
    private val load = (0 until 3).map(number => is(loadAt(number))).orR
    val division = new SequentialDivision(
      load,
      dividend = RegNext(phase.muxListDc((0 until 3).map(i => i -> dividends(i)))),
      divisor = RegNext(phase.muxListDc((0 until 3).map(i => i -> divisors(i))))
    )
    private val quotient = division.quotient

    /** What a division gives, from two clocks after its end on. */
    def result(number: Int, width: Int): UInt =
      RegNextWhen(RegNext(limited(quotient, width)), is(loadAt(number) + steps + 2))

    /** What it leaves, from the same clock on. */
    def rest(number: Int): UInt = RegNextWhen(division.remains, is(loadAt(number) + steps + 2))
  }

  private val couldLeave = WideMultiplier.wide(capacity, RegNext(limited(elapsed, elapsedBits))) // Q.28
  onDivide.dividends(0) := (departed << fraction).resized
  onDivide.divisors(0) := (couldLeave >> 28).resized
  val utilisation: UInt = onDivide.result(0, utilisationBits)

  val onGamma = new Area {
    private val one = U(BigInt(1) << fraction, fraction + 1 bits)
    onDivide.dividends(1) := WideMultiplier.wide(gammaBefore, RegNext(utilisation +^ one)).resized
    onDivide.divisors(1) := (utilisation << 1).resized
    val raised = onDivide.result(1, gammaBits)
    val product = WideMultiplier.sum(WideMultiplier.multiplyApart(gammaBefore, decrease))
    private val lowered = RegNext(product >> 16).resize(gammaBits)
    private val doubled = (gammaBefore << 1).sat(1)
    private val isLow = RegNext(utilisation < (wanted << 4) && utilisation =/= 0)
    private val isStarved = RegNext(utilisation === 0 && isClosed)
    val moved =
      RegNext(Mux(isStarved, doubled, Mux(isOverflowed, lowered, Mux(isLow, raised, gammaBefore))))
    private val isAbove = RegNext(moved > gammaMax)
    private val isBelow = RegNext(moved < gammaMin)
    val next = RegNext(Mux(isFrozen && !isStarved, gammaBefore, Mux(isBelow, gammaMin, Mux(isAbove, gammaMax, moved))))
  }
  val gamma: UInt = onGamma.next

  onDivide.dividends(2) := WideMultiplier.wide(flows, segment).resize(flows.getWidth + segment.getWidth) << 30
  private val share = WideMultiplier.wide(capacity, gamma) // Q.48
  onDivide.divisors(2) := (share >> 12).resized
  val reach: UInt = onDivide.result(2, reachBits)

  /** What lies between, before it is rounded or chosen from: for a bench, which calls this once. */
  def views: Seq[(String, UInt)] = Seq(
    "could_leave" -> couldLeave.resize(64),
    "utilisation_rest" -> onDivide.rest(0),
    "raised" -> onGamma.raised,
    "raised_rest" -> onDivide.rest(1),
    "lowered" -> onGamma.product,
    "moved" -> onGamma.moved,
    "share" -> share.resize(59),
    "reach_rest" -> onDivide.rest(2)
  )
}

object GreenRate {
  val fraction = 20
  val gammaBits = 27
  val flowsBits = 22
  val utilisationBits = 22
  val reachBits = 38
  private val elapsedBits = 36
  private val dividendBits = 72
  private val shareBits = 47
  private val steps = dividendBits + 1

  /** Clock by which all that is given stands. */
  val begin = 2
  private val between = steps + 14 // what lies before and behind a division
  private def loadAt(number: Int): Int = begin + 10 + number * between

  /** Clock from which on the results stand. */
  val end: Int = loadAt(2) + between
}
