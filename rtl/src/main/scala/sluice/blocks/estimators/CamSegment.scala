// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import spinal.core._
import spinal.lib._

/** A run of consecutive entries of the list of captures, newest first, compared with every arrival at once.
  *
  * A capture shifts the entries on by one. Segments stand in a row, each one clock behind the one before, so that neither the
  * arrival nor the shift has to reach the whole list in one clock, and the clock rate does not fall with the length.
  *
  * In the clock in which `step` is presented the entries shift; an arrival is compared with the entries after its own capture
  * and two registers follow: matches stand 3 clocks after the step.
  *
  * @param base
  *   position of the first entry in the list
  * @param previous
  *   the last entry of the segment before, as it was when that segment took this step; none for the first
  */
class CamSegment(step: Flow[CaptureStep], size: Int, base: Int, previous: Option[Bits]) extends Area {
  val entries = Vec(Reg(Bits(step.flow.getWidth bits)), size)
  when(step.isCaptured) { // one register drives every entry; a shift of entries that no list holds does no harm
    entries.head := previous.getOrElse(step.flow)
    for ((newer, older) <- entries.zip(entries.tail)) older := newer
  }

  /** The last entry for the segment after, one clock on. */
  val last = RegNext(entries.last)

  /** Which entries are in a list: the first ones up to its level. */
  private def occupied(list: ListStep): Bits = {
    val ones = Reg(Bits(size bits)) init 0
    val enters = if (base == 0) True else list.level >= base
    val stays = if (base + size + 1 > list.capacity) False else list.level > base + size
    when(step.valid && (step.isCaptured ^ list.isCut)) {
      ones := Mux(step.isCaptured, (ones ## enters).resize(size), (stays ## ones) >> 1)
    }
    ones
  }

  private val comparison = new FlowComparison(entries, RegNext(step.flow))
  private def matches(list: ListStep): Seq[Bool] = comparison.among(RegNext(occupied(list)).asBools)

  /** Entries of the arrival's flow in the list, and in the window. */
  val inList: Seq[Bool] = matches(step.list)
  lazy val inWindow: Seq[Bool] = matches(step.window)
}

object CamSegment {

  /** Clocks from step to matches. */
  val latency: Int = 1 + FlowComparison.latency
}
