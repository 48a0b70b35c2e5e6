// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package cells

import sluice.contract.Widths
import sluice.packet.buffer.FrameRecord
import spinal.core._

/** A packet memory that is divided into cells. A frame takes whole ones, each linked to the next, and gives them back one by one, in
  * whatever order frames leave.
  *
  * @param beats
  *   of a cell, a power of two: more than the look for the next cell takes clocks, so that a frame is read without a gap
  * @param cells
  *   a power of two
  */
case class CellShape(dataBits: Int, beats: Int, cells: Int) {
  import CellShape._
  require(isPow2(beats) && isPow2(cells) && beats > following)

  val bytes: Int = beats * dataBits / 8
  val cellBits: Int = log2Up(cells)
  val placeBits: Int = log2Up(beats)

  /** Cells of the longest frame. */
  val mostOfFrame: Int = (Frame.maxBeats(dataBits) + beats - 1) / beats
  val countBits: Int = Widths.count(mostOfFrame)

  /** Cells that are taken and not counted by the tile, at most. It counts those of a frame from its verdict on, until they have been given
    * back. Beside them are taken
    *
    *   - those of frames without a verdict: one longest frame, and one cell for each beat behind it, of which one comes in a clock;
    *   - those of frames that were dropped at their verdict and still wait to be given back: a longest frame's. The last cell of a frame
    *     is given back at once, and each of the others in three clocks, in which three quarters of it came;
    *   - those of bad and overlong frames: as many, for the same reason;
    *   - those that have been given back and have not come through the queue of free ones.
    */
  val reserve: Int = 3 * mostOfFrame + mostLatency + inTransit

  /** Cells that the tile may count at a time. */
  val room: Int = cells - reserve
}

object CellShape {

  /** That of a buffer of so many bytes. A cell is no smaller than the shortest frames of Ethernet. */
  def of(dataBits: Int, bufferBytes: Int): CellShape = {
    val beats = (leastBytes * 8 / dataBits).max(1 << log2Up(following + 1))
    CellShape(dataBits, beats, bufferBytes * 8 / dataBits / beats)
  }

  /** Clocks from a cell to the one behind it. */
  val following = 3

  /** Most clocks that are allowed from a frame's last beat to its verdict. */
  val mostLatency = 128
  private val inTransit = 48
  private val leastBytes = 64
}

/** A stored frame: where it begins and ends, and how many cells it has. */
case class StoredFrame(shape: CellShape) extends Bundle {
  val first, last = UInt(shape.cellBits bits)
  val count = UInt(shape.countBits bits)

  /** What is given back of it when the last cell has been. */
  def butLast: Chain = {
    val chain = Chain(shape)
    chain.first := first
    chain.count := count - 1
    chain
  }
}

/** Linked cells that are to be given back, one or more. */
case class Chain(shape: CellShape) extends Bundle {
  val first = UInt(shape.cellBits bits)
  val count = UInt(shape.countBits bits)
}

/** A frame that has left the tile's queue: where it is, what is known of it, and what is to be shown with it. */
case class CellFrame(shape: CellShape, band: SideBand) extends Bundle {
  val first = UInt(shape.cellBits bits)
  val record = FrameRecord()
  val isMarked = Bool()
  val side = Side(band)
}
