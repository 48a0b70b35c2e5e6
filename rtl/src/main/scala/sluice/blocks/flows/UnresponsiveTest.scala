// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import sluice.blocks.arithmetic.powers.Logarithm
import spinal.core._

/** Whether a flow's rate did not fall, as its drop fraction rose, as 1/sqrt(p) at least: each two points of its history are compared, a
  * pair in each clock, and those count whose fractions differ by less than ten times.
  *
  * @param load
  *   takes the history; the answer stands [[UnresponsiveTest.cycles]] clocks later
  * @param number
  *   points that there are
  */
class UnresponsiveTest(load: Bool, history: Seq[HistoryPoint], number: UInt) extends Area {
  import HistoryPoint.kept
  private case class Point() extends Bundle {
    val isThere = Bool()
    val point = HistoryPoint()
  }
  // Turned once with each point beside the next one, once beside the one after.
  private val ring = Vec(Reg(Point()), kept)
  for ((place, i) <- ring.zipWithIndex) {
    when(load) {
      place.isThere := number > i
      place.point := history(i)
    } otherwise {
      place := ring((i + 1) % kept)
    }
  }
  private val turned = Reg(UInt(4 bits)) init 0
  turned := Mux(load, U(2 * kept), Mux(turned === 0, turned, turned - 1))

  private val other = Mux(turned > kept, ring(1), ring(2))
  private val isPair = RegNext(turned =/= 0 && ring(0).isThere && other.isThere, init = False)
  private val rise = RegNext(ring(0).point.fraction -^ other.point.fraction)
  private val growth = RegNext(ring(0).point.rate -^ other.point.rate)

  // Of both directions the one in which the fraction rises counts.
  private val excess = RegNext((growth << 1) +^ rise)
  private val isRising = RegNext(!rise.msb)
  private val isCounted = RegNext(
    isPair && rise =/= 0 && rise < UnresponsiveTest.tenth && rise > -UnresponsiveTest.tenth
  )
  private val isBad = Mux(isRising, !excess.msb && excess =/= 0, excess.msb)

  /** Pairs that count, until the next history is taken. */
  val good, bad = Reg(UInt(4 bits))
  when(isCounted && isBad)(bad := bad + 1)
  when(isCounted && !isBad)(good := good + 1)
  when(load) {
    good := 0
    bad := 0
  }

  /** By how much the rates of these pairs fell too little, summed. */
  def excesses: SInt = {
    val sum = Reg(SInt(24 bits))
    when(load)(sum := 0) elsewhen (isCounted)(sum := sum + Mux(isRising, excess, -excess))
    sum
  }

  val isUnresponsive: Bool =
    RegNext((good === 0 && bad >= 3) || (good === 1 && bad >= 4) || (good === 2 && bad >= 8))
}

object UnresponsiveTest {
  private val tenth = Logarithm.of(10).toInt

  /** More than two good pairs leave too few bad ones. */
  val cycles: Int = 2 * HistoryPoint.kept + 4
}
