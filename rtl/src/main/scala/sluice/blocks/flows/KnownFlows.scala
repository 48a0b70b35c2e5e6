// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import sluice.blocks.state.DeepMemory
import sluice.contract.Widths
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** Looks up each arrival's flow. There are two tables: one is in force while the other is written, and all of it takes effect at once.
  *
  * @param n
  *   nodes from the arrival on; what is known stands at n([[KnownFlows.latency]])
  * @param isPublished
  *   any table is in force at n(0), and which one
  * @param written
  *   to the other one
  */
class KnownFlows(n: Seq[Node], flow: Bits, isPublished: Bool, inForce: UInt, written: Flow[PlacedFlow]) extends Area {
  import FlowPlaces._
  val IS_KNOWN, IS_UNRESPONSIVE = Payload(Bool())
  val PLACE = Payload(UInt(placeBits bits)) // 0 of a flow that is not known
  val PROBABILITY = Payload(UInt(KnownFlow.probabilityBits bits)) // likewise

  private val FLOW = Payload(Bits(Widths.flow bits))
  private val IS_PUBLISHED = Payload(Bool())
  private val found = Seq.tabulate(halves)(new Half(_))

  n(0)(FLOW) := flow
  n(0)(IS_PUBLISHED) := isPublished

  private class Half(half: Int) extends Area {
    val ENTRY = Payload(KnownFlow())
    val EQUALS = Payload(Bits(4 bits))
    val table = new DeepMemory(KnownFlow().getBitsWidth, 2 << halfBits)
    table.write(
      ~inForce @@ written.place(halfBits - 1 downto 0),
      written.known.asBits,
      written.valid && written.place.msb === Bool(half == 1)
    )
    n(2)(ENTRY).assignFromBits(RegNext(table.readSync(inForce @@ within(flow, half))))
    n(2)(EQUALS) := sameBytes(n(2)(ENTRY).flow, n(2)(FLOW))
    def isHere: Bool = n(3)(ENTRY).isUsed && n(3)(EQUALS).andR && n(3)(IS_PUBLISHED)
  }

  private val (first, second) = (found.head, found.last)
  private val (isFirst, isSecond) = (first.isHere, second.isHere)
  private val at = n(KnownFlows.latency - 1)
  private def of[T <: Data](field: KnownFlow => Bits): Bits =
    field(at(first.ENTRY)).andMask(isFirst) | field(at(second.ENTRY)).andMask(isSecond)

  at(IS_KNOWN) := isFirst || isSecond
  at(IS_UNRESPONSIVE) := of(_.isUnresponsive.asBits).lsb
  at(PROBABILITY) := of(_.probability.asBits).asUInt
  at(PLACE) := isSecond.asUInt @@
    (within(at(FLOW), 0).andMask(isFirst) | within(at(FLOW), 1).andMask(isSecond))
}

object KnownFlows {
  val latency = 4
}
