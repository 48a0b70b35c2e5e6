// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.cardinality

import sluice.checks.Proof
import spinal.core._
import spinal.lib._

/** A word always holds the largest of all numbers that came, each of them once, the first of them first; and the ranks in a word that
  * are made of those in the word before are what a comparison finds. By induction, for any numbers of three bits and any time.
  */
class MinWordProof(values: Int) extends Proof {
  private val bits = 3
  private val number, nextNumber = free(HardType(UInt(bits bits)))

  val word = Vec.fill(values)(RegInit(U(0, bits bits)))
  private val ranks = MinWord.ranks(number, word)
  private val after = MinWord.after(word, number, ranks)
  word := after

  // All that came, by number.
  val came = RegInit(B(0, 1 << bits bits))
  came(number) := True
  assumeInitial(came === 0 && word.asBits === 0)
  for (chosen <- 1 until 1 << bits) {
    val isAmongLargest = if (chosen == came.high) True else CountOne(came >> (chosen + 1)).resize(bits + 1) < values
    assert(word.map(_ === chosen).orR === (came(chosen) && isAmongLargest))
  }
  for ((one, other) <- word.zip(word.tail)) assert(one > other || other === 0)

  private val found = MinWord.ranks(nextNumber, after)
  private val made = MinWord.ranksAfter(
    ranks,
    MinWord.ranks(nextNumber, word),
    isAbove = nextNumber > number,
    isBelow = nextNumber < number
  )
  assert(made === found)
}
