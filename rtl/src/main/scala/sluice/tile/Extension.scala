// SPDX-License-Identifier: Apache-2.0
package sluice.tile

import sluice.contract._
import spinal.core._

/** What a datapath around a tile adds to the tile's registers, and what it asks of the tile's admission.
  *
  * @param parameters
  *   staged, checked and committed with the tile's own
  * @param counters
  *   names of its counters, captured at the tile's SNAPSHOT
  * @param secret
  *   32-bit words that can be written and never read, as they are after reset
  * @param cellBytes
  *   a stored packet takes whole cells of this size, a power of two
  * @param cells
  *   cells that may be taken; a packet that would need more is over the limit
  */
case class Extension(
    parameters: Seq[Parameter],
    rules: Seq[Rule],
    counters: Seq[String],
    secret: Seq[BigInt],
    cellBytes: Int,
    cells: Int
)

/** The ports between a tile and the datapath around it. */
class ExtensionIo(config: TileConfig, extension: Extension) extends Bundle {
  val parameters = out(new ParameterValues(config.parameters)) // the whole set in force, the tile's own too
  val secret     = out(Vec.fill(extension.secret.size)(Bits(32 bits)))
  val counters   = in(Vec.fill(extension.counters.size)(UInt(Accountant.width bits)))
  val isDropped  = out(Bool()) // a packet is dropped in this clock, as the tile's counters count it
  val bytes      = out(UInt(Widths.packet bits)) // its length
}

/** The storage that admitted packets take, in cells. Exact on the way in; what leaves is given back a clock late. */
class CellCount(extension: Extension, bytes: UInt, isAccepted: Bool, departed: spinal.lib.Flow[Descriptor]) extends Area {
  private def cellsOf(b: UInt): UInt = (b +^ (extension.cellBytes - 1)) >> log2Up(extension.cellBytes)

  private val taken    = Reg(UInt(Widths.count(extension.cells) bits)) init 0
  private val wanted   = cellsOf(bytes)
  private val returned = RegNext(cellsOf(departed.bytes).andMask(departed.valid)) init 0

  val fits = (taken +^ wanted) <= extension.cells
  taken := taken + wanted.andMask(isAccepted).resize(taken.getWidth) - returned.resize(taken.getWidth)
}
