// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import sluice.contract.Widths
import spinal.core._

/** A table in which a flow has one of two places, one in each half, by two parts of its id, which is well mixed: so neither looking
  * up nor coming in takes a search, and it can be half full before more than a few flows find no place.
  */
object FlowPlaces {
  val halfBits = 8
  val halves = 2
  val placeBits: Int = halfBits + 1
  val places: Int = 1 << placeBits

  /** Where a flow stands in a half, if it is there. */
  def within(flow: Bits, half: Int): UInt = flow(half * halfBits, halfBits bits).asUInt

  /** Which bytes of two flows are equal: they are one if all are, which is for the next clock. */
  def sameBytes(a: Bits, b: Bits): Bits =
    Vec(a.subdivideIn(8 bits).zip(b.subdivideIn(8 bits)).map { case (x, y) => x === y }).asBits
}

/** A flow as the filter knows it: with the probability, Q0.18, with which its packets are dropped. */
case class KnownFlow() extends Bundle {
  val isUsed = Bool()
  val flow = Bits(Widths.flow bits)
  val probability = UInt(KnownFlow.probabilityBits bits)
  val isUnresponsive = Bool()
}

object KnownFlow {
  val probabilityBits = 18
}

/** The same on its way to its place. */
case class PlacedFlow() extends Bundle {
  val place = UInt(FlowPlaces.placeBits bits)
  val known = KnownFlow()
}
