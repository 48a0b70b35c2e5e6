// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract._
import sluice.tile.account.Accountant
import spinal.core._

/** A word that the host writes and the datapath takes, at once; it reads 0. */
case class HostWord(name: String, width: Int, doc: String)

/** What a datapath around a tile adds to the tile's registers, and what it asks of the tile's admission.
  *
  * @param parameters
  *   staged, checked and committed with the tile's own
  * @param counters
  *   names of its counters, captured at the tile's SNAPSHOT
  * @param secret
  *   32-bit words that can be written and never read, as they are after reset: they read 1 until they are in force, then 0
  * @param hostWords
  *   behind the secret
  * @param beatBytes
  *   of its streams
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
    hostWords: Seq[HostWord],
    beatBytes: Int,
    cellBytes: Int,
    cells: Int
)

object Extension {

  /** Clocks from `isDropped` or `isGone` to the count of it. The tile's own counters wait as long, so that one snapshot fits them all. */
  val lag = 3
}

/** The ports between a tile and the datapath around it. */
class ExtensionIo(config: TileConfig, extension: Extension) extends Bundle {
  val nowNs = out(UInt(Widths.timeNs bits)) // the tile's time, which never runs backwards
  val parameters = out(new ParameterValues(config.parameters)) // the whole set in force, the tile's own too
  private val hasSecret = extension.secret.nonEmpty
  val secret = hasSecret generate out(Vec.fill(extension.secret.size)(Bits(32 bits)))
  val isSecretNew = hasSecret generate out(Bool()) // a word of it has just been written
  val isSecretInForce = hasSecret generate in(Bool())
  private val hasWords = extension.hostWords.nonEmpty
  val written =
    hasWords generate out(Bits(extension.hostWords.size bits)) // which of its words is written in this clock
  val writtenData = hasWords generate out(Bits(32 bits))
  // The datapath's own counts, Extension.lag clocks behind what they count.
  val counters = in(Vec.fill(extension.counters.size)(UInt(Accountant.width bits)))
  val isDropped = out(Bool()) // a packet is dropped on arrival in this clock, as the tile's counters count it
  val bytes = out(UInt(Widths.packet bits)) // its length
  // The same of a packet that is dropped in the queue; and whether such a packet may leave it in this clock.
  val isGone = config.needs.isAsked generate out(Bool())
  val goneBytes = config.needs.isAsked generate out(UInt(Widths.packet bits))
  val mayDrop = config.needs.isAsked generate in(Bool())
  // Of many queues: cells that packets had and that are free a clock ago, and whether those of all that have left are.
  val cellsFreed = (config.queues > 1) generate in(UInt(2 bits))
  val areCellsAtRest = (config.queues > 1) generate in(Bool())
}
