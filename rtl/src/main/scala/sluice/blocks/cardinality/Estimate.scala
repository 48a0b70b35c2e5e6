// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.cardinality

import spinal.core._

/** The buckets of a window that is over, one per clock without a gap.
  *
  * @param isThere
  *   by place: whether the bucket has a number there
  * @param last
  *   what is kept in the last place, so not 0 in a full bucket
  * @param stored
  *   of the whole window, when the last bucket has gone by, [[Tally.latency]] clocks later
  */
case class SweptBuckets(buckets: Int, values: Int, isOn: Bool, isThere: Vec[Bool], last: UInt, stored: UInt)

/** What makes the number of flows of a window out of its buckets. */
abstract class Estimate extends Area {

  /** Q24.8, all ones if it is more; stands until the next. */
  val flows: UInt

  /** The first clock of [[flows]]. */
  val isDone: Bool

  /** Clocks from the last bucket to [[flows]]. */
  val latency: Int

  /** What a bench compares besides, where more can be told apart than by [[flows]]; it stands with them. */
  def views: Seq[(String, UInt)] = Nil
}

/** The estimates to choose from, by their names in a configuration. */
object Estimate {
  val flowsBits = 32
  val fractionBits = 8

  val all: Map[String, SweptBuckets => Estimate] = Map(
    "exposure" -> (new Exposure(_)),
    "logarithm" -> (new LogMean(_))
  )
}
