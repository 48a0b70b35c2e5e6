// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import spinal.core._

/** Where a walk over options stands in front of a word, and what it has found. */
case class WordWalk() extends Bundle {
  val here = Bits(4 bits) // the next option begins at this byte of the word
  val isFar = Bool() // it begins in a later one
  val words = UInt(WordOptions.farBits bits) // so many words behind the one before
  val lane = Bits(4 bits) // at this byte of that; when the time is found, at this byte of its own word
  val outcome = RttOutcome()
  val isFirst, isSecond = Bool() // the time's option began a word, two words before
  val taken = Bits(32 bits) // bytes of the time, each where it stands in its word

  private def changed(change: WordWalk => Unit): WordWalk = {
    val after = WordWalk()
    after := this
    after.allowOverride()
    change(after)
    after
  }

  /** Behind a word that is there. */
  def through(word: Bits, options: WordOptions): WordWalk = changed { after =>
    def any[T <: Data](from: Bits, values: Vec[T]): Bits =
      values.zip(from.asBools).map { case (value, isIt) => value.asBits.andMask(isIt) }.reduce(_ | _)
    val begins = here | any(here, options.follows)
    val good = begins & options.isGood
    val near = begins & options.isNear
    val far = begins & options.isFar
    val isNext = isFar && words === 2

    after.here := any(near, options.lane) | lane.andMask(isNext)
    after.isFar := far.orR || (isFar && !isNext)
    after.words := Mux(isFar, words - 1, any(far, options.words).asUInt)
    after.lane := any(far, options.lane) | good | lane.andMask(isFar || outcome === RttOutcome.GOOD)
    when(good.orR)(after.outcome := RttOutcome.GOOD)
    when((begins & options.isBad).orR)(after.outcome := RttOutcome.BAD)

    after.isFirst := good.orR
    after.isSecond := isFirst
    val places = (0 until 4).map(byte => (isFirst && lane(byte downto 0).orR) || (isSecond && !lane(byte downto 0).orR))
    for (((to, from), isIts) <- after.bytes.zip(word.subdivideIn(8 bits).reverse).zip(places)) when(isIts)(to := from)
  }

  /** The bytes of `taken` in the order of the frame. */
  private def bytes: Seq[Bits] = taken.subdivideIn(8 bits).reverse.toSeq

  /** Where there are no more words. */
  def ended(exact: RttOutcome.C, inside: RttOutcome.C): WordWalk = changed { after =>
    when(here.orR || isFar)(after.outcome := Mux(here(0), exact, inside))
    after.here := 0
    after.isFar := False
  }
}
