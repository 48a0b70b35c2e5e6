// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.hits

import sluice.contract.Widths
import spinal.core._
import spinal.lib._

/** What a look at a place of the cache has found: whether it is free, and by what its entry is compared: the least goes. `isLast`: of
  * all places.
  */
case class HbfFinding(entries: Int, keyBits: Int) extends Bundle {
  val isLook = Bool()
  val isFree = Bool()
  val isLast = Bool()
  val place = UInt(Widths.index(entries) bits)
  val key = UInt(keyBits bits)
}

/** Whose place the next flow takes. A place that was found free is the victim until it is taken; otherwise what the last whole round
  * of looks has found to be the least. Places are looked at in turn.
  *
  * @param found
  *   a finding counts in this clock
  * @param isTaken
  *   the victim's place is taken in this clock, before that
  */
class HbfVictim(found: Flow[HbfFinding], isTaken: Bool) extends Area {
  private val placeBits = found.place.getWidth
  val isThere = RegInit(False)
  val place = Reg(UInt(placeBits bits))
  private val isFree = RegInit(False)

  private val finding = found.payload
  private val best = Reg(cloneOf(finding))
  private val isAny = RegInit(False) // there is a best one of this round
  private val counts = found.valid && finding.isLook
  private val isRival = !finding.isFree && !(isThere && finding.place === place) && (!isAny || finding.key < best.key)

  private val isFreeStill = isFree && !isTaken
  when(isTaken) {
    isThere := False
    isFree := False
  }
  when(counts && isRival)(best := finding)
  when(counts)(isAny := (isAny || isRival) && !finding.isLast)
  when(counts && !isFreeStill) {
    when(finding.isFree) {
      isThere := True
      isFree := True
      place := finding.place
    } elsewhen (finding.isLast && (isAny || isRival)) {
      isThere := True
      place := Mux(isRival, finding.place, best.place)
    }
  }
}
