// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import sluice.contract.{Views, Widths}
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** The number of flows from the frequencies of a window of captures: the interpolated jackknife of K. P. Burnham and
  * W. S. Overton, "Estimation of the size of a closed population when capture probabilities vary among animals", Biometrika
  * 65, 1978. A pure pipeline: one estimate per clock, so that every arrival has the estimate of its own moment.
  *
  * N_J(m+1) = N_Jm + D_m, D_m = Σ b_i f_i. Order m is accepted if T_m^2 = D_m^2 (S-1) / (S V_m - D_m^2), V_m = Σ b_i^2 f_i, is
  * at most 3.84; multiplied out, D_m^2 <= V_m * 3.84 S / (S + 2.84). The estimate lies between N_J(m-1) and N_Jm of the
  * first accepted order m, where the significance would be 0.05; if none is accepted, it is N_J5. Never below N_J1.
  *
  * t, S and f_i are 0..capacity, and the f_i such that every |D_m| is below 256 and every V_m below 8192, as those of a window of
  * up to 127 captures are.
  * N_J and D_m carry 9 fraction bits, V_m 12; the estimate is Q10.8.
  *
  * @param capacity
  *   captures of the longest window, 127 at most: the tables by t and S have no entry for more
  * @param coefficients
  *   [[JackknifeTables.exact]], or [[JackknifeTables.limit]] for less area
  */
class Jackknife(capacity: Int, coefficients: Int => JackknifeTables.Coefficients = JackknifeTables.exact)
    extends Component
    with Views {
  import Jackknife._
  import JackknifeTables._
  require(capacity <= mostCaptures, s"the formats hold windows of $mostCaptures captures, not of $capacity")
  private val countBits = Widths.count(capacity)

  val io = new Bundle {
    val captures = slave(Flow(UInt(countBits bits))) // t
    val frequencies = in(Frequencies(capacity)) // two clocks after t
    val orders = out(
      Vec.fill(JackknifeTables.orders + 1)(SInt(orderBits bits))
    ) // N_J0..N_J5, ordersLatency clocks after t
    val estimate = master(Flow(UInt(estimateBits bits))) // latency clocks after t
  }
  val n = Seq.tabulate(latency + 1)(i => new Node().setName(s"n$i"))
  n(0).arbitrateFrom(io.captures)

  val CAPTURES, DISTINCT = Payload(UInt(countBits bits))
  n(0)(CAPTURES) := io.captures.payload
  n(frequenciesAt)(DISTINCT) := io.frequencies.distinct

  /** Coefficients by t, read while the window is still being counted. */
  val onCoefficients = new Area {
    val words = (0 to capacity).map(coefficients)
    val FIRST = Payload(UInt(firstBits bits))
    val STEPS = shape.map(row => row.map(_ => Payload(UInt(stepBits bits))))
    val SQUARES = shape.map(row => row.map(_ => Payload(UInt(squareBits bits))))

    // One wide memory; but a column of one number and zeros is logic.
    private val columns = (FIRST, firstBits, words.map(_.first)) +: (for {
      (row, m) <- shape.zipWithIndex
      i <- row
      (payloads, width, pick) <- Seq((STEPS, stepBits, words.map(_.steps)), (SQUARES, squareBits, words.map(_.squares)))
    } yield (payloads(m)(i), width, pick.map(_(m)(i))))
    private val (logic, memory) = columns.partition { case (_, _, values) => values.distinct.size <= 2 }
    private def read(columns: Seq[(Payload[UInt], Int, Seq[BigInt])]): Unit = {
      val lsbs = columns.scanLeft(0)(_ + _._2)
      val rows =
        words.indices.map(t => columns.zip(lsbs).map { case ((_, _, values), lsb) => values(t) << lsb }.reduce(_ | _))
      val word = Mem(Bits(lsbs.last bits), rows.map(B(_, lsbs.last bits))).readSync(n(0)(CAPTURES))
      for (((payload, width, _), lsb) <- columns.zip(lsbs)) n(1)(payload) := word(lsb, width bits).asUInt
    }
    if (memory.nonEmpty) read(memory)
    logic.foreach(column => read(Seq(column)))
  }

  /** D_m, V_m and N_J1. */
  val onSums = new Area {
    val (at, pairAt, sumAt) = (frequenciesAt, frequenciesAt + Multiplier.farLatency, sumsAt)
    val FIRST = Payload(UInt(firstBits + countBits bits))
    val STEPS = shape.map(_.map(_ => Payload(UInt(stepBits + countBits bits))))
    val SQUARES = shape.map(_.map(_ => Payload(UInt(squareBits + countBits bits))))
    val UP, DOWN, LAST = shape.map(_ => Payload(UInt(stepBits + countBits + 2 bits)))
    val V_PARTS = shape.map(row => row.grouped(2).toSeq.map(_ => Payload(UInt(vBits bits))))
    val V = shape.map(_ => Payload(UInt(vBits bits)))
    val D = shape.map(_ => Payload(SInt(dBits bits)))
    val N1 = Payload(UInt(firstOrderBits bits))

    val f = io.frequencies.f
    n(pairAt)(FIRST) := Multiplier.far(n(at)(onCoefficients.FIRST), f(0))
    n(sumAt)(N1) := ((n(sumAt)(DISTINCT) << stepFraction) +^ n(sumAt)(FIRST) + half >> toD).resized
    for ((row, m) <- shape.zipWithIndex) {
      for (i <- row) {
        n(pairAt)(STEPS(m)(i)) := Multiplier.far(n(at)(onCoefficients.STEPS(m)(i)), f(i))
        n(pairAt)(SQUARES(m)(i)) := Multiplier.far(n(at)(onCoefficients.SQUARES(m)(i)), f(i))
      }
      def sum(at: Int, terms: Seq[Payload[UInt]], width: Int): UInt = terms.map(n(at)(_).resize(width)).reduce(_ + _)
      val (odd, even) = STEPS(m).zipWithIndex.partition(_._2 % 2 == 0)
      val (up, last) = odd.map(_._1).splitAt(2) // two products at a time: they come from afar
      n(pairAt)(UP(m)) := sum(pairAt, up, stepBits + countBits + 2)
      n(pairAt)(LAST(m)) := last
        .map(n(pairAt)(_).resize(stepBits + countBits + 2))
        .foldLeft(U(half, stepBits + countBits + 2 bits))(_ + _)
      n(pairAt)(DOWN(m)) := sum(pairAt, even.map(_._1), stepBits + countBits + 2)
      for ((part, terms) <- V_PARTS(m).zip(SQUARES(m).grouped(2).toSeq)) n(pairAt)(part) := sum(pairAt, terms, vBits)
      n(sumAt)(V(m)) := sum(sumAt, V_PARTS(m), vBits)
      n(sumAt)(D(m)) := (n(sumAt)(UP(m)) + n(sumAt)(LAST(m)) - n(sumAt)(DOWN(m)) >> toD).resize(dBits).asSInt
    }
  }
  import onSums.{D, V}

  /** Which orders pass the test, and S V - D^2 for the significance of those that are interpolated. */
  val onTest = new Area {
    val (at, sumAt, compareAt) = (testAt, testAt + Multiplier.latency, selectAt - 1)
    val LIMIT = Payload(UInt(18 bits))
    val LOG_LESS_ONE = Payload(UInt(logBits bits))
    val SQUARE = shape.map(_ => Payload(UInt(2 * dBits bits)))
    val ALLOWED_LIMBS = shape.map(_ => Payload(WideMultiplier.products(vBits, 18)))
    val ALLOWED = shape.map(_ => Payload(UInt(2 * dBits bits)))
    val SCALED_LIMBS = shape.map(_ => Payload(WideMultiplier.products(vBits, countBits)))
    val SCALED = shape.map(_ => Payload(UInt(yBits bits)))
    val MAGNITUDE = shape.map(_ => Payload(UInt(dBits - 1 bits)))
    val REST = shape.map(_ => Payload(SInt(yBits + 1 bits)))
    val IS_ACCEPTED = shape.map(_ => Payload(Bool()))

    val words = limitOfTest.zip(logLessOne).take(capacity + 1).map { case (limit, log) =>
      U((log << 18) | limit, logBits + 18 bits)
    }
    val word = Mem(UInt(logBits + 18 bits), words).readSync(n(frequenciesAt)(DISTINCT))
    n(frequenciesAt + 1)(LIMIT) := word(0, 18 bits)
    n(frequenciesAt + 1)(LOG_LESS_ONE) := word(18, logBits bits)

    for (m <- shape.indices) {
      n(sumAt)(SQUARE(m)) := Multiplier(n(at)(D(m)), n(at)(D(m))).asUInt
      n(at)(MAGNITUDE(m)) := n(at)(D(m)).abs.resized
      n(sumAt)(ALLOWED_LIMBS(m)) := WideMultiplier.multiplyApart(n(at)(V(m)), n(at)(LIMIT))
      n(sumAt)(SCALED_LIMBS(m)) := WideMultiplier.multiplyApart(n(at)(V(m)), n(at)(DISTINCT))
      n(sumAt)(ALLOWED(m)) := (WideMultiplier.sum(n(sumAt)(ALLOWED_LIMBS(m))) >> 10).resized
      n(sumAt)(SCALED(m)) := WideMultiplier.sum(n(sumAt)(SCALED_LIMBS(m))).resized
      n(compareAt)(REST(m)) := n(compareAt)(SCALED(m)).intoSInt - (n(compareAt)(SQUARE(m)) >> 6).intoSInt.resized
      n(compareAt)(IS_ACCEPTED(m)) := !(n(compareAt)(ALLOWED(m)) < n(compareAt)(SQUARE(m))) &&
        n(compareAt)(CAPTURES) > m + 1
    }
  }

  /** The first accepted order and the one before it. */
  val onOrder = new Area {
    val sums = n(testAt)
    val D12 = Payload(SInt(orderBits bits))
    val D34 = Payload(SInt(orderBits bits))
    val D1234 = Payload(SInt(orderBits bits))
    val OFFSET = Payload(SInt(orderBits bits)) // from N_J1 to the order before, or to the only one
    val STEP = Payload(SInt(dBits bits)) // 0 if there is nothing to interpolate
    val BELOW = Tested(dBits - 1, yBits)
    val ABOVE = Tested(dBits - 1, yBits)

    sums(D12) := sums(D(0)).resize(orderBits) + sums(D(1))
    sums(D34) := sums(D(2)).resize(orderBits) + sums(D(3))
    n(testAt + 1)(D1234) := n(testAt + 1)(D12) + n(testAt + 1)(D34)

    val s = n(selectAt)
    val first = OHMasking.first(onTest.IS_ACCEPTED.map(s(_)).asBits())
    val isNone = !onTest.IS_ACCEPTED.map(s(_)).orR
    s(OFFSET) := Mux(isNone, s(D1234), S(0))
    s(STEP) := 0
    for ((payloads, shift) <- Seq(BELOW -> 1, ABOVE -> 0)) {
      s(payloads.MAGNITUDE) := MuxOH.or(
        first(3 downto 1),
        (1 to 3).map(m => s(onTest.MAGNITUDE(m - shift))),
        bypassIfSingle = false
      )
      s(payloads.REST) := MuxOH
        .or(first(3 downto 1), (1 to 3).map(m => s(onTest.REST(m - shift)).asBits), bypassIfSingle = false)
        .asSInt
    }
    when(first(1))(s(STEP) := s(D(0)))
    when(first(2)) { s(STEP) := s(D(1)); s(OFFSET) := s(D(0)).resized }
    when(first(3)) { s(STEP) := s(D(2)); s(OFFSET) := s(D12) }
  }

  val significance =
    new Significance(n.slice(selectAt + 1, estimateAt + 1), Seq(onOrder.BELOW, onOrder.ABOVE), onTest.LOG_LESS_ONE)
  val ratio =
    new Ratio(n.slice(selectAt + 1 + Significance.latency, n.size), significance.DISTANCE(0), significance.DISTANCE(1))

  val onEstimate = new Area {
    val PART = Payload(SInt(dBits + 18 bits))
    val ABOVE = Payload(SInt(orderBits bits)) // above N_J1
    val (a, b, c) = (n(estimateAt), n(latency - 2), n(latency - 1))
    b(PART) := Multiplier(a(ratio.RATIO).intoSInt, a(onOrder.STEP))
    val halfOffset = (b(onOrder.OFFSET) ## B(1 << 15, 16 bits)).asSInt // rounds as well: the product comes from afar
    b(ABOVE) := (halfOffset + b(PART) >> 16).resize(orderBits)
    val floored = Mux(c(ABOVE).msb, S(0), c(ABOVE)) + c(onSums.N1).intoSInt
    val ESTIMATE = Payload(UInt(estimateBits bits))
    c(ESTIMATE) := (floored >> 1).asUInt.resized

    io.estimate.valid := n(latency).isValid
    io.estimate.payload := n(latency)(ESTIMATE)
  }

  val onShow = new Area {
    val s = n(ordersLatency)
    val N1 = s(onSums.N1).intoSInt.resize(orderBits)
    io.orders(0) := (s(DISTINCT) << 9).intoSInt.resized
    for ((sum, i) <- Seq(S(0), s(D(0)), s(onOrder.D12), s(onOrder.D12) + s(D(2)), s(onOrder.D1234)).zipWithIndex) {
      io.orders(i + 1) := N1 + sum
    }
  }

  // With the estimate: the sums and what each order is tested by; where the interpolation begins, how far the two tests are from
  // their significance, and what follows from it.
  for (m <- shape.indices) {
    view(s"difference_${m + 1}", n(testAt)(D(m)).asUInt, latency - testAt)
    view(s"variance_${m + 1}", n(testAt)(V(m)), latency - testAt)
    view(s"square_${m + 1}", n(selectAt - 1)(onTest.SQUARE(m)), latency - selectAt + 1)
    view(s"allowed_${m + 1}", n(selectAt - 1)(onTest.ALLOWED(m)), latency - selectAt + 1)
    view(s"rest_${m + 1}", n(selectAt - 1)(onTest.REST(m)).asUInt, latency - selectAt + 1)
  }
  private val significantAt = selectAt + 1 + Significance.latency
  for ((name, distance) <- Seq("below", "above").zip(significance.DISTANCE)) {
    view(name, n(significantAt)(distance), latency - significantAt)
  }
  view("ratio", n(estimateAt)(ratio.RATIO), latency - estimateAt)
  view("offset", n(selectAt)(onOrder.OFFSET).asUInt, latency - selectAt)
  view("step", n(estimateAt)(onOrder.STEP).asUInt, latency - estimateAt)
  Builder(n.zip(n.tail).map { case (up, down) => StageLink(up, down) })
}

object Jackknife {

  /** Clocks from t to the frequencies: the coefficients' block memory and a register behind it. */
  val frequenciesAt: Int = 2

  private val sumsAt = frequenciesAt + Multiplier.farLatency + 1
  private val testAt = sumsAt + 1
  private val selectAt = testAt + Multiplier.latency + 2
  private val estimateAt = selectAt + 1 + Significance.latency + Ratio.latency

  /** Clocks from t to the estimate, and to the orders. */
  val latency: Int = estimateAt + Multiplier.latency + 2
  val ordersLatency: Int = selectAt

  val estimateBits = 18
  private val dBits = 18 // a sign and 8.9
  private val vBits = 25 // 13.12
  private val yBits = 32 // 20.12
  private val orderBits = 22
  private val firstOrderBits = 17 // of N_J1, which is not negative: 8.9
  private val logBits = 3 + JackknifeTables.logFraction // of S - 1
  private val toD = JackknifeTables.stepFraction - 9
  private val half = 1 << (toD - 1)

  /** Indices i - 1 of f_i in D_m, m = 1..4. */
  private val shape: Seq[Seq[Int]] = (1 until JackknifeTables.orders).map(m => 0 to m)
}
