// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import spinal.core._

/** A block memory in columns as wide as one memory block of its depth is. Synthesis would rather put wide blocks behind each
  * other, and then a choice among their outputs stands behind each read, which is slow already.
  *
  * One write and one read per clock, the data a clock after the address. What a read of the word being written gives is not
  * defined.
  */
class DeepMemory(width: Int, depth: Int) extends Area {
  private val columnBits = (DeepMemory.blockBits / depth).max(1).min(width)
  private val lsbs = 0 until width by columnBits
  private[sluice] val columns = lsbs.map(lsb => Mem(Bits(columnBits.min(width - lsb) bits), depth))
  columns.foreach(_.addAttribute("syn_ramstyle", "block_ram")) // Lattice's word; of few words too

  /** The same with these words in it from the start, as a table that nobody writes. */
  def holding(words: Seq[BigInt]): this.type = {
    for ((column, lsb) <- columns.zip(lsbs)) {
      val mask = (BigInt(1) << column.width) - 1
      column.initBigInt(words.map(_ >> lsb & mask))
    }
    this
  }

  /** The same with zeros in it from the start; it may be written. */
  def beginningWithZeros(): this.type = {
    columns.foreach(_.addAttribute(DeepMemory.zeroed))
    this
  }

  def write(address: UInt, data: Bits, enable: Bool): Unit =
    for ((column, bits) <- columns.zip(data.subdivideIn(columnBits bits, strict = false)))
      column.write(address, bits, enable)

  def readSync(address: UInt): Bits = Cat(columns.map(_.readSync(address)))
}

object DeepMemory {

  /** Attribute of a memory for [[sluice.files.ZeroedMemories]]. */
  private[sluice] val zeroed = "begins_with_zeros"

  /** Bits of the block memories of today's FPGAs, or half of it. */
  private val blockBits = 18 << 10
}
