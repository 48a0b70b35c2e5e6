// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import spinal.core._
import spinal.lib._

/** Goes over the words of small memories after each reset, one per clock from the first one on, so that they can be emptied. For
  * memories of which nothing is wanted until then.
  */
class Sweep(words: Int) extends Area {
  val isOn = RegInit(True)

  /** The word; 0 when all is over. */
  val place = Reg(UInt(log2Up(words) bits)) init 0
  when(isOn)(place := place + 1)
  when(place === words - 1) {
    isOn := False
    place := 0
  }

  /** For some clocks longer, in which the last words are on their way. */
  def isRecent(clocks: Int): Bool = History(isOn, 0 to clocks, init = True).asBits.orR
}
