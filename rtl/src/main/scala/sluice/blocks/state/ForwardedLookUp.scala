// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import spinal.core._
import spinal.lib._

/** Another look into a [[ForwardedMemory]], at an address of its own in each clock: the word as those writes have left it that were in
  * the memory by then. The write that is under way in the clock of the address, and those behind it, are not among them: of a
  * change that begins its reading in clock c, a look of clock c + [[ForwardedLookUp.behind]] + 1 knows, and one before does not.
  */
class ForwardedLookUp(words: ForwardedMemory, address: UInt) extends Area {
  private[sluice] val copy = words.copy()
  private val raw = RegNext(copy.readSync(address)).asUInt
  private val isBeingWritten = Delay(words.isWriting && words.writingTo === address, 2)
  private val isCurrent = words.hasTag generate ((raw >> words.valueBits) === words.tag)
  // Whether it counts is known late, so it is applied behind the register.
  private val newest = RegNext(Mux(isBeingWritten, Delay(words.value, 3), raw.resize(words.valueBits)))
  private val counts = words.hasTag generate RegNext(isBeingWritten || isCurrent)

  /** The word, [[ForwardedLookUp.latency]] clocks after its address. */
  def value: UInt = words.counted(newest, counts)
}

object ForwardedLookUp {
  val latency = 3

  /** Clocks from the reading of a change of the least `writeAt` to the last look that does not know of it. */
  val behind = ForwardedMemory.writeAt + 1
}
