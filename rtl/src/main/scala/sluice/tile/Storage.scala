// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract.Widths
import sluice.tile.account.ListedOccupancy

/** How a tile keeps its packets.
  *
  * @param looking
  *   clocks by which a core sees everything later: so long is its queue looked up
  * @param later
  *   clocks that a packet that left counts longer: until its total is in the memory
  */
sealed abstract class Storage(val looking: Int, val later: Int, schedulers: String*) {
  def has(scheduler: String): Boolean = schedulers.contains(scheduler)
  val words: String = schedulers.mkString(" or ")
}

object Storage {

  /** One queue, in a ring. */
  case object Ring extends Storage(looking = 0, later = 0, "fifo")

  /** A few, each in a ring of its own. */
  case object Rings extends Storage(looking = 0, later = 0, "strict", "drr")

  /** Many, as linked lists in one memory. */
  case object Lists extends Storage(ListedOccupancy.looking, ListedOccupancy.later, "drr", "levels", "fq")

  def of(queues: Int): Storage = if (queues == 1) Ring else if (queues <= Widths.mostQueues) Rings else Lists
}
