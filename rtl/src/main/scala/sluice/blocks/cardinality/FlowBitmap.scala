// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.cardinality

import sluice.blocks.state.{ForwardedMemory, ResetNumber}
import spinal.core._
import spinal.lib._

/** How many flows are there? Counts ids one per clock, window after window, with a bit for each: exact for ids that differ in their low
  * `idBits`, which others share.
  *
  * There are two banks of bits. When a window ends, the next one begins in the same clock in the other bank, while the finished one is
  * emptied, a word per clock: the next end must come at least [[latency]] clocks later. An id that comes with `window_end` is the first of
  * the next window. A reset empties everything at once.
  */
class FlowBitmap(idBits: Int) extends Component {
  import ForwardedMemory.writeAt
  private val placeBits = 4 // in a word
  private val addressBits = idBits - placeBits

  val io = new Bundle {
    val s_arrival = slave(Flow(Bits(32 bits)))
    val window_end = in(Bool())

    /** Flows of the window that has ended. */
    val m_count = master(Flow(UInt(idBits + 1 bits)))
  }

  /** Clocks from `window_end` to the next one, and more than to `m_count`. */
  val latency: Int = (1 << addressBits) + 8

  private val bank = RegInit(False)
  bank := bank ^ io.window_end
  private val isStep = RegNext(io.s_arrival.valid, init = False)
  private val id = RegNext(io.s_arrival.payload.asUInt.resize(idBits))
  private val filled = RegNext(bank ^ io.window_end, init = False)
  private val isEnd = Delay(io.window_end, writeAt + 1, init = False)

  private val resets = new ResetNumber(addressBits, writing = writeAt + 1)
  private val swept = Reg(UInt(addressBits bits)) init 0
  swept := swept + 1

  // What is not looked up is rewritten in the bank that is filled, and emptied in the other one.
  private val isNew = for (isOther <- Seq(false, true)) yield {
    val isFilled = filled === Bool(isOther)
    val isOwn = isStep && isFilled
    val address = Mux(resets.isFresh, resets.address, Mux(isOwn, id >> placeBits, swept))
    val words = new ForwardedMemory(1 << placeBits, resets.number, address, address)
    def late[T <: Data](x: T): T = Delay(x, writeAt)
    val place = UIntToOh(late(id(0, placeBits bits))).asUInt.andMask(Delay(isOwn, writeAt, init = False))
    words.isWrite := Delay(True, writeAt, init = False)
    words.written := (words.value | place).andMask(late(isFilled))
    RegNext((~words.value & place).orR, init = False)
  }

  private val count = Reg(UInt(idBits + 1 bits)) init 0
  private val ends = RegNext(isEnd, init = False)
  count := Mux(ends, U(0), count) + U(isNew.orR)
  io.m_count.valid := RegNext(ends, init = False)
  io.m_count.payload := RegNextWhen(count, ends)
}
