// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import sluice.contract.Widths
import spinal.core._

/** What an arrival does to one list of captures: whether its oldest entry leaves, and the level before all this. */
case class ListStep(capacity: Int) extends Bundle {
  val isCut = Bool()
  val level = UInt(Widths.count(capacity) bits)
}

object ListStep {
  def apply(capacity: Int, fill: FillLevel): ListStep = {
    val step = ListStep(capacity)
    step.isCut := fill.isCut
    step.level := fill.level.resized
    step
  }
}

/** One arrival on its way through the captures: looked up always, entered if captured. The window is the newest part of the
  * list, so an entry that the list cuts is never in the window. `isCaptured` is low where there is no arrival.
  */
case class CaptureStep(listCapacity: Int, windowCapacity: Int) extends Bundle {
  val flow = Bits(Widths.flow bits)
  val isCaptured = Bool()
  val list = ListStep(listCapacity)
  val window = ListStep(windowCapacity)
}

/** How an arrival changed the window, by the counts of the flows concerned; or, where it did not, one entry for the scrubber.
  *
  * `isCaptured`: a flow has come to `count` entries. `isCut`: a flow that was there more than `rank` times lost its oldest
  * entry, the one with rank newer entries of its flow. `scrub`: an entry of that rank stands in the window; from `isFirst` to
  * `isLast` each entry comes once, if no change comes between.
  */
case class WindowChange(capacity: Int) extends Bundle {
  val isCaptured = Bool()
  val isCut = Bool()
  val isScrub = Bool()
  val isFirst = Bool()
  val isLast = Bool()
  val count = UInt(Widths.count(capacity) bits)
  val rank = UInt(WindowChange.rankBits bits)
}

object WindowChange {

  /** Ranks stop at 7: from 6 on they all mean "seen more than six times", which no frequency asks for. */
  val rankBits = 3
}
