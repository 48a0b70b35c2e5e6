// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.cardinality

import sluice.blocks.cardinality.Estimate.{flowsBits, fractionBits}
import sluice.blocks.cardinality.MinWord.numberBits
import sluice.blocks.arithmetic.division.SequentialDivision
import spinal.core._

/** The exposure estimate, for any number of flows: `m (stored - full / m) / sum of x` of m buckets, where x is the last number of a
  * full bucket and 1 of another, which was searched to its end. It is the maximum likelihood, less its bias.
  *
  * A number stands for the middle of its interval. With all of them times 2^(numberBits + 1) the sum is that of whole numbers, and
  * only full buckets take something from it: `m 2^(numberBits + 1) - sum of (2 last + 1)`.
  */
class Exposure(swept: SweptBuckets) extends Estimate {
  import swept._
  private val indexBits = log2Up(buckets)

  private val full = new Tally(isOn, isThere.last.asUInt, indexBits + 1)
  private val near = new Tally(isOn, last, indexBits + numberBits)

  // Stand still until the next window's.
  private val found = RegNext((stored << indexBits) - full.total)
  private val searched = RegNext(U(BigInt(buckets) << (numberBits + 1)) - (near.total << 1) - full.total)
  private val division = new SequentialDivision(
    load = RegNext(full.isComplete) init False,
    dividend = found << (numberBits + 1 + fractionBits),
    divisor = searched
  )

  private val (more, whole) = (division.quotient >> flowsBits, division.quotient.resize(flowsBits))
  val flows = RegNext(whole | Mux(more =/= 0, U(flowsBits bits, default -> true), U(0)))
  val isDone = RegNext(division.isDone) init False
  val latency = Tally.latency + 1 + division.latency + 1

  override def views: Seq[(String, UInt)] = Seq("searched" -> searched, "rest" -> division.remains)
}
