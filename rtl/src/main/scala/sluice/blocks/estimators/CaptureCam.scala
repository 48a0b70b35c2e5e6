// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import sluice.blocks.arithmetic.PopCount
import sluice.contract.Widths
import spinal.core._
import spinal.lib._

/** The list of captures as a content-addressable memory: in every clock one arrival is looked up and, if captured, entered.
  * Its own capture counts. Nothing stalls.
  *
  * The list is cut into [[CamSegment]]s, the first of which holds the window. The window's counts come after
  * [[CaptureCam.windowLatency]] clocks, the number of the arrival's entries in the whole list after [[latency]].
  *
  * @param capacity
  *   entries, 10..1024; fill levels up to that come with the steps
  * @param windowCapacity
  *   entries of the window, 10 to `capacity`
  */
class CaptureCam(val capacity: Int, val windowCapacity: Int) extends Component {
  require(capacity >= 10 && capacity <= 1024, s"a list of captures has 10..1024 entries, not $capacity")
  require(windowCapacity <= capacity, s"the window of $windowCapacity is longer than the list of $capacity")
  require(windowCapacity >= 10, s"a window has at least 10 entries, not $windowCapacity")

  val io = new Bundle {
    val step = slave(Flow(CaptureStep(capacity, windowCapacity)))
    val window = master(Flow(WindowChange(windowCapacity)))
    val count = master(Flow(UInt(Widths.count(capacity) bits)))
  }

  private val sizes = CaptureCam.segments(capacity, windowCapacity)
  private val steps = Iterator.iterate(io.step)(_.stage()).take(sizes.size).toSeq
  private val bases = sizes.scanLeft(0)(_ + _)

  val segments = sizes.indices.foldLeft(Seq.empty[CamSegment]) { (made, i) =>
    made :+ new CamSegment(steps(i), sizes(i), bases(i), made.lastOption.map(_.last))
      .setCompositeName(this, s"segment$i")
  }

  // Each segment's count joins the sum of those before it as the arrival passes.
  val onCount = new Area {
    val tree = PopCount.latency(sizes.max)
    val counts = segments.map(s => PopCount(s.inList, tree - PopCount.latency(s.inList.size)))
    val total = counts.foldLeft(U(0, Widths.count(capacity) bits))((sum, count) => RegNext(sum + count.resized))
    io.count.valid := Delay(io.step.valid, latency, init = False)
    io.count.payload := total
  }

  val onWindow = new Area {
    val tree = PopCount.latency(windowCapacity)
    val matches = segments.head.inWindow
    val ahead = Iterator.iterate(io.step)(_.stage()).drop(CamSegment.latency - 1).next()
    val ranks = new WindowRanks(ahead, matches)
    io.window.valid := Delay(io.step.valid, windowLatency, init = False)
    io.window.payload := Delay(ranks.change, tree - WindowRanks.latency, init = ranks.change.getZero)
    io.window.count.allowOverride() := PopCount(matches).resized
  }

  def windowLatency: Int = CamSegment.latency + PopCount.latency(windowCapacity)
  def latency: Int = CamSegment.latency + PopCount.latency(sizes.max) + sizes.size
}

object CaptureCam {
  private val mostPerSegment = 64

  /** Sizes of the segments: the window, then equal parts. */
  def segments(capacity: Int, windowCapacity: Int): Seq[Int] = {
    val rest = capacity - windowCapacity
    val parts = (rest + mostPerSegment - 1) / mostPerSegment
    windowCapacity +: Seq.tabulate(parts)(i => rest * (i + 1) / parts - rest * i / parts)
  }
}
