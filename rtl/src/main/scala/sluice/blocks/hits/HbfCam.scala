// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.hits

import sluice.blocks.estimators.FlowComparison
import sluice.contract.Widths
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** A flow that takes a place. */
case class FlowEntry(entries: Int) extends Bundle {
  val flow = Bits(Widths.flow bits)
  val place = UInt(Widths.index(entries) bits)
}

/** Which place a flow has, as far as it is known: the flows of a cache, each in a place of its own until another one takes it. In
  * every clock some flows are looked up and one may take a place.
  *
  * The places are cut into segments that stand in a row, each a clock behind the one before, so that neither what is looked up
  * nor what is entered has to reach all places in one clock. A flow that enters is found by what is at n(0) [[entering]] clocks later.
  *
  * @param n
  *   nodes: a flow is there at n(0), and where it was found at n([[HbfCam.latency]])
  * @param entered
  *   from a register
  */
class HbfCam(entries: Int, n: Seq[Node], flows: Seq[Payload[Bits]], entered: Flow[FlowEntry]) extends Area {
  import HbfCam._
  private val segments = segmentsOf(entries)
  private val placeBits = Widths.index(entries)
  private val changes = Iterator.iterate(entered)(_.stage()).take(segments).toSeq

  class Segment(number: Int) extends Area {
    private val base = number * segmentSize
    private val change = changes(number)
    private val places = base until (base + segmentSize).min(entries)
    private val isTaken = RegNext(Vec(places.map(p => change.valid && change.place === p)))
    private val taker = RegNext(change.flow)
    isTaken.foreach(_.init(False))
    val flows = Vec(Reg(Bits(Widths.flow bits)), places.size)
    val isHeld = Vec.fill(places.size)(RegInit(False))
    for ((taken, i) <- isTaken.zipWithIndex) when(taken) {
      flows(i) := taker
      isHeld(i) := True
    }

    /** Where the flow is found that is at n(1 + number): its place, and whether it has one. Two clocks for the comparison and one for
      * groups; the last one is the caller's.
      */
    def find(flow: Payload[Bits]): (UInt, Bool) = {
      val matches = new FlowComparison(flows, n(1 + number)(flow)).among(RegNext(isHeld))
      val groups = matches.grouped(groupSize).toSeq.map(g => RegNext(OHToUInt(g.padTo(groupSize, False)) @@ g.orR))
      val place = groups.zipWithIndex.map { case (g, i) =>
        (U(base / groupSize + i, placeBits.max(4) - 4 bits) @@ (g >> 1)).andMask(g.lsb)
      }
      (place.reduce(_ | _).resize(placeBits), groups.map(_.lsb).orR)
    }
  }
  val segment = Seq.tabulate(segments)(i => new Segment(i).setCompositeName(this, s"segment$i"))

  private val latency = HbfCam.latency(entries)

  /** At n(latency), by flow: its place and whether it was found. */
  val found: Seq[(Payload[UInt], Payload[Bool])] = flows.map { flow =>
    val none = (U(0, placeBits bits), False)
    val (place, isFound) = segment.foldLeft(none) { case ((place, isFound), s) =>
      val (here, isHere) = s.find(flow)
      (RegNext(place | here), RegNext(isFound || isHere))
    }
    val PLACE = Payload(UInt(placeBits bits))
    val IS_FOUND = Payload(Bool())
    n(latency)(PLACE) := place
    n(latency)(IS_FOUND) := isFound
    (PLACE, IS_FOUND)
  }
}

object HbfCam {
  private val segmentSize = 64
  private val groupSize = 16
  private def segmentsOf(entries: Int): Int = (entries + segmentSize - 1) / segmentSize

  def latency(entries: Int): Int = 4 + segmentsOf(entries)

  /** Clocks from `entered` to the first one at n(0) that finds the flow. */
  val entering = 1
}
