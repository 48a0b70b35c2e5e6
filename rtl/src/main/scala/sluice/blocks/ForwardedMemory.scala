// SPDX-License-Identifier: Apache-2.0
package sluice.blocks

import spinal.core._
import spinal.lib._

/** A block memory that is read and written in every clock as if each clock's write were done before the next clock's read,
  * and that a reset empties at once.
  *
  * A word is read in clock 0 and written in clock [[ForwardedMemory.writeAt]]; a write that is still under way is taken from
  * there. Each word carries the number of the reset that it belongs to: one from before counts as 0. The numbers repeat after
  * 2^tagBits resets; whoever rewrites every word in between, as [[CountTable]] does in idle clocks, never meets an old one.
  *
  * @param readAddress
  *   and `writeAddress`: in clock 0
  */
class ForwardedMemory(valueBits: Int, tag: UInt, readAddress: UInt, writeAddress: UInt) extends Area {
  import ForwardedMemory._
  private val tagBits = tag.getWidth
  private val words = new DeepMemory(tagBits + valueBits, 1 << readAddress.getWidth)

  /** In clock writeAt: whether and what to write. */
  val isWrite = Bool()
  val written = UInt(valueBits bits)
  words.write(Delay(writeAddress, writeAt), tag ## written, isWrite)

  private val raw = RegNext(words.readSync(readAddress)).asUInt
  private val stored = RegNext(Mux(raw(valueBits, tagBits bits) === tag, raw(0, valueBits bits), U(0)))

  // The writes of the last clocks, the newest first, and whether each is of the word being read.
  private val underway = (1 to writeAt).map { age =>
    val isSame = Delay(readAddress === Delay(writeAddress, age), writeAt)
    (Delay(isWrite, age, init = False) && isSame, Delay(written, age))
  }

  /** The word as all earlier clocks have left it, in clock writeAt. */
  val value = underway.foldRight(stored) { case ((isHit, newer), older) => Mux(isHit, newer, older) }
}

object ForwardedMemory {
  val writeAt = 3
}
