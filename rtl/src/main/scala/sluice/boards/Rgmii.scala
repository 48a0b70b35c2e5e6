// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.boards

import spinal.core._
import spinal.lib._
import spinal.lib.blackbox.lattice.ecp5.{IDDRX1F, ODDRX1F}

/** Pins of an RGMII PHY (RGMII 2.0), as the FPGA sees them. At 1 Gbit/s both clocks are of 125 MHz, and each edge of them moves
  * four bits: with the rising one bits 3:0, with the falling one bits 7:4 of a byte.
  */
case class Rgmii() extends Bundle with IMasterSlave {
  val rx_clk, rx_ctl = Bool()
  val rx_data = Bits(4 bits)
  val tx_clk, tx_ctl = Bool()
  val tx_data = Bits(4 bits)

  override def asMaster(): Unit = {
    in(rx_clk, rx_ctl, rx_data)
    out(tx_clk, tx_ctl, tx_data)
  }
}

/** What RGMII moves in one clock: a byte of a frame with its preamble, or of what the PHY says between frames. */
case class Symbol() extends Bundle {
  val isFrame = Bool()
  val isError = Bool() // RX_ER or TX_ER
  val data = Bits(8 bits)
}

/** ECP5's delay between a pin and its logic: `steps` of about 25 ps, at most 127. */
class DELAYG(steps: Int) extends BlackBox {
  setDefinitionName("DELAYG") // or it would get the top's name before it
  addGeneric("DEL_MODE", "USER_DEFINED")
  addGeneric("DEL_VALUE", steps)
  val A = in(Bool())
  val Z = out(Bool())
}

/** Delays of a board between clock and data, in steps of [[DELAYG]]. Both are 0 where the PHY delays its own receive clock and the
  * transmit clock that it is given ("RGMII-ID"), so that either samples data in their middle.
  *
  * @param receive
  *   of the data that come in
  * @param transmit
  *   of the clock that goes out
  */
case class RgmiiDelays(receive: Int, transmit: Int)

/** Receive pins to symbols, in the domain of the receive clock. A symbol is there two clocks after its rising edge. */
class RgmiiReceiver(delays: RgmiiDelays) extends Component {
  val io = new Bundle {
    val ctl = in(Bool())
    val data = in(Bits(4 bits))
    val symbol = out(Symbol())
  }

  private def halves(pin: Bool): (Bool, Bool) = {
    val delay = new DELAYG(delays.receive)
    val cell = IDDRX1F().setDefinitionName("IDDRX1F")
    delay.A := pin
    cell.D := delay.Z
    (RegNext(cell.Q0), RegNext(cell.Q1))
  }

  private val data = io.data.asBools.map(halves)
  private val (isFrame, isFrameXorError) = halves(io.ctl)
  io.symbol.data := Cat(data.map(_._1) ++ data.map(_._2))
  io.symbol.isFrame := isFrame
  io.symbol.isError := isFrame ^ isFrameXorError
}

/** Symbols to transmit pins, in the domain whose clock the PHY gets. Between frames the pins are low. */
class RgmiiTransmitter(delays: RgmiiDelays) extends Component {
  val io = new Bundle {
    val symbol = in(Symbol())
    val clk, ctl = out(Bool())
    val data = out(Bits(4 bits))
  }

  private def pin(rising: Bool, falling: Bool): Bool = {
    val cell = ODDRX1F().setDefinitionName("ODDRX1F")
    cell.D0 := rising
    cell.D1 := falling
    cell.Q
  }

  private val data = RegNext(io.symbol.data.andMask(io.symbol.isFrame))
  private val isFrame = RegNext(io.symbol.isFrame) init False
  private val isError = RegNext(io.symbol.isFrame && io.symbol.isError) init False
  private val delay = new DELAYG(delays.transmit)
  delay.A := pin(True, False)
  io.clk := delay.Z
  io.ctl := pin(isFrame, isFrame ^ isError)
  for (i <- 0 until 4) io.data(i) := pin(data(i), data(i + 4))
}
