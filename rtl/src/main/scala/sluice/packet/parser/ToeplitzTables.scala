// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import spinal.core._
import spinal.lib._

/** The Toeplitz hash by look-up. The hash is linear: that of a key is the sum of those of its parts, and a block memory for each
  * part of nine bits holds the hash of each of its values. Summing the secret's words themselves takes ten times the logic.
  *
  * The tables are computed after a reset and whenever the secret is new, one word per clock; until then hashes are arbitrary.
  *
  * @param secret
  *   first bit uppermost
  * @param isNew
  *   it has changed
  */
class ToeplitzTables(secret: Bits, isNew: Bool) extends Area {
  import ToeplitzTables._
  private val memories = Seq.fill(parts)(Mem(Bits(32 bits), 1 << partBits))

  val onCount = new Area {
    val value = Reg(UInt(partBits bits)) init 0
    val part = Reg(UInt(log2Up(parts) bits)) init 0
    val isRunning = RegInit(True)
    when(isRunning) {
      value := value + 1
      when(value.andR)(part := part + 1)
      when(value.andR && part.andR)(isRunning := False)
    }
    when(isNew) {
      value := 0
      part := 0
      isRunning := True
    }
  }

  /** All words are written, or will be before anyone can tell. */
  val isComplete: Bool = !onCount.isRunning

  // Values in the order of the Gray code: each differs from the last in one bit, whose place in the secret is added to its hash.
  val onBit = new Area {
    import onCount._
    val isFirst = RegNext(value === 0)
    val isFirstPart = RegNext(part === 0)
    val address = RegNext(value ^ (value |>> 1))
    val flipped = RegNext(OHMasking.first(value.asBits))
    val isIts = RegNext(UIntToOh(part).andMask(isRunning)) init 0
    val window = Reg(Bits(secret.getWidth bits)) // the secret from the part's first bit on
    when(isFirst)(window := Mux(isFirstPart, secret, window |<< partBits))
  }

  val onSum = new Area {
    private val places = onBit.flipped.asBools.reverse.zipWithIndex
    private val top = secret.getWidth - 1
    val change = RegNext(
      places.map { case (isIt, i) => onBit.window(top - i downto top - i - 31).andMask(isIt) }.reduce(_ | _)
    )
    val isFirst = RegNext(onBit.isFirst)
    val hash = Reg(Bits(32 bits))
    hash := Mux(isFirst, B(0, 32 bits), hash ^ change)
    val address = Delay(onBit.address, 2)
    val isIts = Delay(onBit.isIts, 2, init = B(0, parts bits))
  }
  for ((table, i) <- memories.zipWithIndex) table.write(onSum.address, onSum.hash, enable = onSum.isIts(i))

  /** Two clocks later, words whose sum is the hash of `key`. */
  def read(key: Bits): Seq[Bits] =
    memories.zip(key.subdivideIn(partBits bits).reverse).map { case (table, part) =>
      RegNext(table.readSync(part.asUInt))
    }
}

object ToeplitzTables {
  private val partBits = 9
  private val parts = 8 * FlowKey.length / partBits
  require(isPow2(parts) && parts * partBits == 8 * FlowKey.length)
}
