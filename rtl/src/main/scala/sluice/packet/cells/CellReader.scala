// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package cells

import spinal.core._
import spinal.lib._

/** A beat that is to be read. */
case class CellFetch(shape: CellShape, band: SideBand) extends Bundle {
  val address = UInt(shape.cellBits + shape.placeBits bits)
  val beat = OutgoingBeat(shape.dataBits, band)
}

/** Goes through a frame's cells, a beat per clock without a gap, from one frame to the next too, and gives each cell back with its last
  * beat. While the beats of a cell are read the next one is looked for.
  */
class CellReader(shape: CellShape, band: SideBand) extends Component {
  private def cellType() = UInt(shape.cellBits bits)

  val io = new Bundle {
    val take = slave(Stream(CellFrame(shape, band)))
    val looked = out(cellType()) // whose next one is wanted
    val next = in(cellType()) // that, [[CellShape.following]] clocks later
    val fetch = master(Stream(CellFetch(shape, band)))
    val back = master(Flow(cellType()))
    val isEnd = out(Bool()) // it is its frame's last one
  }

  val index = Reg(UInt(log2Up(Frame.maxBeats(shape.dataBits)) bits)) init 0
  val isStarting = RegInit(True)
  val current = Reg(cellType())
  val cell = Mux(isStarting, io.take.first, current)
  val isLast = index === io.take.record.lastBeat(shape.dataBits).resize(index.getWidth)
  private val place = index.resize(shape.placeBits)
  io.looked := cell
  io.fetch.valid := io.take.valid
  io.fetch.address := cell @@ place
  io.fetch.beat.lastLane := io.take.record.lastLane(shape.dataBits)
  io.fetch.beat.last := isLast
  io.fetch.beat.index := index
  io.fetch.beat.isMarked := io.take.isMarked
  io.fetch.beat.mark := io.take.record.mark
  io.fetch.beat.side := io.take.side
  io.take.ready := io.fetch.ready && isLast
  when(io.fetch.fire) {
    index := Mux(isLast, U(0), index + 1)
    isStarting := isLast
    current := Mux(place.andR, io.next, cell)
  }
  io.back.valid := RegNext(io.fetch.fire && (isLast || place.andR), init = False)
  io.back.payload := RegNext(cell)
  io.isEnd := RegNext(io.fetch.fire && isLast, init = False)
}
