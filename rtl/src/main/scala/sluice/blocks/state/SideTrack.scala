// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import spinal.core._
import spinal.lib._

/** Data that arrives `cycles` clocks later, through a small memory instead of registers. */
class SideTrack(input: Bits, cycles: Int) extends Area {
  require(cycles > 3, "a word must be written before it is read, and has two registers behind it")
  private val depth = 1 << log2Up(cycles + 1)
  private val ring = Mem(Bits(input.getWidth bits), depth)
  ring.addAttribute("syn_ramstyle", "block_ram") // Lattice's word: its LUT memory takes more than it saves
  // One register per address, and no difference of them in front of a memory that is far; but of one count, so that no upset puts
  // them out of step for longer than a clock.
  private val readAt = Reg(UInt(log2Up(depth) bits)) init 0
  readAt := readAt + 1
  private val writtenAt = Reg(UInt(log2Up(depth) bits)) init cycles - 3
  writtenAt := readAt + (cycles - 2)
  ring.write(writtenAt, input)
  val output = Delay(ring.readSync(readAt), 2) // block memory is slow, and far
}

object SideTrack {

  /** Where each of some fields stands in their concatenation. */
  def ranges(fields: Seq[Data]): Seq[Range] =
    fields.scanLeft(0)(_ + widthOf(_)).zip(fields).map { case (from, field) => from until from + widthOf(field) }
}
