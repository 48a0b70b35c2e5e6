// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import spinal.core._
import spinal.lib._

/** Goes through all places, one in each clock: the list that ended joins the flow's last ones, the flow ages, and is forgotten if it was
  * in none for long. Who is in enough lists, or monitored, is noted for the work that follows.
  *
  * Of a place that is not used all is made anew, so that who gets it begins afresh.
  *
  * @param isFirst
  *   no place is used yet, whatever the memories hold
  * @param keys
  *   of [[keyPlace]] in each half, two clocks later
  * @param state
  *   and the following: of [[place]], two clocks later
  * @param lists
  *   what was lost in each of the lists before, the newest first
  * @param older
  *   by how much each flow ages
  */
class ListSurvey(
    phase: Phase,
    isFirst: Bool,
    keys: Seq[FlowKey],
    state: FlowState,
    lists: Bits,
    counts: FlowBytes,
    older: UInt
) extends Area {
  import ListSurvey._
  val keyPlace: UInt = phase.at.resize(FlowPlaces.placeBits)
  val place: UInt = RegNext(keyPlace)
  private val isRead = phase.isOn && !phase.at(FlowPlaces.placeBits)
  private val lostBits = FlowCounters.bits

  // Clock 2: the keys, because all else waits for whether a place is used. Clock 3: what the other memories say.
  private val key = Mux(Delay(keyPlace.msb, 2), keys(1), keys(0))
  private val isUsed = RegNext(key.isUsed && !isFirst)

  // Clock 4:
  private val wasUsed = RegNext(isUsed)
  private val lost = Vec(Reg(UInt(lostBits bits)), kept)
  lost(0) := counts.lost
  for (i <- 1 until kept) lost(i) := lists((i - 1) * lostBits, lostBits bits).asUInt
  private val was = RegNext(state)
  private val aged = RegNext(state.age +^ older)
  when(!isUsed)(lost.init.foreach(_ := 0)) // what is written; nothing else of such a place is looked at

  // Clock 5:
  private val appears = lost.map(l => RegNext(l =/= 0))
  private val sums =
    Seq(RegNext(lost(0) +^ lost(1)), RegNext(lost(2) +^ lost(3)), RegNext(lost(4).resize(lostBits + 1)))
  private val now = FlowState()
  now := RegNext(was)
  now.age.allowOverride() := RegNext(aged.sat(1))

  // Clock 6:
  private val total = RegNext(sums.map(_.resize(WorkedFlow.lostBits)).reduce(_ + _))
  private val isListed = RegNext(appears.orR)
  private val isIdentified = RegNext(CountOne(appears) >= appearances)
  private val isMonitored = RegNext(now.probability =/= 0)
  private val isOld = RegNext(now.age(FlowState.ageBits - 1 downto 16) =/= 0)
  private val here = Delay(wasUsed, 2)
  private val stays = here && (isListed || isMonitored || !isOld)
  private val (flow, bytes, after) = (Delay(key.flow, 4), Delay(counts, 3), RegNext(now))

  /** Writes to all of a place are in the same clock. */
  val isWrite: Bool = Delay(isRead, writeAt, init = False)
  val writtenAt: UInt = Delay(place, writeAt - 1)
  val writtenLists: Bits = Delay(Cat(lost.init), writeAt - 4)
  val writtenKey = FlowKey()
  writtenKey.isUsed := stays
  writtenKey.flow := flow
  val writtenState = CombInit(after)
  when(!stays)(writtenState := FlowState.fresh)
  val published = KnownFlow()
  published.isUsed := stays
  published.flow := flow
  published.probability := after.probability >> (FlowState.probabilityBits - KnownFlow.probabilityBits)
  published.isUnresponsive := after.isUnresponsive

  private val begins = RegNext(phase.isOn && phase.at === 0, init = False)
  private def counter(isCounted: Bool, amount: UInt, bits: Int): UInt = {
    val sum = Reg(UInt(bits bits))
    when(begins)(sum := 0) elsewhen (isWrite && isCounted)(sum := sum + amount)
    sum
  }
  private val one = U(1, 1 bits)

  /** Flows in enough lists, and what they lost. */
  val number: UInt = counter(here && isIdentified, one, Widths.number)
  val lostByAll: UInt = counter(here && isIdentified, total, WorkedFlow.lostBits + FlowPlaces.placeBits)
  val monitored: UInt = counter(here && isMonitored, one, Widths.number)

  /** Flows that may change, and how many these are. */
  val worked = Flow(WorkedFlow())
  val workedNumber = Reg(UInt(log2Up(WorkedFlow.most + 1) bits))
  worked.valid := isWrite && here && (isIdentified || isMonitored) && !workedNumber.msb
  worked.place := writtenAt
  worked.flow := flow
  worked.lost := total
  worked.arrived := bytes.arrived
  worked.dropped := bytes.dropped
  worked.isIdentified := isIdentified
  worked.isListed := isListed
  when(begins)(workedNumber := 0) elsewhen (worked.valid)(workedNumber := workedNumber + 1)
}

object ListSurvey {
  private object Widths {
    val number: Int = FlowPlaces.placeBits + 1
  }
  private val writeAt = 6

  /** M lists are kept, and who is in K of them is identified. */
  val kept = 5
  private val appearances = 3

  val cycles: Int = FlowPlaces.places + writeAt + 3
}
