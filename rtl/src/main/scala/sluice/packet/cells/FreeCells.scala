// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package cells

import sluice.packet.buffer.FarQueue
import spinal.core._
import spinal.lib._

/** The cells that no frame is in. Right in the first clock after a reset: those that came back are given first, and else those that were
  * never taken, in the order of their numbers. One is given per clock, and each source gives one back per clock, into a queue of its
  * own that could hold all cells; so nobody waits.
  *
  * Of all cells some have always left such a queue's memory for the registers behind it before the last one comes, so there are fewer in
  * it than it holds. [[CellShape.reserve]] says why there is always one to take.
  */
class FreeCells(shape: CellShape, sources: Int) extends Component {
  val io = new Bundle {
    val back = Vec.fill(sources)(slave(Flow(UInt(shape.cellBits bits))))
    val free = master(Stream(UInt(shape.cellBits bits)))
  }

  val onFresh = new Area {
    val number = Reg(UInt(shape.cellBits + 1 bits)) init 0
    val cells = Stream(UInt(shape.cellBits bits))
    cells.valid := !number.msb
    cells.payload := number.resized
    when(cells.fire)(number := number + 1)
  }
  private val queues = io.back.map(FarQueue(_, shape.cells))
  io.free << StreamArbiterFactory().lowerFirst.noLock.on(queues :+ onFresh.cells).s2mPipe().m2sPipe()
}
