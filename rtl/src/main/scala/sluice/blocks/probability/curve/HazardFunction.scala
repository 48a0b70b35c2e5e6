// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability
package curve

import sluice.blocks.arithmetic.division.Reciprocal
import spinal.core._
import spinal.lib.misc.pipeline._

/** A drop function of x / b that is given by points, at every 32nd of b up to 63 of them, with chords between: an x from there on
  * gives the last point. The x is there at n(0), [[VALUE]] at n([[HazardFunction.latency]]); a new one in each clock.
  *
  * The points with an even index and those with an odd one stand in memories of their own, so that both ends of a chord are read at once.
  *
  * @param doubled
  *   2 x at n(0), 33 bits
  * @param of
  *   the reciprocal of b, by stage
  * @param page
  *   of the table, by stage
  */
class HazardFunction(n: Seq[Node], doubled: UInt, of: Int => Reciprocal, table: HazardTable, page: Int => UInt)
    extends Area {
  import HazardFunction._
  import HazardTable._

  /** Q0.18. */
  val VALUE = Payload(UInt(18 bits))

  private val COARSE = Payload(UInt(34 bits)) // 2 x shifted in steps of 8
  private val IS_OVER, IS_FAR = Payload(Bool()) // x / b does not fit; is 4 or more
  private val X = Payload(UInt(18 bits))
  private val QUOTIENT = Payload(UInt(36 bits))
  private val RATIO = Payload(UInt(ratioBits bits)) // Q1.17
  private val EVEN, ODD = Payload(UInt(pairBits bits))
  private val POINT = Payload(UInt(pointBits bits))
  private val RISE = Payload(SInt(pointBits + 1 bits)) // to the next point
  private val RISEN = Payload(SInt(pointBits + restBits + 2 bits))

  require(doubled.getWidth == 33)
  private val coarse = doubled << (of(0).leadingZeros(4 downto 3) @@ U(0, 3 bits))
  n(0)(IS_OVER) := (coarse >> 34) =/= 0
  n(0)(COARSE) := coarse.resize(34)

  private val aligned = n(1)(COARSE) << of(1).leadingZeros(2 downto 0)
  n(1)(IS_FAR) := n(1)(IS_OVER) || (aligned >> 34) =/= 0
  n(1)(X) := aligned(33 downto 16)

  n(2)(QUOTIENT) := n(2)(X) * of(2).reciprocal // leaves the product two registers

  private val ratio = n(4)(QUOTIENT) >> 17
  private val isPast = n(4)(IS_FAR) || (ratio >> ratioBits) =/= 0
  n(4)(RATIO) := ratio.resize(ratioBits) | U(ratioBits bits, default -> isPast)

  private def place(at: Int): UInt = n(at)(RATIO) >> restBits
  n(5)(EVEN) := ((place(5) +^ 1) >> 1).resized // of the last point there is no next one
  n(5)(ODD) := place(5) >> 1

  private def read(isOdd: Boolean, pair: UInt): UInt = RegNext(table.half(isOdd).readSync(page(6) @@ pair)).asUInt
  private val even = read(isOdd = false, n(6)(EVEN))
  private val odd = read(isOdd = true, n(6)(ODD))
  private val isOdd = place(8).lsb
  n(8)(POINT) := Mux(isOdd, odd, even)
  private val rise = Mux(isOdd, even, odd).intoSInt - n(8)(POINT).intoSInt
  n(8)(RISE) := Mux(place(8).andR, S(0), rise)

  n(9)(RISEN) := n(9)(RISE) * n(9)(RATIO)(restBits - 1 downto 0).intoSInt
  n(11)(VALUE) := ((n(11)(POINT) << restBits).intoSInt + n(11)(RISEN) >> (restBits - 2)).asUInt.resized
}

object HazardFunction {
  private val ratioBits = 18
  private val restBits = 12
  val latency = 12
}
