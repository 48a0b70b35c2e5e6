// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package registers

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** What is asked of the registers: one word, to be read or written. `strobe` says which bytes a write carries, `offset` how many bytes
  * behind the word's first the address is: there is nothing to read or write where that is not 0.
  */
case class Access() extends Bundle {
  val isWrite = Bool()
  val word = UInt(RegisterMap.addressBits - 2 bits)
  val offset = UInt(2 bits)
  val data = Bits(32 bits)
  val strobe = Bits(4 bits)
}

/** What came of an access: the word that was read, or that there is no such word to read or to write so. */
case class Answer() extends Bundle {
  val data = Bits(32 bits)
  val isError = Bool()
}

/** A host's AXI4-Lite as accesses one after the other, reads and writes by turns where both wait. Every output comes from a
  * register, so that nothing of the bus goes through, and an answer that the host does not take holds up its own channel only.
  *
  * @param mostCycles
  *   clocks that an access may take, at least; one that has no answer by then never has one, and is answered as refused
  */
class HostPort(mostCycles: Int) extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(RegisterMap.bus))
    val access = master(Stream(Access()))
    val answer = slave(Flow(Answer())) // to the access that was taken last, before the next is
    val mayWrite = in(Bool()) // writes wait otherwise; from a register
    val isGivenUp = out(Bool()) // an access has no answer
  }

  val aw = io.axil.aw.halfPipe()
  val w = io.axil.w.halfPipe()
  val ar = io.axil.ar.halfPipe()

  val isWrite = Reg(Bool()) init False // the access that was taken last
  val isUnderWay = RegInit(False)
  val waited = Reg(UInt(log2Up(mostCycles) + 1 bits)) init 0
  when(isUnderWay)(waited := waited + 1) otherwise (waited := 0)
  private val isGivenUp = waited.msb
  io.isGivenUp := isGivenUp && isUnderWay
  private val isAnswered = isUnderWay && (io.answer.valid || isGivenUp)
  isUnderWay setWhen io.access.fire clearWhen isAnswered
  private val hasWritten = isAnswered && isWrite
  private val hasRead = isAnswered && !isWrite
  val written = RegInit(False) setWhen hasWritten clearWhen io.axil.b.fire
  val read = RegInit(False) setWhen hasRead clearWhen io.axil.r.fire

  private val canWrite = aw.valid && w.valid && !written && io.mayWrite
  private val canRead = ar.valid && !read
  io.access.valid := !isUnderWay && (canWrite || canRead)
  io.access.isWrite := canWrite && !(canRead && isWrite)
  private val address = Mux(io.access.isWrite, aw.addr, ar.addr)
  io.access.word := address >> 2
  io.access.offset := address(1 downto 0)
  io.access.data := w.data
  io.access.strobe := w.strb
  private val takesWrite = io.access.fire && io.access.isWrite
  aw.ready := takesWrite
  w.ready := takesWrite
  ar.ready := io.access.fire && !io.access.isWrite
  when(io.access.fire)(isWrite := io.access.isWrite)

  private def response(isHere: Bool): Bits =
    RegNextWhen(Mux(io.answer.isError || isGivenUp, AxiLite4.resp.SLVERR, AxiLite4.resp.OKAY), isHere)
  io.axil.b.valid := written
  io.axil.b.resp := response(hasWritten)
  io.axil.r.valid := read
  io.axil.r.resp := response(hasRead)
  io.axil.r.data := RegNextWhen(io.answer.data, hasRead)
}
