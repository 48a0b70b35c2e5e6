// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.boards

import sluice.Config
import sluice.packet.PortDatapath
import sluice.tile.TileConfig
import spinal.core._
import spinal.lib._
import spinal.lib.blackbox.lattice.ecp5.{EHXPLLL, EHXPLLLConfig}

object VersaEcp5 extends Board("lattice-versa-ecp5") {
  def top(tile: TileConfig, bufferBytes: Int): BoardTop = new VersaEcp5(tile, bufferBytes)
}

/** Lattice's Versa board for the ECP5 (LFE5UM5G-45F or LFE5UM-45F), with the ports of `constraints/lattice-versa-ecp5.lpf`: a
  * [[BumpInTheWire]] with registers on the serial line of its USB socket.
  *
  * Its PHYs (Marvell 88E1512) delay their clocks themselves. They are held in reset for 17 ms, where they ask for 10, and then
  * negotiate a link on their own; nobody manages them.
  */
class VersaEcp5(config: TileConfig, bufferBytes: Int) extends BoardTop {
  val io = new Bundle {
    val clk100, rst_n = in(Bool())
    val led = out(Bits(8 bits)) // lit when low
    val uart_rx = in(Bool())
    val uart_tx = out(Bool())
    val eth0, eth1 = master(Rgmii())
    val eth0_rst_n, eth1_rst_n, eth0_mdc, eth1_mdc = out(Bool())
  }
  noIoPrefix()

  val pll = EHXPLLL(EHXPLLLConfig(100 MHz, mDiv = 4, fbDiv = 5, opDiv = 5, fbPath = EHXPLLLConfig.CLKOP))
  pll.io.CLKI := io.clk100
  pll.io.CLKFB := pll.io.CLKOP
  pll.io.ENCLKOP := True
  for (unused <- Seq(pll.io.ENCLKOS, pll.io.ENCLKOS2, pll.io.ENCLKOS3, pll.io.STDBY, pll.io.RST, pll.io.PLLWAKESYNC))
    unused := False
  for (unused <- Seq(pll.io.PHASESEL0, pll.io.PHASESEL1, pll.io.PHASEDIR, pll.io.PHASESTEP, pll.io.PHASELOADREG))
    unused := False

  pll.setDefinitionName("EHXPLLL")

  private val clock =
    ClockDomain(pll.io.CLKOP, config = Config.clockDomain, frequency = FixedFrequency(pll.config.clkopFreq))
  private val isReset = ResetCtrl.asyncAssertSyncDeassert(!pll.io.LOCK || !io.rst_n, clock, HIGH, HIGH)

  val onClock = new ClockingArea(clock.copy(reset = isReset)) {
    val bump = new BumpInTheWire(config, bufferBytes, RgmiiDelays(receive = 0, transmit = 0))
    bump.io.eth0 <> io.eth0
    bump.io.eth1 <> io.eth1
    bump.io.uart.rxd := io.uart_rx
    io.uart_tx := bump.io.uart.txd

    val sinceReset = Reg(UInt(21 bits)) init 0 // 17 ms at 125 MHz
    val isAwake = RegInit(False) setWhen sinceReset.andR
    sinceReset := sinceReset + 1
    io.eth0_rst_n := isAwake
    io.eth1_rst_n := isAwake
    io.eth0_mdc := False
    io.eth1_mdc := False

    // A lamp stays lit for 34 ms after what it tells of.
    val tick = CounterFreeRun(1 << 21).willOverflow
    private def lamp(isSeen: Bool): Bool = {
      val left = Reg(UInt(2 bits)) init 0
      when(tick && left =/= 0)(left := left - 1)
      when(isSeen)(left := 3)
      left =/= 0
    }
    val beat = RegInit(False) toggleWhen CounterFreeRun(62500000).willOverflow // each half second
    val seen = bump.io.seen
    io.led := RegNext(
      ~Cat(Seq(beat, isAwake, False) ++ Seq(seen.input, seen.output, seen.back, seen.drop, seen.mark).map(lamp))
    )
  }

  def datapath: PortDatapath = onClock.bump.datapath
}
