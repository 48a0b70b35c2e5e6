// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import spinal.core._
import spinal.lib._

/** A block memory that is read and written in every clock as if each clock's write were done before the next clock's read,
  * and that a reset empties at once.
  *
  * A word is read in clock 0, its new value is known in clock [[ForwardedMemory.writeAt]] and in the memory two clocks later; a
  * write that is still under way is taken from there. Each word carries the number of the reset that it belongs to: one from
  * before counts as 0. The numbers repeat after 2^tagBits resets; whoever rewrites every word in between, as
  * [[sluice.blocks.estimators.CountTable]] does in idle clocks, never meets an old one.
  *
  * @param readAddress
  *   and `writeAddress`: in clock 0
  */
class ForwardedMemory(valueBits: Int, tag: UInt, readAddress: UInt, writeAddress: UInt) extends Area {
  import ForwardedMemory._
  private val tagBits = tag.getWidth

  /** In clock writeAt: whether and what to write. */
  val isWrite = Bool()
  val written = UInt(valueBits bits)

  /** A clock later: whether it is being written, and where. */
  val isWriting = RegNext(isWrite) init False
  val writingTo = Delay(writeAddress, writeAt + 1)
  private val word = RegNext(tag ## written)

  /** One more memory with the same words, tag and value, to be read elsewhere. */
  def copy(): DeepMemory = {
    val memory = new DeepMemory(tagBits + valueBits, 1 << readAddress.getWidth)
    memory.write(writingTo, word, isWriting)
    memory
  }

  private[sluice] val words = copy()
  private val raw = RegNext(words.readSync(readAddress)).asUInt
  private val stored = Mux(raw(valueBits, tagBits bits) === tag, raw(0, valueBits bits), U(0))

  /** In clock `at`: `older`, or what the newest of the writes of `ages` clocks ago wrote to the same word. */
  private def newest(ages: Range, at: Int, older: UInt): UInt = ages.foldRight(older) { (age, older) =>
    val isSame = Delay(readAddress === Delay(writeAddress, age), at)
    val since = age - (writeAt - at)
    Mux(Delay(isWrite, since, init = False) && isSame, Delay(written, since), older)
  }

  /** The word as all earlier clocks have left it, in clock writeAt. Only the last clock's write is looked at as late as that. */
  val value = newest(1 to 1, writeAt, RegNext(newest(2 to writeAt + 1, writeAt - 1, stored)))
}

object ForwardedMemory {
  val writeAt = 3
}
