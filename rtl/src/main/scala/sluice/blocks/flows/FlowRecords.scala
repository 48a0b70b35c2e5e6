// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import sluice.contract.{Clocks, Widths}
import spinal.core._

/** Who has a place. */
case class FlowKey() extends Bundle {
  val isUsed = Bool()
  val flow = Bits(Widths.flow bits)
}

/** The same on its way to the place. */
case class PlacedKey() extends Bundle {
  val place = UInt(FlowPlaces.placeBits bits)
  val key = FlowKey()
}

/** What is kept of a flow from list to list. */
case class FlowState() extends Bundle {
  val probability = UInt(FlowState.probabilityBits bits) // Q0.24; 0: not monitored
  val isUnresponsive = Bool()
  val age = UInt(FlowState.ageBits bits) // since the last change, in units of 2^16 ns
  val points = UInt(3 bits) // of its history
}

object FlowState {
  val probabilityBits = 24
  val ageBits = 20
  val ageShift = 16

  /** Of a flow that was never monitored. */
  def fresh: FlowState = {
    val state = FlowState()
    state.probability := 0
    state.isUnresponsive := False
    state.age.setAll()
    state.points := 0
    state
  }
}

/** A flow that may change at the end of a list. */
case class WorkedFlow() extends Bundle {
  val place = UInt(FlowPlaces.placeBits bits)
  val flow = Bits(Widths.flow bits)
  val lost = UInt(WorkedFlow.lostBits bits) // in all lists
  val arrived, dropped = UInt(FlowCounters.bits bits) // in the one that ends
  val isIdentified = Bool() // in enough lists
  val isListed = Bool() // in one at least
}

object WorkedFlow {
  val lostBits: Int = FlowCounters.bits + 3

  /** Flows that may change at the end of one list. */
  val most = 64
}

/** One point of a flow's history, as logarithms: rate, and drop fraction. */
case class HistoryPoint() extends Bundle {
  val rate, fraction = SInt(HistoryPoint.bits bits)
}

object HistoryPoint {
  val bits = 18
  val kept = 5
}

/** A part of the work at the end of a list: so many clocks, counted by `at`. */
class Phase(start: Bool, clocks: Int) extends Area {
  val at = Reg(UInt(log2Up(clocks) bits))
  val isOn = RegInit(False)
  private val isLast = isOn && at === clocks - 1
  at := Mux(start, U(0), at + 1)
  isOn := start || (isOn && !isLast)
  val isDone = RegNext(isLast, init = False)

  /** Of who counts clocks: from the start until it is done. */
  def span: Clocks.Span = Clocks.Span(start, clocks + 1, isDone)
}
