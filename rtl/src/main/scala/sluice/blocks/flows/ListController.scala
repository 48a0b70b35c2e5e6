// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import sluice.blocks.state.DeepMemory
import sluice.contract._
import sluice.blocks.arithmetic.powers.{Logarithm, PowerOfTwo}
import spinal.core._
import spinal.lib._

/** RED-PD's controller: at the end of each list it works out which flows are monitored and with what probability, in four parts one
  * after the other. What it changes it says on [[published]], all of it for each list, and it takes effect when all is done.
  *
  *   1. [[admission]]: newcomers get a place, 8 clocks each.
  *   1. [[survey]]: all places, a clock each.
  *   1. [[rates]].
  *   1. [[work]]: flows in enough lists are punished, and those in none eased, 32 clocks each.
  *
  * After a reset the first tick only empties the table.
  *
  * @param settles
  *   the work takes effect after this clock
  * @param isRecorded
  *   packets are recorded from the clock after the first of these on
  * @param isTested
  *   flows are looked at for being unresponsive
  */
class ListController(
    tick: Flow[Ticked],
    settles: Bool,
    isRecorded: Bool,
    settled: Flow[Settled],
    isTested: Bool,
    rtt: UInt,
    resetRtt: BigInt
) extends Area {
  import FlowPlaces._
  import ListController._
  private val isFirst = RegInit(True) clearWhen settles

  private val admitting = new Phase(Delay(tick.valid, draining, init = False), NewcomerAdmission.cycles)
  private val surveying = new Phase(admitting.isDone, ListSurvey.cycles)
  private val rating = new Phase(surveying.isDone, ListRates.cycles)
  private val working = new Phase(rating.isDone, ListWork.cycles)

  val onTime = new Area {
    val now = RegNextWhen(tick.nowNs, tick.valid)
    val begun = RegNextWhen(now, settles)
    private val passed = RegNext(now - begun)
    private val isLong = (passed >> Logarithm.valueBits) =/= 0
    val elapsed = RegNext(passed.resize(Logarithm.valueBits) | U(Logarithm.valueBits bits, default -> isLong))
    private val units = RegNext((now >> FlowState.ageShift) - (begun >> FlowState.ageShift))
    private val isOld = (units >> FlowState.ageBits) =/= 0
    val older = RegNext(units.resize(FlowState.ageBits) | U(FlowState.ageBits bits, default -> isOld))
  }

  // The memories; each read is a clock and a register. What is read and written is said below.
  private val keysReadAt = Vec.fill(halves)(UInt(halfBits bits))
  private val keyWrite = Flow(PlacedKey())
  private val keys = Seq.tabulate(halves) { half =>
    val memory = new DeepMemory(FlowKey().getBitsWidth, 1 << halfBits)
    val isHere = keyWrite.valid && keyWrite.place.msb === Bool(half == 1)
    memory.write(keyWrite.place.resize(halfBits), keyWrite.key.asBits, isHere)
    RegNext(memory.readSync(keysReadAt(half))).as(FlowKey())
  }
  private class Kept(bits: Int, depth: Int) extends Area {
    val readAt, writeAt = UInt(log2Up(depth) bits)
    val written = Bits(bits bits)
    val isWrite = Bool()
    val memory = new DeepMemory(bits, depth)
    memory.write(writeAt, written, isWrite)
    val read = RegNext(memory.readSync(readAt))
  }
  private val states = new Kept(FlowState().getBitsWidth, places)
  private val lists = new Kept((ListSurvey.kept - 1) * FlowCounters.bits, places)
  private val histories = new Kept(HistoryPoint.kept * HistoryPoint().getBitsWidth, places)
  private val works = new Kept(WorkedFlow().getBitsWidth, WorkedFlow.most)
  private val countsReadAt = UInt(placeBits bits)
  private val countsWrite = Flow(FlowCounters.Written())
  private val newcomerAt = UInt(log2Up(ListRecorder.newcomers) bits)

  val recorder =
    new ListRecorder(settled, tick.valid, isRecorded, countsReadAt, newcomerAt, countsWrite, isBoth = isFirst)

  val admission =
    new NewcomerAdmission(
      admitting,
      recorder.onNewcomer.read,
      recorder.onNewcomer.number,
      keys,
      recorder.counters.read
    )
  newcomerAt := admission.at

  val survey = new ListSurvey(
    surveying,
    isFirst,
    keys,
    states.read.as(FlowState()),
    lists.read,
    recorder.counters.read,
    onTime.older
  )

  private val operand = Reg(UInt(Logarithm.valueBits bits))
  private val exponent = Reg(SInt(Logarithm.bits + 2 bits))
  private val logarithm = new Logarithm(operand).result
  private val power = new PowerOfTwo(exponent).result
  val rates = new ListRates(
    rating,
    isFirst,
    recorder,
    onTime.elapsed,
    survey.number,
    survey.lostByAll,
    rtt,
    resetRtt,
    logarithm,
    power
  )
  val work = new ListWork(
    working,
    survey.workedNumber,
    works.read.as(WorkedFlow()),
    states.read.as(FlowState()),
    histories.read,
    rates,
    isTested,
    logarithm,
    power
  )
  operand := RegNext(rates.operand) | RegNext(work.operand).resized
  exponent := Mux(working.isOn, work.exponent, rates.exponent)

  for (half <- 0 until halves)
    keysReadAt(half) := Mux(surveying.isOn, survey.keyPlace.resize(halfBits), admission.keysReadAt(half))
  keyWrite.valid := survey.isWrite || admission.entered.valid
  keyWrite.place := Mux(survey.isWrite, survey.writtenAt, admission.entered.place)
  keyWrite.key := Mux(survey.isWrite, survey.writtenKey, admission.entered.key)
  countsReadAt := Mux(surveying.isOn, survey.place, admission.place)
  countsWrite.valid := survey.isWrite || admission.counted.valid
  countsWrite.place := Mux(survey.isWrite, survey.writtenAt, admission.counted.place)
  countsWrite.bytes := admission.counted.bytes // zeros, but for a newcomer's
  lists.readAt := survey.place
  lists.writeAt := survey.writtenAt
  lists.written := survey.writtenLists
  lists.isWrite := survey.isWrite
  states.readAt := Mux(working.isOn, work.place, survey.place)
  states.writeAt := Mux(survey.isWrite, survey.writtenAt, work.place)
  states.written := Mux(survey.isWrite, survey.writtenState, work.writtenState).asBits
  states.isWrite := survey.isWrite || work.isWrite
  histories.readAt := work.place
  histories.writeAt := work.place
  histories.written := work.writtenHistory
  histories.isWrite := work.isNoted
  works.readAt := work.at
  works.writeAt := survey.workedNumber.resized
  works.written := survey.worked.payload.asBits
  works.isWrite := survey.worked.valid

  val published = Flow(PlacedFlow())
  published.valid := RegNext(survey.isWrite || work.isWrite, init = False)
  published.place := RegNext(Mux(survey.isWrite, survey.writtenAt, work.place))
  published.known := RegNext(Mux(survey.isWrite, survey.published, work.published))

  val onShow = new Area {
    val monitored = Reg(UInt(placeBits + 1 bits))
    when(rating.isDone)(monitored := survey.monitored)
    when(work.isMore)(monitored := monitored + 1)
    when(work.isLess)(monitored := monitored - 1)
    val shownMonitored = RegNextWhen(monitored, settles) init 0
    val shownRate = RegNextWhen(rates.average, settles) init 0
  }

  /** What the end of a list was worked out from, and what became of the flows, as long as it stands. */
  def views: Seq[(String, UInt)] = rates.views ++ work.views(begins = tick.valid)

  private def phases = Seq(admitting, surveying, rating, working)
  Clocks.suffice(
    "ListController.cycles - 1",
    cycles - 1,
    new Clocks(Seq(tick.valid), spans = phases.map(_.span)).to(working.isDone)
  )
  rates.checkClocks(still = Seq(working.isOn, work.exponent))
  work.checkClocks(still = Seq(survey.place, rates.exponent))
}

object ListController {

  /** Until what was settled before the tick is recorded. */
  private val draining = 8

  /** From the tick until all is done. */
  val cycles: Int = draining + NewcomerAdmission.cycles + ListSurvey.cycles + ListRates.cycles + ListWork.cycles + 16
}
