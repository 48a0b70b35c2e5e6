// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.boards

import sluice.tile.registers.RegisterMap
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._
import spinal.lib.com.uart._

/** An AXI4-Lite host that a computer speaks to over a serial line of 8 data bits, no parity, one stop bit.
  *
  * A command is two bytes, the first with bit 7 for a write and bits 11:8 of the address, the second with bits 7:0; a write has four
  * more, the word from its lowest byte on. The answer to either is a byte with AXI's response, 0 or 2 for an error, and to a read the
  * word. The next command may come when the answer has. A break of 30 bits or more forgets what there is of a
  * command.
  */
class UartHost(baud: HertzNumber) extends Component {
  val io = new Bundle {
    val uart = master(Uart())
    val m_axil = master(AxiLite4(RegisterMap.bus))
  }

  val line = new UartCtrl
  line.io.config.setClockDivider(baud)
  line.io.config.frame.dataLength := 7 // one less than there are
  line.io.config.frame.parity := UartParityType.NONE
  line.io.config.frame.stop := UartStopType.ONE
  line.io.writeBreak := False
  io.uart <> line.io.uart

  val onCommand = new Area {
    val bytes = Vec.fill(6)(Reg(Bits(8 bits)))
    val count = Reg(UInt(3 bits)) init 0
    val isWrite = bytes(0).msb
    val isWhole = count === Mux(isWrite, U(6), U(2))
    val isGiven = RegInit(False) // to the bus
    line.io.read.ready := !isWhole
    when(line.io.read.fire) {
      bytes(count) := line.io.read.payload
      count := count + 1
    }
    when(line.io.readBreak && !isWhole)(count := 0)
    val start = isWhole && !isGiven
    isGiven setWhen start
  }

  val onBus = new Area {
    import onCommand._
    private val bus = io.m_axil
    private val address = Cat(bytes(0)(3 downto 0), bytes(1)).asUInt
    private def offer[T <: Data](channel: Stream[T], isAsked: Bool): Unit =
      channel.valid := RegInit(False) setWhen isAsked clearWhen channel.fire
    for (channel <- Seq(bus.aw, bus.ar)) {
      channel.addr := address
      channel.prot := B(0, 3 bits)
    }
    bus.w.data := Cat(bytes.drop(2))
    bus.w.strb.setAll()
    offer(bus.aw, start && isWrite)
    offer(bus.w, start && isWrite)
    offer(bus.ar, start && !isWrite)
    bus.b.ready := True
    bus.r.ready := True
  }

  val onAnswer = new Area {
    val bytes = Reg(Bits(40 bits))
    val count = Reg(UInt(3 bits)) init 0
    line.io.write.valid := count =/= 0
    line.io.write.payload := bytes(7 downto 0)
    when(line.io.write.fire) {
      bytes := bytes |>> 8
      count := count - 1
      when(count === 1) {
        onCommand.count := 0
        onCommand.isGiven := False
      }
    }
    when(io.m_axil.b.fire) {
      bytes := io.m_axil.b.resp.resized
      count := 1
    }
    when(io.m_axil.r.fire) {
      bytes := io.m_axil.r.data ## io.m_axil.r.resp.resize(8)
      count := 5
    }
  }
}
