// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.blocks.arithmetic.WideMultiplier
import sluice.blocks.arithmetic.division.SequentialDivision
import spinal.core._

/** What GREEN makes of a window of two queues, compliant flows in one and the others beside, by one divider, a bit per clock, twice.
  *
  *   1. What the link would have sent, had all its flows had as much as the compliant ones: their bytes times N / N1. Less than what left
  *      in all means that they had less than their share; it is what U is taken from.
  *   1. The quantum of the queue of more flows, as many times the other's as its flows are; a queue of none counts as one of one.
  *
  * Rounded down, and all ones where the divisor is 0 or the width does not hold it. What goes in stands from the beginning on, what comes
  * out from [[GreenShares.end]] on.
  *
  * @param is
  *   high in the n-th clock since the work began
  * @param departed
  *   bytes, of both queues
  * @param departedCompliant
  *   bytes, of compliant flows
  * @param compliant
  *   N1 and `others` N2, Q14.8
  * @param quantum
  *   bytes, of the queue of fewer flows
  */
class GreenShares(
    is: Int => Bool,
    departed: UInt,
    departedCompliant: UInt,
    compliant: UInt,
    others: UInt,
    quantum: UInt
) extends Area {
  import GreenShares._
  private def limited(value: UInt, width: Int): UInt =
    RegNext(value.resize(width) | U(width bits, default -> (value >> width).orR))

  private val all = RegNext(compliant +^ others)

  /** N, Q14.8. */
  val flows: UInt = limited(all, GreenRate.flowsBits)

  private val isCompliantFewer = RegNext(compliant < others)
  private def atLeastOne(number: UInt): UInt = RegNext(Mux((number >> fraction).orR, number, U(1 << fraction)))
  private val fewer = atLeastOne(Mux(isCompliantFewer, compliant, others))
  private val more = atLeastOne(Mux(isCompliantFewer, others, compliant))

  private val isSecond = RegInit(False)
  when(is(begin))(isSecond := False)
  when(is(begin + between))(isSecond := True)
  private val division = new SequentialDivision(
    load = is(loadAt) || is(loadAt + between),
    dividend = RegNext(
      Mux(
        isSecond,
        RegNext(WideMultiplier.sum(WideMultiplier.multiplyApart(more, quantum))).resize(dividendBits),
        WideMultiplier.wide(RegNext(departedCompliant), all).resize(dividendBits)
      )
    ),
    divisor = RegNext(Mux(isSecond, fewer, compliant))
  )

  /** Of a quotient that stands, limited, from two clocks after its end on. */
  private def result(width: Int, clock: Int): UInt =
    RegNextWhen(limited(division.quotient, width), is(clock + steps + 2))
  private val evenly = result(departed.getWidth, loadAt)
  private val larger = result(sluice.contract.Widths.quantum, loadAt + between)

  /** Bytes. */
  val departedEvenly: UInt = RegNext(Mux(evenly < departed, evenly, departed))

  /** Bytes, of the compliant flows' queue and of the others'. */
  val quanta: Seq[UInt] =
    Seq(isCompliantFewer, !isCompliantFewer).map(isFewer => RegNext(Mux(isFewer, quantum.resized, larger)))
}

object GreenShares {
  private val fraction = 8
  private val dividendBits = 63
  private val steps = dividendBits + 1
  private val begin = 2
  private val loadAt = begin + 6
  private val between = steps + 10

  /** Clock from which on the results stand. */
  val end: Int = loadAt + 2 * between
}
