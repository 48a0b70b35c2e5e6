// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import spinal.core._
import spinal.lib._

/** [[Rounds]] of each level of strict priority: a turn is taken of the highest level that had one to take a clock before, whatever the lower
  * ones have.
  *
  * The ports are those of one level's, with the level of each turn that comes beside it. A queue may come back into another level than it
  * was taken of: into its round, or behind that, as in its own. What is taken comes a clock later than of one level, and what was taken a
  * clock ago counts in `isWaiting` still: it is for a [[PickedAhead]] that is late.
  *
  * @param number
  *   of levels
  */
class Levels(turn: HardType[Turn], depth: Int, back: Int, number: Int) extends TurnOrder {
  val io = RoundsIo(turn)
  val levelOf = new Bundle {
    val again = in(UInt(log2Up(number) bits))
    val added = in(Vec.fill(2)(UInt(log2Up(number) bits)))
  }
  val rounds = Seq.tabulate(number) { of =>
    val rounds = new Rounds(turn, depth, back + 1) // what is taken comes a clock later
    rounds.io.again << io.again.takeWhen(levelOf.again === of)
    for (((its, all), itsLevel) <- rounds.io.added.zip(io.added).zip(levelOf.added))
      its << all.takeWhen(itsLevel === of)
    rounds
  }
  // What waits goes on waiting until it is taken, so the level that was found a clock before has a turn to take still: none is taken in
  // the clock behind a take, in which that is not known here yet.
  private val waiting = rounds.map(_.io.isWaiting)
  val isHighest =
    waiting.indices.map(of => RegNext(waiting(of) && !waiting.drop(of + 1).fold(False)(_ || _), init = False))
  for ((its, isIts) <- rounds.zip(isHighest)) its.io.take := io.take && isIts
  io.isWaiting := RegNext(waiting.orR, init = False)
  io.isAny := rounds.map(_.io.isAny).orR
  io.taken.valid := RegNext(rounds.map(_.io.taken.valid).orR, init = False)
  io.taken.payload := RegNext(MuxOH(rounds.map(_.io.taken.valid).asBits(), rounds.map(_.io.taken.payload)))
}
