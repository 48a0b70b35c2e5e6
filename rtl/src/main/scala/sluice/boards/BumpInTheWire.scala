// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.boards

import sluice.blocks.state.FreeTime
import sluice.contract.Action
import sluice.packet.PortDatapath
import sluice.tile.TileConfig
import spinal.core._
import spinal.lib._
import spinal.lib.com.eth._
import spinal.lib.com.uart.Uart

/** A datapath between two gigabit ports: what port 0 receives leaves port 1 as the AQM lets it, what port 1 receives leaves port 0
  * as it came, symbol by symbol.
  *
  * The current domain, of 125 MHz, is that of the datapath, and the transmit clock of port 1. Frames come into it from port 0's
  * receive clock; the datapath never lets its input wait, so that the few bytes of the FIFO are for the difference between both
  * clocks within a frame. The way back is all in port 1's receive clock, which is port 0's transmit clock, so that it has no need of gaps to
  * make up for a difference, and frames keep preamble, FCS and distance.
  */
class BumpInTheWire(config: TileConfig, bufferBytes: Int, delays: RgmiiDelays) extends Component {
  val io = new Bundle {
    val eth0, eth1 = master(Rgmii())
    val uart = master(Uart())
    val seen = out(Seen())
  }

  private val here = ClockDomain.current
  private def receiveClock(pins: Rgmii): ClockDomain = {
    val clock = here.copy(clock = pins.rx_clk, reset = null)
    clock.copy(reset = ResetCtrl.asyncAssertSyncDeassert(here.readResetWire, clock, HIGH, HIGH))
  }
  private val clock0 = receiveClock(io.eth0)
  private val clock1 = receiveClock(io.eth1)

  val datapath = new PortDatapath(config, bufferBytes)
  val host = new UartHost(921600 Hz)
  host.io.uart <> io.uart
  host.io.m_axil >> datapath.io.s_axil

  val now = FreeTime(periodNs = 8)
  datapath.io.now_ns := now

  val onInput = new Area {
    val received = new ClockingArea(clock0) {
      val pins = new RgmiiReceiver(delays)
      val mac = new MacReceiver
      pins.io.ctl := io.eth0.rx_ctl
      pins.io.data := io.eth0.rx_data
      mac.io.symbol := pins.io.symbol
    }
    val fifo = StreamFifoCC(Fragment(PhyRx(8)), depth = 32, clock0, here)
    fifo.io.push << received.mac.io.frame.toStream
    val frame = fifo.io.pop.toFlow
    val beat = datapath.io.input
    beat.valid := frame.valid
    beat.data := frame.data
    beat.keep := B(1, 1 bits)
    beat.last := frame.last
    beat.user := frame.error.asBits
  }

  val onOutput = new Area {
    val mac = new MacTransmitter
    val pins = new RgmiiTransmitter(delays)
    mac.io.frame.arbitrationFrom(datapath.io.output)
    mac.io.frame.data := datapath.io.output.data
    mac.io.frame.last := datapath.io.output.last
    pins.io.symbol := mac.io.symbol
    io.eth1.tx_clk := pins.io.clk
    io.eth1.tx_ctl := pins.io.ctl
    io.eth1.tx_data := pins.io.data
  }

  val onWayBack = new ClockingArea(clock1) {
    val receiver = new RgmiiReceiver(delays)
    val transmitter = new RgmiiTransmitter(delays)
    receiver.io.ctl := io.eth1.rx_ctl
    receiver.io.data := io.eth1.rx_data
    transmitter.io.symbol := receiver.io.symbol
    io.eth0.tx_clk := transmitter.io.clk
    io.eth0.tx_ctl := transmitter.io.ctl
    io.eth0.tx_data := transmitter.io.data
  }

  private val verdict = datapath.io.verdict
  io.seen.input := datapath.io.input.valid
  io.seen.output := datapath.io.output.valid
  io.seen.back := BufferCC(onWayBack.receiver.io.symbol.isFrame, init = False)
  io.seen.drop := verdict.valid && verdict.action === Action.DROP
  io.seen.mark := verdict.valid && verdict.action === Action.MARK
}

/** What happens, for lamps. */
case class Seen() extends Bundle {
  val input, output, back, drop, mark = Bool()
}
