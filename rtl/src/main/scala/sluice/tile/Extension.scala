// SPDX-License-Identifier: Apache-2.0
package sluice.tile

import sluice.contract._
import spinal.core._
import spinal.lib._

/** What a datapath around a tile adds to the tile's registers, and what it asks of the tile's admission.
  *
  * @param parameters
  *   staged, checked and committed with the tile's own
  * @param counters
  *   names of its counters, captured at the tile's SNAPSHOT
  * @param secret
  *   32-bit words that can be written and never read, as they are after reset: they read 1 until they are in force, then 0
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

object Extension {

  /** Clocks from `isDropped` to the count of it. The tile's own counters wait as long, so that one snapshot fits them all. */
  val lag = 3
}

/** The ports between a tile and the datapath around it. */
class ExtensionIo(config: TileConfig, extension: Extension) extends Bundle {
  val parameters = out(new ParameterValues(config.parameters)) // the whole set in force, the tile's own too
  val secret = out(Vec.fill(extension.secret.size)(Bits(32 bits)))
  val isSecretNew = out(Bool()) // a word of it has just been written
  val isSecretInForce = in(Bool())
  // The datapath's own counts, Extension.lag clocks behind what they count.
  val counters = in(Vec.fill(extension.counters.size)(UInt(Accountant.width bits)))
  val isDropped = out(Bool()) // a packet is dropped in this clock, as the tile's counters count it
  val bytes = out(UInt(Widths.packet bits)) // its length
}

/** The storage that admitted packets take, in cells: exact on the way in, and given back two clocks after a packet left.
  *
  * @param coming
  *   bytes of the packet that is decided in the next clock
  * @param isAccepted
  *   the packet that is decided in this clock enters
  */
class CellCount(extension: Extension, coming: UInt, isAccepted: Bool, leaving: Flow[Descriptor]) extends Area {
  private val bits = Widths.count(extension.cells)
  private val unit = log2Up(extension.cellBytes)

  // A packet fills its last cell. Bytes are rounded to cells after the sum or difference, so that one carry chain does both:
  // down where they are subtracted, and down with a cell less a byte added where they are added. All modulo 2^bits.
  private def bytes(amount: UInt): UInt = amount.resize(bits + unit)
  private def cells(bytes: UInt): UInt = bytes >> unit

  private val taken = Reg(UInt(bits bits)) init 0
  private val mostTaken = RegNext(cells(U(extension.cells << unit, bits + unit bits) - bytes(coming)))
  private val returning = RegNext(cells(U(0) - bytes(leaving.bytes)).andMask(leaving.valid)) init 0 // below zero
  private val returned = RegNext(returning) init 0
  private val net = RegNext(cells(bytes(coming) + ((returning << unit) | (extension.cellBytes - 1))))

  /** The packet that is decided in this clock has room. */
  val fits = !(mostTaken < taken)
  // Both outcomes at once, so that the decision only chooses.
  taken := Mux(isAccepted, taken + net, taken + returned)
}
