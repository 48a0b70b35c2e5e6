// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import sluice.contract.Widths
import spinal.core._

/** f_1..f_5 and S of the captures in a window: how many flows are there exactly i times, and how many at all. */
case class Frequencies(capacity: Int) extends Bundle {
  val f = Vec.fill(FrequencyCounter.most)(UInt(Widths.count(capacity) bits)) // f(i - 1) is f_i
  val distinct = UInt(Widths.count(capacity) bits)
}

/** Keeps the frequencies of the window from change to change, one change per clock.
  *
  * What is counted is `seen(k)`, the flows that are there more than k times: a capture and a removal each move one of these by
  * one, whatever the count. S = seen(0), f_i = seen(i - 1) - seen(i). A flow of c entries has one entry of each rank
  * 0..c-1, so seen(k) is also the number of entries of rank k: by this the scrubber counts anew whenever the window rests long
  * enough, and a counter that a particle has upset does not stay wrong.
  *
  * The result follows its change after [[FrequencyCounter.latency]] clocks.
  */
class FrequencyCounter(capacity: Int) extends Component {
  val io = new Bundle {
    val change = in(WindowChange(capacity))
    val frequencies = out(Frequencies(capacity))
  }
  private val width = Widths.count(capacity)

  val seen = Seq.tabulate(FrequencyCounter.most + 1) { k =>
    val kept = Reg(UInt(width bits)) init 0
    val isRank = io.change.rank === k
    val isUp = io.change.isCaptured && io.change.count === k + 1
    val isDown = io.change.isCut && isRank
    when(isUp && !isDown)(kept := kept + 1)
    when(isDown && !isUp)(kept := kept - 1)

    val recount = Reg(UInt(width bits)) init 0
    val together = Mux(io.change.isFirst, U(0), recount) + U(isRank)
    when(io.change.isScrub) {
      recount := together
      when(io.change.isLast)(kept := together)
    }
    kept.setCompositeName(this, s"seen$k")
  }

  for (i <- 0 until FrequencyCounter.most) io.frequencies.f(i) := RegNext(seen(i) - seen(i + 1)) init 0
  io.frequencies.distinct := RegNext(seen.head) init 0
}

object FrequencyCounter {

  /** f_1..f_5: the jackknife of order 5 needs no more. */
  val most = 5

  val latency = 2
}
