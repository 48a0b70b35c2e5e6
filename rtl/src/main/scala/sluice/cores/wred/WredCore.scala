// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.wred

import sluice.blocks.arithmetic.IsBelow
import sluice.blocks.averages.{Ewma, IndexedAverage}
import sluice.blocks.probability.RampTest
import sluice.contract._
import spinal.core._
import spinal.lib.Flow
import spinal.lib.misc.pipeline._

/** One packet per clock, of whatever queues: stage 0 looks the profile up, stage 1 chooses the ramp of marks or that of drops, up to
  * stage 6 the average is brought up to date, on which stages 7 to 10 test the draw exactly. Latency 12. At the head an average comes with
  * its packet, which carries its draw and the number of its profile as its tag, and is there two stages earlier.
  *
  * The average is UQ26.10 in bytes, each of the terms of `average - average / 2^weight + bytes / 2^weight` rounded down.
  */
class WredCore(wred: WredAlgorithm) extends AqmCore(wred) {
  import wred._
  import WredAlgorithm.fraction
  private val averageAt = if (atHead) 4 else 6
  private val judgedAt = averageAt + 6
  val latency = if (atHead) 8 else judgedAt
  override def headLatency = if (atHead) judgedAt else 0
  private val n = if (atHead) headNodes else nodes
  private val format = new ProfileWord(fields)

  applyWhen(RegNext(io.apply, init = False))

  /** At stage 0 of what is judged; with the number of the profile, where there are some. */
  private def isEct = if (atHead) io.head.packet.isEct else io.arrival.packet.isEct
  private def draw = if (atHead) io.head.packet.tag(0, Widths.random bits).asUInt else io.arrival.random(0)
  private def number = if (atHead) (io.head.packet.tag >> Widths.random).asUInt else io.arrival.profile
  private def bytes = if (atHead) (io.head.queueBytes +^ io.head.packet.bytes).sat(1) else io.arrival.queueBytes

  val onProfile = new Area {
    val WORD = Payload(Bits(format.width bits))
    val IS_MARKING, IS_ACTIVE = Payload(Bool())
    val LOW, HIGH, LENGTH = Payload(UInt(Widths.maxBytes bits))
    val TOP = Payload(UInt(probability.width bits))
    val WEIGHT = Payload(UInt(weight.width bits))
    val DRAW = Payload(UInt(Widths.random bits))
    private val IS_ECT = Payload(Bool())
    private def of(p: Parameter): UInt = format.field(n(1)(WORD), p)
    private def chosen(marking: Parameter, dropping: Parameter) = Mux(n(1)(IS_MARKING), of(marking), of(dropping))

    private val staged = RegNext(format.of(io.parameters)) // of a set that enters in this clock or later
    val profiles = (needs.profiles > 0) generate
      new WredProfiles(format, number, io.applied, io.parameters(profile), staged)
    n(1)(WORD) := Option(profiles).fold(inForce(1, staged, B(format.atReset, format.width bits)))(_.found)
    n(0)(IS_ECT) := isEct
    n(0)(DRAW) := draw
    n(1)(IS_MARKING) := n(1)(IS_ECT) && of(ecn).lsb
    n(1)(IS_ACTIVE) := n(1)(IS_MARKING) || of(enable).lsb
    n(1)(LOW) := chosen(ecnMin, min)
    n(1)(HIGH) := chosen(ecnMax, max)
    n(1)(TOP) := chosen(ecnProbability, probability)
    n(1)(WEIGHT) := of(weight)
    n(2)(LENGTH) := n(2)(HIGH) - n(2)(LOW)
  }
  import onProfile._

  val onAverage = new Area {
    private val exponents = 1 to WredAlgorithm.mostWeight
    private val bits = WredAlgorithm.averageBits
    private val BYTES = Payload(UInt(Widths.maxBytes bits))
    private val PART, INCREMENT = Payload(UInt(bits bits))
    private val SELECTION = Payload(Bits(exponents.size bits))
    private val IS_WHOLE = Payload(Bool())
    val AVERAGE = Payload(UInt(bits bits))

    n(0)(BYTES) := bytes
    n(1)(PART) := (n(1)(BYTES) << fraction) |>> n(1)(WEIGHT)(1 downto 0)
    n(2)(INCREMENT) := n(2)(PART) |>> (n(2)(WEIGHT)(3 downto 2) @@ U"00")
    n(2)(SELECTION) := IndexedAverage.select(n(2)(WEIGHT), exponents)
    n(2)(IS_WHOLE) := n(2)(WEIGHT) === 0

    private val QUEUE = Payload(UInt(needs.queueBits bits))
    private val updateAt = 1 + IndexedAverage.updateAt // to which nothing may come in the first clock after a reset
    val one = (queues == 1 && !atHead) generate new Ewma(Widths.maxBytes, fraction, reset = 0, exponents) {
      private val selection = n(updateAt)(SELECTION)
      private val changed = next(n(updateAt)(INCREMENT), selection, half = None, n(updateAt)(IS_WHOLE))
      when(n(updateAt).isValid)(average := changed)
    }
    val sampled = (queues > 1) generate Flow(UInt(needs.queueBits bits))
    if (queues > 1) {
      n(0)(QUEUE) := io.arrival.packet.queue
      sampled.valid := n(1).isValid
      sampled.payload := n(1)(QUEUE)
    }
    val many = (queues > 1) generate new IndexedAverage(
      1 << needs.queueBits,
      bits,
      sampled,
      n(updateAt)(INCREMENT),
      n(updateAt - 1)(SELECTION),
      n(updateAt - 1)(IS_WHOLE),
      exponents
    )
    val kept = atHead generate new Area {
      val BEFORE = Payload(UInt(bits bits))
      val COUNTS = Payload(Bool())
      n(0)(BEFORE) := headState.asUInt
      n(0)(COUNTS) := isHeadCounted
      private val at = n(averageAt - 1)
      val average =
        Ewma.after(at(BEFORE), at(INCREMENT), at(SELECTION), at(IS_WHOLE), exponents)
    }
    val at = averageAt
    require(atHead || at == updateAt + 1)
    n(at)(AVERAGE) := (if (atHead) kept.average else if (queues == 1) one.average else many.average)
    if (atHead) {
      viewHeadAt(at, "average", n(at)(AVERAGE))
      val last = RegNextWhen(n(at)(AVERAGE), n(at).isValid && n(at)(kept.COUNTS)) init 0
      showHead(average, last >> 4, shownAt = at + 1)
    } else {
      viewAt(at, "average", n(at)(AVERAGE))
      show(average, RegNextWhen(n(at)(AVERAGE), n(at).isValid).init(0) >> 4, shownAt = at + 1)
    }

    /** What the packet finds, in bytes. */
    def found: UInt = n(at)(AVERAGE) >> fraction
  }

  val onRamp = new Area {
    private val at = onAverage.at
    private val OVER = Payload(UInt(Widths.maxBytes bits)) // what the packet finds, from LOW on
    private val IS_BELOW, IS_BEYOND = Payload(Bool())
    private val over = onAverage.found -^ n(at)(LOW)
    n(at)(OVER) := over.resized
    n(at)(IS_BELOW) := over.msb
    n(at)(IS_BEYOND) := !IsBelow(onAverage.found, n(at)(HIGH))
    private val from = at + 1
    private val test = new RampTest(n.drop(from), DRAW, TOP, n(from)(OVER), n(from)(LENGTH))

    private val decidedAt = from + RampTest.latency + 1
    private val d = n(decidedAt)
    val VERDICT = Payload(Verdict())
    d(VERDICT) := pass
    when(d(IS_ACTIVE) && (d(IS_BEYOND) || (!d(IS_BELOW) && d(test.IS_TAKEN)))) {
      d(VERDICT) := Mux(d(IS_MARKING), verdict(mark), verdict(drop))
    }
  }

  if (atHead) {
    val at = n(headLatency)
    answerHead(at(onRamp.VERDICT), at(onAverage.AVERAGE).asBits)
    answer(pass)
    val TAG = Payload(Bits(needs.tagBits bits))
    nodes(0)(TAG) := io.arrival.profile ## io.arrival.random(0)
    io.verdict.tag := nodes(latency)(TAG)
  } else answer(n(latency)(onRamp.VERDICT))
  buildPipeline()
}
