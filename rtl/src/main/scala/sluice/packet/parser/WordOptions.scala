// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import spinal.core._
import spinal.lib._

/** The IP options that could begin at each of the four bytes of a word. One bit for each byte, the first lowest. */
case class WordOptions() extends Bundle {
  val isGood, isBad, isEnd = Bits(4 bits) // it is a round-trip time; contradicts itself; says that no other follows
  val follows = Vec.fill(4)(Bits(4 bits)) // if one begins at this byte, others begin in the same word at those
  val isNear, isFar = Bits(4 bits) // it ends in the next word; in a later one
  val words = Vec.fill(4)(UInt(WordOptions.farBits bits)) // so many words behind this one
  val lane = Vec.fill(4)(Bits(4 bits)) // at this byte of it
}

object WordOptions {

  /** Bits of the words that an option may skip: the longest is one of IPv6, of 257 bytes. */
  val farBits = 7

  /** Two clocks later.
    *
    * @param bytes
    *   of the word, and at least three of the one behind it
    * @param hasNext
    *   that one is there
    * @param hasSecond
    *   so is the one behind that
    */
  def apply(bytes: Seq[Bits], isIpv6: Bool, hasNext: Bool, hasSecond: Bool): WordOptions = {
    val single = Seq.tabulate(4)(i => new SingleOption(i, bytes.slice(i, i + 4), isIpv6, hasNext, hasSecond))
    def leads(from: Int, to: Int): Bool =
      (single(from).endsAt(to) +: (from + 1 until to).map(by => leads(from, by) && single(by).endsAt(to)))
        .reduce(_ || _)

    val found = WordOptions()
    for ((option, i) <- single.zipWithIndex) {
      found.isGood(i) := option.isGood
      found.isBad(i) := option.isBad
      found.isEnd(i) := option.isEnd
      found.follows(i) := Vec((0 until 4).map(to => if (to > i) leads(i, to) else False)).asBits
      found.isNear(i) := option.goesOn && option.end >> 2 === 1
      found.isFar(i) := option.goesOn && option.end >> 3 =/= 0
      found.words(i) := (option.end >> 2).resized
      found.lane(i) := UIntToOh(option.end(1 downto 0), 4)
    }
    RegNext(found)
  }
}

/** What could be an option, by itself, a clock later; as [[WordOptions]] has it.
  *
  * @param i
  *   byte of its word at which it begins
  * @param bytes
  *   kind, length and identifier
  */
class SingleOption(i: Int, bytes: Seq[Bits], isIpv6: Bool, hasNext: Bool, hasSecond: Bool) extends Area {
  import RttOption._
  private val (kind, length, identifies) = (bytes(0), bytes(1), bytes(2) ## bytes(3))
  private def either(byte: Bits, ipv4: Int, ipv6: Int): Bool = byte === Mux(isIpv6, B(ipv6, 8 bits), B(ipv4, 8 bits))
  private val isPad = either(kind, 1, 0)
  private val isLast = !isIpv6 && kind === 0
  // The length of IPv6 does not count the two bytes in front of what it counts.
  private val isBelow2 = !length(7 downto 1).orR
  private val isTiny = !length(7 downto 2).orR && (!isIpv6 || isBelow2)
  private val isIts = either(kind, ipv4Kind, ipv6Kind) && identifies === identifier && !isTiny
  private val isRtt = isIts && (if (i == 0) True else hasNext)
  private val isExact = either(length, size, size - 2)

  val isEnd = RegNext(isLast)
  val isGood = RegNext(isRtt && isExact && (if (i == 0) hasNext else hasSecond))
  val isBad = RegNext((isRtt && !isExact) || (!isIpv6 && !isPad && !isLast && isBelow2))
  val end = RegNext(Mux(isPad, U(i + 1), length.asUInt +^ Mux(isIpv6, U(i + 2), U(i))))
  val goesOn = !isEnd && !isGood && !isBad
  def endsAt(byte: Int): Bool = goesOn && end === byte
}
