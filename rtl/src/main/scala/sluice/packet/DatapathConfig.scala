// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import sluice.contract.ModuleName
import sluice.packet.buffer.PacketBuffer
import sluice.packet.cells.CellShape
import sluice.packet.link.Shaper
import sluice.packet.rtt.RttSource
import sluice.tile.{Extension, Storage, TileConfig}
import sluice.packet.parser._
import spinal.core._

/** One named datapath, complete.
  *
  * @param name
  *   as in configs.yaml; names the Verilog module
  * @param base
  *   the configuration of its tile
  * @param dataBits
  *   width of its streams
  * @param bufferBytes
  *   size of the packet buffer, a power of two
  * @param band
  *   what its streams carry beside each frame
  */
case class DatapathConfig(name: String, base: TileConfig, dataBits: Int, bufferBytes: Int, band: SideBand) {
  require(
    Frame.widths.contains(dataBits),
    s"$name: data_bits must be one of ${Frame.widths.mkString(", ")}, not $dataBits"
  )
  require(
    base.queues == 1 || (base.storage == Storage.Lists && !base.needs.choosesQueue),
    s"$name: a datapath is around one queue, or many in lists, which it knows by a hash of a frame's flow or by its DSCP; " +
      s"${base.name} has ${base.queues} by ${base.queueBy}"
  )
  require(isPow2(bufferBytes), s"$name: buffer_bytes must be a power of two, not $bufferBytes")

  /** Entries of the packet buffer. */
  val bufferBeats: Int = bufferBytes * 8 / dataBits

  /** Of several queues frames leave in any order, and so the buffer is one of cells. */
  val cells: Option[CellShape] = Option.when(base.queues > 1)(CellShape.of(dataBits, bufferBytes))

  // In units of what a frame fills.
  private val unitBytes = cells.fold(dataBits / 8)(_.bytes)
  private val room = cells.fold(PacketBuffer.room(dataBits, bufferBeats))(_.room)
  require(
    room >= 2 * cells.fold(Frame.maxBeats(dataBits))(_.mostOfFrame),
    s"$name: a buffer of $bufferBytes bytes is too small at $dataBits bits"
  )

  val moduleName: String = ModuleName(name)

  /** The tile's arrivals say their queue. */
  val saysQueue: Boolean = base.queues > 1 && base.queueBy == "port"

  private val needsRtt = base.needs.rtt
  require(
    !needsRtt || !saysQueue,
    s"$name: a table of round-trip times and one of queues have no registers beside each other"
  )
  private def ofRtt[T](things: Seq[T]): Seq[T] = if (needsRtt) things else Nil

  val extension: Extension = Extension(
    Seq(Datapath.stall) ++ FlowKey.parameters ++ Shaper.parameters ++ ofRtt(RttSource.parameters),
    FlowKey.rules ++ Shaper.rules ++ ofRtt(RttSource.rules),
    DatapathAccountant.names ++ ofRtt(RttSource.counters) ++ cells.map(_ => "held_cells"),
    FlowHash.publishedSecret,
    ofRtt(RttSource.words) ++ Option.when(saysQueue)(DscpQueues.word),
    dataBits / 8,
    unitBytes,
    room
  )

  require(band.userBits >= 0 && band.idBits >= 0 && band.destBits >= 0, s"$name: no width may be below 0")

  /** The tile of the datapath, with the datapath's registers. A frame's side-band is its cookie, and above it where it is stored, in cells. */
  val tile: TileConfig =
    base.copy(name = name, cookieBits = band.bits + cells.fold(0)(_.cellBits), extension = Some(extension))
}
