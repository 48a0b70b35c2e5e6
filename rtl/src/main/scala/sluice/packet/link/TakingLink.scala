// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package link

import sluice.packet.buffer.{PacketBuffer, TakenFrame}
import sluice.tile.AqmTile
import spinal.core._

/** The link behind a tile that gives packets and no more: it takes one when a frame starts.
  *
  * A frame starts when it is in the buffer and the link is free; a clock later it meets its descriptor, which leaves the tile. Tile
  * and shaper may be far apart, so that neither waits for the other's answer in one clock.
  */
class TakingLink(tile: AqmTile, shaper: Shaper, buffer: PacketBuffer, band: SideBand) extends Area {
  val start = shaper.io.priced.continueWhen(shaper.io.mayStart)
  shaper.io.isTaken := start.fire
  val started = start.s2mPipe().m2sPipe()

  // The descriptor is there: the ring offers it four clocks after the verdict, and its frame has come through staging, buffer
  // and pricing since.
  val departure = tile.io.m_departure
  val taken = started.map { record =>
    val frame = TakenFrame(band)
    frame.record := record
    frame.side := Side.of(band, departure.cookie)
    frame.order.isDrop := False
    frame.order.isMarked := departure.isCe
    frame
  }
  // A free link that finds no descriptor asks all the same: to the tile that is an idle link.
  val isIdle = RegNext(start.ready && shaper.io.mayStart && !start.valid, init = False)
  departure.ready := taken.fire || (isIdle && !departure.valid)
  buffer.io.take << taken.s2mPipe().m2sPipe()
}
