// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.averages

/** log2(1 / (1 - w)) = mantissa * 2^-(10 + shift): how often an average of weight w halves over one packet time of decay.
  *
  * @param mantissa
  *   18 bits
  * @param shift
  *   the right shift that leaves 10 fraction bits
  */
case class LogRate(mantissa: BigInt, shift: Int) {
  def packed: BigInt = (BigInt(shift) << 18) | mantissa
}

object LogRate {
  val bits = 18 + 5

  /** For a weight w < 1. A weight of 1 needs no decay, the next sample replaces the average; its entry is never felt.
    *
    * With log2(1 / (1 - w)) = m * 2^-(17 + k), 2^17 <= m < 2^18, and the register's rate r = n * 2^(14 - z) / 2^32 (see
    * [[sluice.blocks.arithmetic.division.Reciprocal]]): e (Q.10) = ticks * r * m * 2^-(17 + k) * 2^10 = ticks * (n * m >> 18) >> (7 + k + z).
    */
  def of(weight: Double): LogRate = if (weight >= 1) LogRate((BigInt(1) << 18) - 1, 0)
  else {
    val lg = -math.log1p(-weight) / math.log(2)
    val k = -math.floor(math.log(lg) / math.log(2)).toInt
    val mantissa = BigInt(math.round(lg * math.pow(2, 17 + k)))
    LogRate(mantissa.min((BigInt(1) << 18) - 1), 7 + k)
  }

  /** One entry for each exponent, and then for each with a half. */
  def table(withHalf: Boolean): Seq[LogRate] =
    for (factor <- if (withHalf) Seq(1.0, 1.5) else Seq(1.0); exponent <- 0 until 16)
      yield of(factor * math.pow(2, -exponent))
}
