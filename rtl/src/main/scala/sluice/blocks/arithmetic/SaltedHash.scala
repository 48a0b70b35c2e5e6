// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._
import spinal.lib._

/** A hash of 32 bits that a salt of 64 bits chooses: a Feistel network of four rounds. Each multiplies the right half by `1 salt 1`,
  * with 16 bits of the salt from the lowest on, and adds bits 9 to 24 of that to the left half without carry.
  *
  * No two words have one hash, whatever the salt; which of them look alike in a part of it is another matter with each salt. A word
  * and the salt of its clock make the hash [[SaltedHash.latency]] clocks later. Both come from registers.
  */
class SaltedHash(word: Bits, salt: Bits) extends Area {
  import SaltedHash._

  val hash: Bits = (0 until rounds)
    .foldLeft((word(31 downto 16), word(15 downto 0))) { case ((left, right), round) =>
      val factor = B"1" ## Delay(salt(16 * round, 16 bits), round * roundCycles) ## B"1"
      val product = Multiplier(right.asUInt, factor.asUInt)
      (Delay(right, roundCycles), RegNext(RegNext(left) ^ product(9, 16 bits).asBits))
    } match { case (left, right) => left ## right }
}

object SaltedHash {
  private val rounds = 4
  private val roundCycles = Multiplier.latency + 1
  val latency: Int = rounds * roundCycles

  /** The same with ports, for its test: [[latency]] clocks and one on either side. */
  class Top extends Component {
    val io = new Bundle {
      val word = in(Bits(32 bits))
      val salt = in(Bits(64 bits))
      val hash = out(Bits(32 bits))
    }
    io.hash := RegNext(new SaltedHash(RegNext(io.word), RegNext(io.salt)).hash)
  }
}
