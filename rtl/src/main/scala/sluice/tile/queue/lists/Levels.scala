// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import spinal.core._
import spinal.lib._

/** [[Rounds]] of each level of strict priority: a turn is taken of the highest level that has one to take, whatever the lower ones have.
  *
  * The ports are those of one level's, with the level of each turn that comes beside it. A queue may come back into another level than it
  * was taken of: into its round, or behind that, as in its own.
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
    val rounds = new Rounds(turn, depth, back)
    rounds.io.again << io.again.takeWhen(levelOf.again === of)
    for (((its, all), itsLevel) <- rounds.io.added.zip(io.added).zip(levelOf.added))
      its << all.takeWhen(itsLevel === of)
    rounds
  }
  private val waiting = rounds.map(_.io.isWaiting)
  for ((its, of) <- rounds.zipWithIndex)
    its.io.take := io.take && waiting(of) && !waiting.drop(of + 1).fold(False)(_ || _)
  io.isWaiting := waiting.orR
  io.isAny := rounds.map(_.io.isAny).orR
  io.taken.valid := rounds.map(_.io.taken.valid).orR
  io.taken.payload := MuxOH(rounds.map(_.io.taken.valid).asBits(), rounds.map(_.io.taken.payload))
}
