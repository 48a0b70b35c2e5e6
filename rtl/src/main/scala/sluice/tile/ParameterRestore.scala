// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._
import spinal.lib.fsm._

/** Stands before the register bank and puts the staged parameters back to the values in force after a set was refused: it reads
  * each parameter's word, which shows the value in force, and writes it back, which stages it. That costs a few hundred clocks
  * that nobody waits for, instead of a multiplexer before every bit. The host's accesses wait meanwhile, its writes also while
  * a set is being applied.
  */
class ParameterRestore(words: Seq[Word]) extends Component {
  private val config = AxiLite4Config(RegisterMap.addressBits, 32)
  val io = new Bundle {
    val host = slave(AxiLite4(config))
    val bank = master(AxiLite4(config))
    val start = in(Bool())
    val isBusy = in(Bool())
    val isRestoring = out(Bool())
    // In front of the bank's read address by two clocks; stands until the next read begins, which is after the answer.
    val readAddress = out(UInt(RegisterMap.addressBits bits))
    // A clock before it: the four words that it is among.
    val nextLine = master(Flow(UInt(RegisterMap.addressBits - 4 bits)))
  }
  private val first = words.head.address
  private val last = words.last.address

  val address = Reg(UInt(RegisterMap.addressBits bits))
  val value = Reg(Bits(32 bits))
  val quiet = Reg(UInt(3 bits)) // clocks in which the bank has answered nothing

  private val read = Flow(AxiLite4Ax(config)) // to the bank three clocks later: the host's request or our own
  io.bank.aw << io.host.aw
  io.bank.w << io.host.w
  // Only one read is under way, so that none of these registers ever has to wait for the next.
  private val early = read.m2sPipe(holdPayload = true)
  io.nextLine << read.map(_.addr >> 4)
  io.readAddress := early.addr
  io.bank.ar << early.m2sPipe(holdPayload = true).toStream.m2sPipe(holdPayload = true)
  io.host.r << io.bank.r
  io.host.b << io.bank.b
  read.payload := io.host.ar.payload

  // One read at a time, so that its address stays in front of the bank until it is answered.
  val isReading = RegInit(False) setWhen read.valid clearWhen io.bank.r.fire
  private def drive(signal: Bool, value: Bool): Unit = signal.allowOverride() := value

  // Address and data of a write pass together, so that none is left alone in the bank when a restore begins.
  val passes = Bool() // new requests of the host
  val answers = Bool() // answers to the host
  val isWrite = io.host.aw.valid && io.host.w.valid && io.bank.aw.ready && io.bank.w.ready && passes && !io.isBusy
  Seq(io.bank.aw.valid, io.bank.w.valid, io.host.aw.ready, io.host.w.ready).foreach(drive(_, isWrite))
  io.host.ar.ready := passes && !isReading
  read.valid := io.host.ar.valid && io.host.ar.ready

  val sequence = new StateMachine {
    val serving, settling, reading, taking, writing, confirming = State()
    setEntry(serving)
    passes := isActive(serving)
    answers := isActive(serving) || isActive(settling)

    serving.whenIsActive(when(io.start) {
      quiet := 0
      goto(settling)
    })
    settling.whenIsActive { // what the host has under way ends first
      quiet := Mux(io.bank.r.valid || io.bank.b.valid, U(0), quiet + 1)
      address := first
      when(quiet.andR)(goto(reading))
    }
    reading.whenIsActive {
      read.valid := True
      goto(taking)
    }
    taking.whenIsActive {
      value := io.bank.r.data
      when(io.bank.r.valid)(goto(writing))
    }
    writing.whenIsActive {
      io.bank.aw.valid := True
      io.bank.w.valid := True
      when(io.bank.aw.ready && io.bank.w.ready)(goto(confirming))
    }
    confirming.whenIsActive(when(io.bank.b.valid) {
      address := address + 4
      when(address === last)(goto(serving)) otherwise goto(reading)
    })
  }
  io.isRestoring := !sequence.isActive(sequence.serving)

  when(!answers) {
    read.addr := address
    io.bank.aw.addr := address
    io.bank.w.data := value
    io.bank.r.ready := True
    io.bank.b.ready := True
    io.host.r.valid := False
    io.host.b.valid := False
  }
}
