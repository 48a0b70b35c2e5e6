// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.cardinality

import spinal.core._

/** Where a number stands among those of a word: above or below the one in each place. */
case class Ranks(places: Int) extends Bundle {
  val isAbove, isBelow = Vec(Bool(), places)

  /** A number that is not there yet comes to this place. */
  def isPut(place: Int): Bool = if (place == 0) isAbove(0) else isBelow(place - 1) && isAbove(place)

  /** It comes before this place, whose number moves on by one. */
  def isPutBefore(place: Int): Bool = (0 until place).map(isPut).reduce(_ || _)
}

/** The numbers of a bucket: its smallest, no two of them equal. A number is kept as its complement, so a word holds the largest, the
  * first of them first, and 0 in places that have none; a number of 0 changes nothing.
  */
object MinWord {

  /** Fraction bits of a number; three of them, and what tells whether a word is in force, make 72 bits for 1,024 buckets, which is four
    * block memories.
    */
  val numberBits = 20

  def ranks(number: UInt, word: Vec[UInt]): Ranks = {
    val ranks = Ranks(word.size)
    for ((kept, place) <- word.zipWithIndex) {
      ranks.isAbove(place) := number > kept
      ranks.isBelow(place) := number < kept
    }
    ranks
  }

  /** The word with a number that has these ranks in it. */
  def after(word: Vec[UInt], number: UInt, ranks: Ranks): Vec[UInt] = Vec(word.indices.map { place =>
    val moved = if (place == 0) word(0) else Mux(ranks.isPutBefore(place), word(place - 1), word(place))
    Mux(ranks.isPut(place), number, moved)
  })

  /** The ranks of a number in the word after another one, from those in the word before.
    *
    * @param first
    *   ranks of the other one
    * @param second
    *   the number's own
    * @param isAbove
    *   and `isBelow`: the number against the other one
    */
  def ranksAfter(first: Ranks, second: Ranks, isAbove: Bool, isBelow: Bool): Ranks = {
    val ranks = Ranks(first.places)
    def one(place: Int, against: Bool, kept: Vec[Bool]): Bool = {
      val moved = if (place == 0) kept(0) else Mux(first.isPutBefore(place), kept(place - 1), kept(place))
      Mux(first.isPut(place), against, moved)
    }
    for (place <- 0 until first.places) {
      ranks.isAbove(place) := one(place, isAbove, second.isAbove)
      ranks.isBelow(place) := one(place, isBelow, second.isBelow)
    }
    ranks
  }
}
