// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package cells

import spinal.core._
import spinal.lib._

/** Where each beat of a frame that comes in is written: into one cell behind the other, each linked to the one before it. A cell is taken
  * with its first beat. What a bad or an overlong frame has written is void: its last cell is kept for the next frame, and the others
  * are given back. One beat per clock, and nothing is ever held back.
  */
class CellWriter(shape: CellShape) extends Component {
  private def cellType() = UInt(shape.cellBits bits)

  val io = new Bundle {
    val isBeat = in(Bool()) // a beat of a frame comes
    val isEnd, isGood = in(Bool()) // the frame ends with it, or behind the one before; it stays
    val free = slave(Stream(cellType()))
    val address = out(UInt(shape.cellBits + shape.placeBits bits)) // of the beat
    val link = master(Flow(Vec.fill(2)(cellType()))) // from a cell to the next one
    val stored = master(Flow(StoredFrame(shape)))
    val void = master(Flow(Chain(shape)))
    val isKeeping = out(Bool()) // one is taken for the next frame
  }

  val cell, first = Reg(cellType())
  val place = Reg(UInt(shape.placeBits bits)) init 0 // of the next beat in it
  val isFull, isStarting = RegInit(True) // the next beat needs a cell; it begins a frame
  val count = Reg(UInt(shape.countBits bits)) init 0 // of the frame so far

  io.free.ready := io.isBeat && isFull
  val now = Mux(io.free.ready, io.free.payload, cell)
  val placeNow = place.andMask(!isFull)
  io.address := now @@ placeNow
  io.link.valid := io.free.ready && !isStarting
  io.link.payload := Vec(cell, now)

  private val frame = StoredFrame(shape)
  frame.first := Mux(isStarting, now, first)
  frame.last := now
  frame.count := Mux(isStarting, U(0), count) + U(io.isBeat && (isStarting || isFull))
  when(io.isBeat) {
    cell := now
    place := placeNow + 1
    isFull := placeNow.andR
  }
  first := frame.first
  count := frame.count
  when(io.isBeat || io.isEnd)(isStarting := io.isEnd)
  when(io.isEnd) {
    when(io.isGood)(isFull := True) elsewhen (frame.count =/= 0) {
      isFull := False
      place := 0
    }
  }
  io.stored.valid := io.isEnd && io.isGood
  io.stored.payload := frame
  io.void.valid := io.isEnd && !io.isGood && frame.count > 1
  io.void.payload := frame.butLast
  io.isKeeping := isStarting && !isFull
}
