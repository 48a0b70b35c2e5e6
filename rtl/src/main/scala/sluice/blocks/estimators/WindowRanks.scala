// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import spinal.core._
import spinal.lib._

/** For each entry of the window, how many newer entries are of the same flow: its rank. A capture raises the rank of every
  * entry that it matches, so the count of the entry that leaves is known without a second search. And as a flow of c entries
  * has one of each rank 0..c-1, the ranks tell every frequency.
  *
  * Where an arrival changes nothing, the ranks are read out one by one for the scrubber; a change starts that anew.
  *
  * @param ahead
  *   the step, one clock before its matches
  * @param matches
  *   entries of the arrival's flow after its own capture
  */
class WindowRanks(ahead: Flow[CaptureStep], matches: Seq[Bool]) extends Area {
  private val size = matches.size
  private val step = ahead.stage()

  val ranks = Vec(Reg(UInt(WindowChange.rankBits bits)), size)
  when(step.valid && step.isCaptured) {
    ranks.head := 0
    for (i <- 0 until size - 1) {
      ranks(i + 1) := ranks(i) + U(matches(i + 1) && !ranks(i).andR)
    }
  }

  private val walk = new Area {
    val level = Reg(UInt(ahead.window.level.getWidth bits)) init 0 // after the last step
    val position = Reg(UInt(level.getWidth bits)) init 0
    val isCut = ahead.valid && ahead.window.isCut
    val isCapture = ahead.valid && ahead.isCaptured
    val isChange = isCut || isCapture
    val isLast = !(position + 1 < level)
    when(isChange) {
      level := ahead.window.level + U(isCapture) - U(isCut)
    }
    position := Mux(isChange || isLast, U(0), position + 1)

    val index = RegNext(Mux(isCut, ahead.window.level - 1, position))
    val isScrub = RegNext(!isChange && level =/= 0, init = False)
    val atFirst = RegNext(position === 0)
    val atLast = RegNext(isLast)
  }

  // Too many ranks to choose from in one clock: first within each group, then among the groups.
  private val choice = new Area {
    private val bits = log2Up(WindowRanks.group)
    val within = Vec(ranks.toSeq.grouped(WindowRanks.group).toSeq.map { group =>
      RegNext(Vec(group.padTo(WindowRanks.group, group.last)).read(walk.index.resize(bits)))
    })
    val among = RegNext((walk.index >> bits).resize(log2Up(within.size)))
  }

  private val found = WindowChange(size) // all but the rank, which is still being chosen
  found.isCaptured := step.valid && step.isCaptured
  found.isCut := step.valid && step.window.isCut
  found.isScrub := walk.isScrub
  found.isFirst := walk.atFirst
  found.isLast := walk.atLast
  found.rank := 0
  found.count := 0
  private val chosen = CombInit(RegNext(found) init found.getZero)
  chosen.rank.allowOverride() := choice.within.read(choice.among)

  /** What the window tells the counters, all but the count, [[WindowRanks.latency]] clocks after the matches. */
  val change = RegNext(chosen) init chosen.getZero
}

object WindowRanks {
  private val group = 8

  /** Clocks from the matches to the change. */
  val latency = 2
}
