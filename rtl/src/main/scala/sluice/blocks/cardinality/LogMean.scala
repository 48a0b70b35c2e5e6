// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.cardinality

import sluice.blocks.cardinality.Estimate.{flowsBits, fractionBits}
import sluice.blocks.cardinality.MinWord.numberBits
import sluice.blocks.arithmetic.powers.{Logarithm, PowerOfTwo}
import spinal.core._
import spinal.lib._

/** The logarithmic estimate of the paper, `m (Gamma(k) / Gamma(k - 1/m))^m exp(-mean of ln x)` for m buckets of k numbers; and below 3, 4
  * or 5 flows per bucket, for k = 1, 2, 3, where it is far too high, linear counting: `m ln(m / empty)`.
  */
class LogMean(swept: SweptBuckets) extends Estimate {
  import swept._
  private val indexBits = log2Up(buckets)

  private val empty = new Tally(isOn, U(!isThere.head), indexBits + 1)
  private val isLinear = empty.total > LogMean.fewestEmpty(buckets, values)
  private val table = Mem(UInt(flowsBits bits), LogMean.linear(buckets).map(U(_, flowsBits bits)))
  private val linear = RegNext(table.readSync(empty.total.resize(indexBits)))

  // The middle of the last number's interval, or 1, times 2^(numberBits + 1).
  private val x = RegNext(Mux(isThere.last, U"0" @@ ~last @@ U"1", U(BigInt(2) << numberBits)))
  private val logarithm = new Logarithm(x.resize(Logarithm.valueBits)).result
  private val sum =
    new Tally(Delay(isOn, 1 + Logarithm.latency, init = False), logarithm, Logarithm.bits + indexBits)
  private val mean = RegNext((sum.total + buckets / 2) >> indexBits)
  private val exponent = RegNext(S(LogMean.offset(buckets, values)) - mean.intoSInt)
  private val power = new PowerOfTwo(exponent).result

  val flows = RegNext(Mux(isLinear, linear, power))
  val isDone = Delay(sum.isComplete, 2 + PowerOfTwo.latency + 1, init = False)
  val latency = 1 + Logarithm.latency + Tally.latency + 2 + PowerOfTwo.latency + 1
}

object LogMean {

  /** Linear counting is used with more empty buckets than these. */
  private def fewestEmpty(buckets: Int, values: Int): Int =
    (buckets * scala.math.exp(-Seq(3, 4, 5)(values - 1))).toInt

  /** By the empty buckets; of all empty in the place of none, for which it is not used. */
  private def linear(buckets: Int): Seq[BigInt] = (0 until buckets).map { empty =>
    val flows = if (empty == 0) 0 else buckets * scala.math.log(buckets.toDouble / empty)
    BigInt(scala.math.rint(flows * (1 << fractionBits)).toLong)
  }

  /** The logarithm of the estimate where the mean is 0, with m times `ln Gamma(k) - ln Gamma(k - 1/m)` by its Taylor series in 1/m, whose
    * coefficients are the derivatives of ln Gamma at k.
    */
  private def offset(buckets: Int, values: Int): BigInt = {
    val below = 1 until values
    val first = -0.5772156649015329 + below.map(1.0 / _).sum
    val second = scala.math.pow(scala.math.Pi, 2) / 6 - below.map(scala.math.pow(_, -2)).sum
    val third = 2 * (below.map(scala.math.pow(_, -3)).sum - 1.2020569031595942)
    val constant = first - second / (2 * buckets) + third / (6.0 * buckets * buckets)
    val log2 = constant / scala.math.log(2) + log2Up(buckets) + numberBits + 1 + fractionBits
    BigInt(scala.math.round(log2 * (1 << Logarithm.fraction)))
  }
}
