// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.tile.registers._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** What happens at NetFPGA's output queues in a clock, a bit for each port. A frame that goes to several ports is stored or dropped at
  * all of them in the same clock, and no other frame is.
  */
case class QueueEvents(ports: Int) extends Bundle {
  val arrived = Bool() // the last beat of a frame, wherever it goes
  val stored, dropped = Bits(ports bits)
  val bytes = UInt(16 bits) // of the frame that is stored or dropped
  val removed = Bits(ports bits) // the first beat of a frame has left
  val removedBytes = Vec.fill(ports)(UInt(16 bits))
  val left = Bits(ports bits) // and the last one
}

/** The registers of NetFPGA's output queues, at the shell's own addresses, and behind them a window on those of the datapaths.
  *
  * In the first 2 KiB are the shell's words, and `PAGE` at their end, which no shell has. The other 2 KiB are half of the registers
  * of a port's datapath: `PAGE` bits 2:0 say which port's, bit 3 says which half.
  *
  * The shell's counters have 31 bits, and a bit that stays when they wrap; they begin anew when they are read, and all of them when
  * `RESET` is written, and what comes in that clock counts from then on. `PKTINQUEUE` is no count, so neither changes it.
  */
class QueueRegisters(ports: Int) extends Component {
  import QueueRegisters._

  val io = new Bundle {
    val axil = slave(AxiLite4(RegisterMap.bus))
    val datapaths = Vec.fill(ports)(master(AxiLite4(RegisterMap.bus)))
    val events = in(QueueEvents(ports))
  }

  /** A word of the shell: whether the access is to it, and what is read there. */
  case class Word(isHit: Bool, value: Bits, isWritable: Boolean)

  val host = new HostPort(mostCycles = 2 * TileRegisters.mostBusy) // as long as a datapath's registers may take
  host.io.axil << io.axil
  host.io.mayWrite := True

  // An access waits here while its words are found, and until it is answered.
  val asked = host.io.access.toFlow.stage()
  val isNow = RegNext(asked.valid, init = False)
  val access = RegNextWhen(asked.payload, asked.valid)
  private val isWindow = access.word.msb
  private def isAt(address: Int): Bool =
    RegNext(asked.valid && asked.word === (address >> 2) && asked.offset === 0, init = False)
  private val isWhole = access.isWrite && access.strobe.andR

  val onWords = new Area {
    val flip, debug = Reg(Bits(32 bits)) init 0
    val page = Reg(UInt(4 bits)) init 0
    private val isReset = isAt(Address.reset)
    private val clears = isReset && isWhole && (access.data(0) || access.data(4))

    private def settable(address: Int, value: BaseType, shown: Bits): Word = {
      val isHit = isAt(address)
      when(isHit && isWhole)(value.assignFromBits(access.data.resize(value.getBitsWidth)))
      Word(isHit, shown, isWritable = true)
    }
    private def counter(address: Int, amount: UInt): Word = {
      val isHit = isAt(address)
      val count = Reg(UInt(31 bits)) init 0
      val hasWrapped = RegInit(False)
      val begins = clears || (isHit && !access.isWrite)
      val sum = Mux(begins, U(0), count) +^ amount
      count := sum.resized
      hasWrapped := (hasWrapped && !begins) || sum.msb
      Word(isHit, hasWrapped ## count, isWritable = false)
    }
    private def level(address: Int, rises: Bool, falls: Bool): Word = {
      val count = Reg(UInt(31 bits)) init 0
      count := count + U(rises) - U(falls)
      Word(isAt(address), count.asBits.resize(32), isWritable = false)
    }

    val words: Seq[Word] = Seq(
      Word(isAt(Address.id), B(id, 32 bits), isWritable = false),
      Word(isAt(Address.version), B(version, 32 bits), isWritable = false),
      Word(isReset, B(0, 32 bits), isWritable = true),
      settable(Address.flip, flip, ~flip),
      settable(Address.debug, debug, debug),
      settable(Address.page, page, page.asBits.resize(32)),
      counter(Address.packetsIn, U(io.events.arrived)),
      counter(Address.packetsOut, CountOne(io.events.left))
    ) ++ (0 until ports).flatMap { port =>
      import io.events._
      val base = Address.port(port)
      Seq(
        counter(base, U(stored(port))),
        counter(base + 0x04, bytes.andMask(stored(port))),
        counter(base + 0x08, U(removed(port))),
        counter(base + 0x0c, removedBytes(port).andMask(removed(port))),
        counter(base + 0x10, U(dropped(port))),
        counter(base + 0x14, bytes.andMask(dropped(port))),
        level(base + 0x18, rises = stored(port), falls = removed(port))
      )
    }
  }

  val onWindow = new Area {
    private val port = onWords.page(2 downto 0)
    private val isHere = isNow && isWindow
    private val request = AxiLite4Ax(RegisterMap.bus)
    request.addr := (onWords.page(3) ## access.word.dropHigh(1) ## access.offset).asUInt
    request.prot := 0
    for ((bus, i) <- io.datapaths.zipWithIndex) {
      val isIts = isHere && port === i
      bus.aw.valid := RegInit(False) setWhen (isIts && access.isWrite) clearWhen bus.aw.fire
      bus.w.valid := RegInit(False) setWhen (isIts && access.isWrite) clearWhen bus.w.fire
      bus.ar.valid := RegInit(False) setWhen (isIts && !access.isWrite) clearWhen bus.ar.fire
      bus.aw.payload := request
      bus.ar.payload := request
      bus.w.data := access.data
      bus.w.strb := access.strobe
      bus.b.ready := True
      bus.r.ready := True
    }
    private val written = io.datapaths.map(_.b)
    private val read = io.datapaths.map(_.r)
    val isNobodys = isHere && !(port < ports)
    val isAnswered = (written.map(_.valid) ++ read.map(_.valid)).orR
    val data = read.map(r => r.data.andMask(r.valid)).reduce(_ | _)
    val isRefused = (written.map(b => b.valid && b.resp =/= AxiLite4.resp.OKAY) ++
      read.map(r => r.valid && r.resp =/= AxiLite4.resp.OKAY)).orR
  }

  val onAnswer = new Area {
    private val isOwn = isNow && !isWindow
    private val known = onWords.words.map(word => word.isHit && (Bool(word.isWritable) && isWhole || !access.isWrite))
    val valid = RegNext(isOwn || onWindow.isNobodys || onWindow.isAnswered, init = False)
    val answer = Answer()
    answer.data := onWords.words.map(word => word.value.andMask(word.isHit)).reduceBalancedTree(_ | _) | onWindow.data
    answer.isError := (isOwn && !known.orR) || onWindow.isNobodys || onWindow.isRefused
    host.io.answer.valid := valid
    host.io.answer.payload := RegNext(answer)
  }
}

object QueueRegisters {
  private val id = 0xda03 // as the shell's own module says
  private val version = 1

  private object Address {
    val id = 0x00
    val version = 0x04
    val reset = 0x08
    val flip = 0x0c
    val debug = 0x10
    val packetsIn = 0x14
    val packetsOut = 0x18
    def port(i: Int): Int = 0x1c * (i + 1)
    val page = 0x7fc
  }
}
