// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import sluice.blocks.arithmetic.powers.{Logarithm, PowerOfTwo}
import spinal.core._
import spinal.lib._

/** From the bytes of a list its drop rate, and from that how flows are punished and how long the next list is:
  *
  *   1. rate = lost / (arrived - filtered), Q0.24, and its average with a weight of 1/2;
  *   1. [[scale]] = the logarithm of the lesser of the two over the mean loss of an identified flow;
  *   1. [[intervalNs]] = K/M R / sqrt(1.5 average), from 2 R to 10 R.
  *
  * Ratios are differences of logarithms, one after the other through the same table.
  *
  * @param phase
  *   of at least [[ListRates.cycles]] clocks
  * @param isFirst
  *   no list has ended: nothing changes
  * @param elapsed
  *   ns of the list
  * @param number
  *   identified flows, and what they lost
  * @param logarithm
  *   of what [[operand]] was [[Logarithm.latency]] clocks before
  * @param power
  *   of what [[exponent]] was [[PowerOfTwo.latency]] clocks before
  */
class ListRates(
    phase: Phase,
    isFirst: Bool,
    recorder: ListRecorder,
    elapsed: UInt,
    number: UInt,
    total: UInt,
    rtt: UInt,
    resetRtt: BigInt,
    logarithm: UInt,
    power: UInt
) extends Area {
  import FlowState.{ageShift, probabilityBits}
  import ListRates._
  private def is(n: Int): Bool = RegNext(phase.isOn && phase.at === n, init = False) // in clock n + 1
  private val rateBits = probabilityBits

  private val offered = RegNext(recorder.arrived - recorder.filtered)
  val average = Reg(UInt(rateBits bits)) init 0
  val rate, used = Reg(UInt(rateBits bits))
  private val hasAverage = RegInit(False)

  /** The value while it is the operand, and its logarithm afterwards. */
  private def asked(value: UInt, at: Int): (UInt, SInt) = (
    value.resize(Logarithm.valueBits).andMask(is(at)),
    RegNextWhen(logarithm, is(at + operandToLog)).resize(Logarithm.bits + 2).asSInt
  )
  private val (lost, ofLost) = asked(recorder.lost, 0)
  private val (offer, ofOffered) = asked(offered, 1)
  private val (length, ofElapsed) = asked(elapsed, 2)
  private val (trip, ofRtt) = asked(rtt, 3)
  private val (flows, ofNumber) = asked(number, 4)
  private val (loss, ofTotal) = asked(total, 5)
  private val (mean, ofAverage) = asked(average, averagedAt)
  private val (lesser, ofUsed) = asked(used, averagedAt + 1)

  /** What is to be taken the logarithm of. */
  val operand: UInt = Seq(lost, offer, length, trip, flows, loss, mean, lesser).reduceBalancedTree(_ | _)

  /** Of the list's length in ns. */
  val elapsedLog: SInt = ofElapsed

  private val whole = S(rateBits << Logarithm.fraction, Logarithm.bits + 2 bits) // of 1, in units of 2^-24
  private val ofRate = RegNext(ofLost - ofOffered + whole)
  private val ofLength = RegNext(
    RegNext(ofRtt + S(Logarithm.of(0.6 / scala.math.sqrt(1.5)))) + RegNext((whole - ofAverage) >> 1)
  )

  /** What is to be raised to. */
  val exponent: SInt = Mux(phase.at < averagedAt, ofRate, ofLength)

  private val measured = RegNext(Mux(recorder.lost === 0, U(0, rateBits bits), probability(power)))
  when(is(averagedAt - 2)) {
    rate := measured
    when(!isFirst) {
      average := Mux(hasAverage, (measured +^ average) >> 1, measured)
      hasAverage := True
    }
  }
  used := Mux(rate < average, rate, average)

  /** Whether anyone is punished. */
  val isHigh: Bool = RegNext(rate > leastRate)

  val scale: SInt = RegNext(RegNext(ofNumber - ofTotal) + ofUsed)

  private val shortest = RegNext((rtt << 1).resize(intervalBits))
  private val longest = RegNext(((rtt << 3) +^ (rtt << 1)).resize(intervalBits))
  private val isOver = RegNext(power > longest)
  private val isUnder = RegNext(power < shortest)
  private val next = RegNext(Mux(isOver, longest, Mux(isUnder, shortest, power)))

  /** The length of the list that begins. */
  val intervalNs = Reg(UInt(intervalBits bits)) init 10 * resetRtt

  /** Lengths of the last lists with a drop rate, the newest first, in the unit of ages. */
  val lengths = Vec(Reg(UInt(intervalBits - ageShift bits)) init 0, HistoryPoint.kept)

  // Hold times, before and after this list's own.
  private val three = RegNext(lengths.take(3).map(_.resize(19)).reduce(_ + _))
  private val four = RegNext(three + lengths(3))
  private val five = RegNext(four + lengths(4))
  private def bounded(sum: UInt): UInt = RegNext(Mux(sum < leastHold, U(leastHold, 19 bits), sum))

  /** Before anyone is punished, and eased; the last one for an unresponsive flow. */
  val hold: UInt = RegNextWhen(bounded(four), is(averagedAt))
  val holdThree: UInt = bounded(three)
  val holdFive: UInt = bounded(five)

  private val isLossless = RegNext(average === 0) // stands for long
  when(is(lengthAt) && !isFirst) {
    intervalNs := Mux(isLossless, longest, next)
    when(!isLossless) {
      lengths(0) := next >> ageShift
      for (i <- 1 until lengths.size) lengths(i) := lengths(i - 1)
    }
  }

  /** What the end of a list was worked out from, as long as it stands. */
  def views: Seq[(String, UInt)] = Seq(
    "list_bytes" -> ((offered +^ recorder.lost) ## ofAverage.resize(Logarithm.bits)).asUInt,
    "list_rates" -> (rate ## scale ## ofElapsed).asUInt,
    "list_holds" -> (hold ## holdThree ## holdFive).asUInt,
    "list_identified" -> total
  )

  /** Holds the clocks that [[ListRates]] declares against the netlist, once logarithm and power are joined to what they are asked.
    *
    * @param still
    *   what else they are asked, but not in this phase
    */
  def checkClocks(still: Seq[Data]): Unit = {
    import sluice.contract.Clocks
    Clocks.are("ListRates.operandToLog", operandToLog, new Clocks(Seq(operand)).to(logarithm))
    Clocks.are("ListRates.exponentToPower", exponentToPower, new Clocks(Seq(exponent), still).to(power))
    def logged(at: Int, logarithm: SInt) = Clocks.Span(phase.at, at + operandToLog + 2, logarithm)
    def clocks(more: Data*)(spans: Clocks.Span*) = new Clocks(Seq(phase.at), still ++ more :+ phase.isOn, spans)
    val ofRates = clocks(ofLength)(logged(0, ofLost), logged(1, ofOffered))
    Clocks.suffice("ListRates.averagedAt - 1", averagedAt - 1, ofRates.to(measured))
    val ofLengths = clocks(ofRate)(logged(3, ofRtt), logged(averagedAt, ofAverage))
    Clocks.suffice("ListRates.lengthAt + 1", lengthAt + 1, ofLengths.to(next))
    val ofScale = clocks()(logged(4, ofNumber), logged(5, ofTotal), logged(averagedAt + 1, ofUsed))
    Clocks.suffice("ListRates.cycles, for the scale,", cycles, ofScale.to(scale))
    val ofHolds = new Clocks(Seq(lengths))
    for (time <- Seq(holdThree, holdFive))
      Clocks.suffice("ListRates.cycles after a new length", cycles - (lengthAt + 2), ofHolds.to(time))
  }
}

object ListRates {
  val intervalBits = 32
  private val leastRate = BigInt(scala.math.round(0.001 * (1 << FlowState.probabilityBits)))
  private val leastHold = (400000000L >> FlowState.ageShift).toInt

  /** Clocks from an operand to its logarithm, by two registers between. */
  val operandToLog: Int = 2 + Logarithm.latency

  /** And from an exponent to its power. */
  val exponentToPower: Int = 1 + PowerOfTwo.latency

  private val averagedAt = 1 + operandToLog + 2 + exponentToPower + 5
  private val lengthAt = averagedAt + 1 + operandToLog + 3 + exponentToPower + 5
  val cycles: Int = lengthAt + 8

  /** Powers as probabilities, below 1. */
  def probability(power: UInt): UInt = {
    val bits = FlowState.probabilityBits
    power(bits - 1 downto 0) | Mux((power >> bits) =/= 0, U((BigInt(1) << bits) - 1, bits bits), U(0, bits bits))
  }
}
