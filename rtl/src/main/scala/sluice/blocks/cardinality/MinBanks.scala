// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.cardinality

import sluice.blocks.cardinality.MinWord.numberBits
import sluice.blocks.state.{DeepMemory, ResetNumber}
import spinal.core._
import spinal.lib._

/** A number comes to a bucket. */
case class MinStep(indexBits: Int) extends Bundle {
  val index = UInt(indexBits bits)
  val number = UInt(numberBits bits) // as it is kept, see MinWord
}

/** The buckets of two windows in block memory: one bank is filled, a number per clock, while the other is swept: read and emptied.
  *
  * A step reads its bucket in clock 0 and writes it [[MinBanks.writeAt]] clocks later. What steps before it write meanwhile to the same
  * bucket is taken from them, the last one's word in the clock after it is made. How a number compares with that word is found out while
  * it is being made: from how it compares with the word before, and with the other number. So the loop that one bucket in every
  * clock makes has only choices in it, and the comparisons stand before it.
  *
  * A word is in force if it says so and has the number of the reset since which it was written ([[ResetNumber]]), so that nothing needs
  * to be done to what it held. When the chip starts the memories hold zeros.
  *
  * @param filled
  *   the bank of this clock's step; the other one is swept. After a change no sweep for writeAt clocks, and no change before the
  *   bank is swept
  * @param sweep
  *   a bucket of the other bank
  */
class MinBanks(indexBits: Int, values: Int, step: Flow[MinStep], filled: Bool, sweep: Flow[UInt]) extends Area {
  import MinBanks._
  private val wordBits = values * numberBits
  private def word(bits: Bits): Vec[UInt] = Vec(bits.resize(wordBits).subdivideIn(numberBits bits).map(_.asUInt))

  val resets = new ResetNumber(indexBits, writing = 1)
  private val current = True ## resets.number

  val memories = Seq.fill(2)(new DeepMemory(current.getWidth + wordBits, 1 << indexBits).beginningWithZeros())
  private val raw = memories.zipWithIndex.map { case (memory, bank) =>
    RegNext(memory.readSync(Mux(filled === Bool(bank == 1), step.index, sweep.payload)))
  }
  private val isCurrent = raw.map(bits => (bits >> wordBits) === current)

  /** Of both banks, in clock 2, the one that is filled, or the other one; in the next clock. */
  private def chosen[T <: Data](of: Seq[T], isFilled: Boolean): T =
    RegNext(Mux(Delay(filled, 2) === Bool(isFilled), of(1), of(0)))

  /** Whether a step of so many clocks before is of the same bucket; clock 1. */
  private val isSame = (1 to writeAt).map { age =>
    val isOfBank = Delay(step.valid, age, init = False) && Delay(filled, age) === filled
    age -> RegNext(isOfBank && Delay(step.index, age) === step.index)
  }.toMap

  val onFill = new Area {
    val made = Vec(Reg(UInt(numberBits bits)), values) // in a step's clock writeAt
    val madeBefore = RegNext(made)

    private def choice(isFirst: Bool, first: Vec[UInt], second: Vec[UInt]) =
      Vec(first.zip(second).map { case (one, other) => Mux(isFirst, one, other) })
    private val none = Vec(Seq.fill(values)(U(0, numberBits bits)))

    // Clocks 2 and 3: what the last of the steps of four to six clocks before has made.
    private val two = RegNext(choice(isSame(5), made, choice(isSame(6), madeBefore, none)))
    private val three = RegNext(choice(Delay(isSame(4), 1), made, two))
    private val isThree = Delay(isSame(4) || isSame(5) || isSame(6), 2)

    private val stored = word(chosen(raw, isFilled = true))
    private val isStored = chosen(isCurrent, isFilled = true)
    private val found = choice(isThree, three, choice(isStored, stored, none))
    private val older = RegNext(choice(Delay(isSame(3), 2), made, found))

    // Clock 4: all but what the last step makes of it.
    val butLast = choice(Delay(isSame(2), 3), made, older)
    private val number = Delay(step.number, 4)
    private val next = Delay(step.number, 3)
    private val isAboveLast = RegNext(next > number)
    private val isBelowLast = RegNext(next < number)
    val ranks = Reg(Ranks(values))
    private val ranksBefore = MinWord.ranks(number, butLast)
    private val ranksAfter = MinWord.ranksAfter(ranks, ranksBefore, isAboveLast, isBelowLast)
    ranks := Mux(Delay(isSame(1), 3), ranksAfter, ranksBefore)

    // Clock 5.
    made := MinWord.after(choice(Delay(isSame(1), 4), made, RegNext(butLast)), RegNext(number), ranks)
  }

  val onWrite = new Area {
    private val isMade = Delay(step.valid, writeAt, init = False)
    private val bankOfMade = Delay(filled, writeAt)
    private val emptied = sweep.stage()
    for ((memory, bank) <- memories.zipWithIndex) {
      val isOwn = isMade && bankOfMade === Bool(bank == 1)
      val isEmptied = emptied.valid && RegNext(filled) =/= Bool(bank == 1)
      memory.write(
        Mux(resets.isFresh, resets.address, Mux(isOwn, Delay(step.index, writeAt), emptied.payload)),
        isOwn ## resets.number ## onFill.made.asBits,
        isOwn || isEmptied || resets.isFresh
      )
    }
  }

  /** What the sweep found, [[sweptAt]] clocks after it: in which places there are numbers, and that in the last one. */
  val onSwept = new Area {
    private val found = word(chosen(raw, isFilled = false))
    private val isFound = chosen(isCurrent, isFilled = false)
    val isThere = RegNext(Vec(found.map(_ =/= 0 && isFound)))
    val last = RegNext(Mux(isFound, found.last, U(0)))
  }
}

object MinBanks {

  /** Clocks from a step to its write. */
  val writeAt = 6
  val sweptAt = 4
}
