// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import spinal.core._
import spinal.lib._

/** Goes through the flows that may change, one in each 32 clocks of the phase.
  *
  * @param number
  *   flows that there are
  * @param flow
  *   the one of [[at]], two clocks later
  * @param state
  *   of [[place]], two clocks later; likewise its history
  * @param logarithm
  *   as in [[ListRates]]
  */
class ListWork(
    phase: Phase,
    number: UInt,
    flow: WorkedFlow,
    state: FlowState,
    history: Bits,
    rates: ListRates,
    isTested: Bool,
    logarithm: UInt,
    power: UInt
) extends Area {
  import FlowState.{ageBits, probabilityBits}
  import ListWork._
  private val clock = phase.at(4 downto 0)
  val at: UInt = (phase.at >> 5).resize(log2Up(WorkedFlow.most))
  val place: UInt = flow.place
  private val isThere = RegNext(phase.isOn && (phase.at >> 5) < number, init = False)

  // Operands in clocks 3 to 5; the flow stands from clock 2 on.
  private def is(n: Int): Bool = RegNext(phase.isOn && clock === n - 1, init = False)
  private def asked(value: UInt, at: Int): (UInt, SInt) = (
    value.resize(WorkedFlow.lostBits).andMask(is(at)),
    RegNextWhen(logarithm, is(at + ListRates.operandToLog)).resize(HistoryPoint.bits + 1).asSInt
  )
  private val (lost, ofLost) = asked(flow.lost, lostAt)
  private val (arrived, ofArrived) = asked(flow.arrived, arrivedAt)
  private val (dropped, ofDropped) = asked(flow.dropped, droppedAt)
  val operand: UInt = lost | arrived | dropped
  val exponent: SInt = RegNext(rates.scale + ofLost)
  private val step = RegNext(ListRates.probability(power))

  // The state and the history stand from clock 4 on.
  private val points = history.subdivideIn(HistoryPoint().getBitsWidth bits).map(_.as(HistoryPoint())).toSeq
  val test = new UnresponsiveTest(is(loadAt), points, state.points)

  // The inputs stand until the next flow comes; what they say is looked at when the last has come of it.
  private def isOldEnough(hold: UInt, margin: Int): Bool =
    RegNext(!(RegNext(state.age.resize(ageBits + 1) + margin) < RegNext(hold.resize(ageBits + 1))))
  private val isPunished =
    RegNext(flow.isIdentified && isOldEnough(rates.hold + (releaseAge - tie), 0) && flow.dropped =/= 0 && rates.isHigh)
  private val hold = RegNext(Mux(state.isUnresponsive, rates.holdFive, rates.holdThree))
  private val isEased = RegNext(!flow.isListed && state.probability =/= 0 && isOldEnough(hold, tie))
  val stepped = new FlowStep(
    load = is(loadAt),
    state,
    isEased = RegNext(!flow.isListed),
    isUnresponsiveNow = test.isUnresponsive && isTested,
    step,
    rates.used
  )

  private val isDecided = isThere && clock === writeAt
  val isWrite: Bool = RegNext(isDecided && (isPunished || isEased), init = False)
  val writtenState = FlowState()
  writtenState.probability := stepped.after
  writtenState.isUnresponsive := stepped.isUnresponsive && !stepped.isReleased
  writtenState.age := Mux(isPunished, U(releaseAge), U(0)).resized
  writtenState.points := state.points
  when(isPunished && state.points =/= HistoryPoint.kept)(writtenState.points := state.points + 1)
  when(stepped.isReleased)(writtenState.points := 0)

  private val newest = HistoryPoint()
  newest.rate := RegNext(ofArrived - rates.elapsedLog).resized
  newest.fraction := RegNext(ofDropped - ofArrived).resized
  val isNoted: Bool = isWrite && isPunished
  val writtenHistory: Bits = (history ## newest).resize(history.getWidth)

  val published = KnownFlow()
  published.isUsed := True
  published.flow := flow.flow
  published.probability := stepped.after >> (probabilityBits - KnownFlow.probabilityBits)
  published.isUnresponsive := writtenState.isUnresponsive

  private val was = RegNext(state.probability =/= 0)
  private val becomes = RegNext(stepped.after =/= 0)

  /** Whether one more flow is monitored, or one less. */
  val isMore: Bool = isWrite && !was && becomes
  val isLess: Bool = isWrite && was && !becomes

  /** Sums over all flows, with a list's first one anew: of what becomes of each and what that hangs on. */
  def views(begins: Bool): Seq[(String, UInt)] = {
    val isSeen = RegNext(isDecided, init = False)
    def sum(value: => SInt, isCounted: Bool, bits: Int): UInt = {
      val total = Reg(SInt(bits bits))
      when(begins)(total := 0) elsewhen (isSeen && isCounted)(total := total + value)
      total.asUInt
    }
    def ofPoints(field: HistoryPoint => SInt): UInt = {
      val newer = writtenHistory.subdivideIn(HistoryPoint().getBitsWidth bits).map(_.as(HistoryPoint()))
      val known = newer.zipWithIndex.map { case (point, i) =>
        Mux(writtenState.points > i, field(point).resize(24), S(0, 24 bits))
      }
      sum(known.reduceBalancedTree(_ + _), isNoted, 24)
    }
    val kept = (writtenState.probability ## writtenState.points ## writtenState.isUnresponsive).asUInt
    Seq(
      "worked_bytes" -> sum((flow.lost +^ flow.arrived +^ flow.dropped).intoSInt, True, 46),
      "worked_steps" ->
        (sum(state.age.intoSInt, True, 26) ## sum(step.intoSInt, flow.isIdentified, 30)).asUInt,
      "worked_points" ->
        (ofPoints(_.rate) ## ofPoints(_.fraction) ## sum(test.excesses.resize(16), True, 16)).asUInt,
      "worked_after" -> (sum(test.good.intoSInt, True, 10) ## sum(test.bad.intoSInt, True, 10) ##
        sum(kept.intoSInt, isWrite, 34)).asUInt
    )
  }

  /** Holds [[ListWork.writeAt]] against the netlist, once logarithm and power are joined to what they are asked.
    *
    * @param still
    *   what else comes to the memories and to what is asked, but not in this phase
    */
  def checkClocks(still: Seq[Data]): Unit = {
    import sluice.contract.Clocks
    def logged(at: Int, logarithm: SInt) = Clocks.Span(phase.at, at + ListRates.operandToLog + 1, logarithm)
    val clocks = new Clocks(
      Seq(phase.at),
      still ++ Seq(phase.isOn, rates.scale, rates.isHigh, rates.used, rates.elapsedLog) ++
        Seq(rates.hold, rates.holdThree, rates.holdFive),
      Seq(
        logged(lostAt, ofLost),
        logged(arrivedAt, ofArrived),
        logged(droppedAt, ofDropped),
        Clocks.Span(phase.at, loadAt + UnresponsiveTest.cycles, test.isUnresponsive),
        Clocks.Span(phase.at, loadAt + FlowStep.sumCycles, stepped.sum)
      )
    )
    for ((name, decided) <- Seq("punished" -> isPunished, "eased" -> isEased))
      Clocks.suffice(s"ListWork.writeAt, for who is $name,", writeAt, clocks.to(decided))
    for ((name, written) <- Seq("state" -> writtenState, "history" -> writtenHistory, "count" -> becomes))
      Clocks.suffice(s"ListWork.writeAt + 1, for the $name,", writeAt + 1, clocks.to(written))
  }
}

object ListWork {
  private val releaseAge = 16 // from the end of a list to the release: 1 ms
  private val tie = 4 // ages by which a hold time may be too short
  private val (lostAt, arrivedAt, droppedAt) = (3, 4, 5) // clocks of the operands
  private val loadAt = 5
  private val writeAt = 29
  val cycles: Int = 32 * WorkedFlow.most
}
