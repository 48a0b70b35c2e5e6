// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import spinal.core._
import spinal.lib._

/** A block memory that is read and written in every clock as if each clock's write were done before the next clock's read,
  * and that a reset empties at once.
  *
  * A word is read in clock 0, its new value is known in clock `writeAt` and in the memory two clocks later; a write that is still
  * under way is taken from there. Each word carries the number of the reset that it belongs to: one from before counts as 0. The
  * numbers repeat after 2^tagBits resets; whoever rewrites every word in between, as [[ResetNumber]] says, never meets an old one.
  * With a number of no bits the words stay over resets.
  *
  * @param readAddress
  *   and `writeAddress`: in clock 0
  * @param writeAt
  *   at least [[ForwardedMemory.writeAt]]
  */
class ForwardedMemory(
    val valueBits: Int,
    val tag: UInt,
    readAddress: UInt,
    writeAddress: UInt,
    writeAt: Int = ForwardedMemory.writeAt
) extends Area {
  private val tagBits = tag.getWidth
  private[state] val hasTag = tagBits > 0

  /** In clock writeAt: whether and what to write. */
  val isWrite = Bool()
  val written = UInt(valueBits bits)

  /** A clock later: whether it is being written, and where. */
  val isWriting = RegNext(isWrite) init False
  val writingTo = Delay(writeAddress, writeAt + 1)
  private val word = RegNext(tag ## written)

  /** One more memory with the same words, tag and value, to be read elsewhere. */
  def copy(): DeepMemory = {
    val memory = new DeepMemory(tagBits + valueBits, 1 << readAddress.getWidth).beginningWithZeros()
    memory.write(writingTo, word, isWriting)
    memory
  }

  private[sluice] val words = copy()
  private val raw = RegNext(words.readSync(readAddress)).asUInt

  /** A word, or 0 if it does not count. */
  private[state] def counted(word: UInt, counts: => Bool): UInt = if (hasTag) word.andMask(counts) else word

  /** In clock `at`: whether the clock `age` before wrote the same word, and what. */
  private def isWritten(age: Int, at: Int): Bool =
    Delay(isWrite, age - (writeAt - at), init = False) && isSame(age, at)
  private def isSame(age: Int, at: Int): Bool = Delay(readAddress === Delay(writeAddress, age), at)
  private def newest(ages: Range, at: Int, older: UInt): UInt =
    ages.foldRight(older)((age, older) => Mux(isWritten(age, at), Delay(written, age - (writeAt - at)), older))

  // Whether the word is of this reset takes long to say: until the next clock.
  private val early = writeAt - 1 to writeAt + 1
  private val isCurrent = hasTag generate ((raw >> valueBits) === tag || early.map(isWritten(_, at = 2)).orR)
  private val older = counted(RegNext(newest(early, at = 2, raw.resize(valueBits))), RegNext(isCurrent))

  // A clock's write is looked at as soon as it is known, so the last clock's as late as in clock writeAt.
  private def next(at: Int, older: UInt): UInt = newest(writeAt + 1 - at to writeAt + 1 - at, at, older)
  private val values = (4 to writeAt).scanLeft(next(at = 3, older))((value, at) => next(at, RegNext(value)))

  /** The word as all earlier clocks have left it, in clock writeAt. */
  val value: UInt = values.last

  /** So many clocks before that, down to clock 3: the word as all earlier clocks but the last `clocks` have left it, and whether the
    * first of these writes it.
    */
  def before(clocks: Int): UInt = values(values.size - 1 - clocks)
  def isRewritten(clocks: Int): Bool = isWrite && isSame(age = clocks, writeAt - clocks)
}

object ForwardedMemory {
  val writeAt = 3
}
