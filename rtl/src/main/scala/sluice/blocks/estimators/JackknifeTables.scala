// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

/** The numbers of [[Jackknife]], computed when the hardware is made (K. P. Burnham, W. S. Overton, Biometrika 65, 1978).
  *
  * An entry whose index was cut off stands for the middle of its interval.
  */
object JackknifeTables {
  val orders = 5

  /** Longest window that the formats hold, and so the largest t, S or f_i. */
  val mostCaptures = 127

  /** A non-negative fraction, rounded to `fraction` bits. */
  private def rounded(numerator: BigInt, denominator: BigInt, fraction: Int): BigInt =
    ((numerator.abs << (fraction + 1)) + denominator) / (denominator << 1)
  private def rounded(x: Double, fraction: Int): BigInt = BigInt(math.floor(x * math.pow(2, fraction) + 0.5).toLong)

  /** Numerators of a(t, K)_i - 1 over t (t-1) .. (t-i+1), as published. */
  private def numerators(t: BigInt, order: Int): Seq[BigInt] = order match {
    case 1 => Seq(t - 1)
    case 2 => Seq(2 * t - 3, -(t - 2).pow(2))
    case 3 => Seq(3 * t - 6, -(3 * t * t - 15 * t + 19), (t - 3).pow(3))
    case 4 =>
      Seq(4 * t - 10, -(6 * t * t - 36 * t + 55), 4 * t.pow(3) - 42 * t * t + 148 * t - 175, -(t - 4).pow(4))
    case 5 =>
      Seq(
        5 * t - 15,
        -(10 * t * t - 70 * t + 125),
        10 * t.pow(3) - 120 * t * t + 485 * t - 660,
        -((t - 4).pow(5) - (t - 5).pow(5)),
        (t - 5).pow(5)
      )
  }

  /** b_i of D_m = N_J(m+1) - N_Jm at t captures, over t (t-1) .. (t-i+1). Positive for odd i, negative for even i. */
  private def step(t: Int, m: Int): Seq[(BigInt, BigInt)] = {
    val denominators = (0 until orders).scanLeft(BigInt(1))((product, j) => product * (t - j)).tail
    val differences = numerators(t, m + 1).zip(numerators(t, m) :+ BigInt(0)).map { case (next, now) => next - now }
    differences.zip(denominators).zipWithIndex.map { case ((b, denominator), i) =>
      require(b == 0 || (b > 0) == (i % 2 == 0), s"b_${i + 1} of D_$m has the wrong sign at t=$t")
      (b, denominator)
    }
  }

  /** One word per t. */
  case class Coefficients(first: BigInt, steps: Seq[Seq[BigInt]], squares: Seq[Seq[BigInt]])

  /** As published; an order above t has none. */
  def exact(t: Int): Coefficients = {
    val rows = (1 until orders).map(m => if (m + 1 > t) Seq.fill(m + 1)((BigInt(0), BigInt(1))) else step(t, m))
    Coefficients(
      if (t == 0) 0 else rounded(t - 1, t, firstFraction),
      rows.map(_.map { case (b, d) => rounded(b, d, stepFraction) }),
      rows.map(_.map { case (b, d) => rounded(b * b, d * d, squareFraction) })
    )
  }

  /** For t without end: binomial coefficients, which need neither memory nor multiplier. */
  def limit(t: Int): Coefficients = {
    val rows = (1 until orders).map(m => (0 to m).map(i => if (m < t) binomial(m, i) else BigInt(0)))
    Coefficients(
      if (t > 1) BigInt(1) << firstFraction else 0,
      rows.map(_.map(_ << stepFraction)),
      rows.map(_.map(b => b * b << squareFraction))
    )
  }
  private def binomial(n: Int, k: Int): BigInt = (1 to k).foldLeft(BigInt(1))((b, j) => b * (n - j + 1) / j)

  val firstFraction = 14
  val stepFraction = 14
  val squareFraction = 12
  val firstBits = 15
  val stepBits = 17
  val squareBits = 18

  /** 5 % of a chi-square of one degree of freedom lie above this. */
  private val chiSquare = 3.841459

  /** D^2 is accepted up to this times V: 3.84 S / (S - 1 + 3.84), Q2.16. */
  val limitOfTest: Seq[BigInt] =
    BigInt(0) +: (1 to mostCaptures).map(s => rounded(chiSquare * s / (s - 1 + chiSquare), 16))

  val logFraction = 12

  /** log2(S - 1). */
  val logLessOne: Seq[BigInt] =
    Seq.tabulate(mostCaptures + 1)(s => if (s < 2) BigInt(0) else rounded(log2(s - 1), logFraction))

  val mantissaBits = 10

  /** log2 of 1 + i / 1024. */
  val logMantissa: Seq[BigInt] =
    Seq.tabulate(1 << mantissaBits)(i => rounded(log2(1 + (i + 0.5) / 1024), logFraction))

  /** 1 / x of x = (1 + i / 1024) / 2, Q1.17. */
  val reciprocal: Seq[BigInt] = Seq.tabulate(1 << mantissaBits)(i => rounded(4096, 2 * (1024 + i) + 1, 17))

  /** log2(T^2) from -10 to 5 in steps of 1/256. P is below 2^-18 beyond. */
  val leastLog = -10
  val logSteps = 15 * 256

  /** |P - 0.05| of log2(T^2), P = erfc(sqrt(T^2 / 2)), Q0.18. The first entry stands for T = 0. */
  val distance: Seq[BigInt] = {
    val one = (BigInt(1) << 18) - 1
    val alpha = rounded(0.05, 18)
    (one - alpha) +: (1 until logSteps).map { i =>
      val tSquared = math.pow(2, (i + 0.5) / 256 + leastLog)
      (rounded(erfc(math.sqrt(tSquared / 2)), 18).min(one) - alpha).abs
    }
  }

  private def log2(x: Double): Double = math.log(x) / math.log(2)

  /** The complementary error function of 0..6: its series, and from 2 on its continued fraction. */
  private def erfc(x: Double): Double = if (x < 2) {
    val terms = Iterator.iterate((x, 0)) { case (term, n) => (-term * x * x / (n + 1), n + 1) }
    1 - 2 / math.sqrt(math.Pi) * terms.take(60).map { case (term, n) => term / (2 * n + 1) }.sum
  } else {
    val fraction = (80 to 1 by -1).foldLeft(x)((tail, k) => x + k / 2.0 / tail)
    math.exp(-x * x) / math.sqrt(math.Pi) / fraction
  }
}
