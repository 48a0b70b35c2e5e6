// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.blocks.state.FreeTime
import sluice.packet._
import sluice.tile.BusCrossing
import spinal.core._
import spinal.lib._

/** A direction through OpenNIC's 250 MHz box: where its frames come from, where they go, and the `tuser_dst` that says so. */
case class Route(from: String, to: String, dst: Int)

object Route {
  private val firstMac = 6

  /** The TX adapter drops what does not bear the bit of its MAC. */
  val toWire: Route = Route("s_axis_qdma_h2c", "m_axis_adap_tx_250mhz", 1 << firstMac)
  val toHost: Route = Route("s_axis_adap_rx_250mhz", "m_axis_qdma_c2h", 1)
}

/** A user plugin of OpenNIC's 250 MHz box for one MAC port and one PCIe function: a datapath in one direction, none in the other.
  *
  * Frames and the datapath are on `axis_aclk`, 250 MHz; registers and the reset are on `axil_aclk`, 125 MHz. `mod_rstn` asks for a
  * reset by one clock of 0, `mod_rst_done` says that it is over. The FPGA's configuration asks for one too. Nothing else of the
  * shell is reset then, so a [[ResetGuard]] stands around the datapath, and the other direction goes on.
  */
class OpenNicBox(config: DatapathConfig, queued: Route, straight: Route) extends Component {
  val io = new Bundle {
    val axis_aclk, axil_aclk = in(Bool())
    val mod_rstn = in(Bool())
    val mod_rst_done = out(Bool())
    val s_axil = slave(ShellRegisters(addressBits = 32, hasStrobes = false))
    val input, passing = slave(Stream(BoxBeat()))
    val output, passed = master(Stream(BoxBeat()))
  }
  noIoPrefix()
  io.s_axil.name(signal => s"s_axil_$signal")
  BoxBeat.name(queued.from, io.input)
  BoxBeat.name(queued.to, io.output)
  BoxBeat.name(straight.from, io.passing)
  BoxBeat.name(straight.to, io.passed)

  private val booted = ClockDomainConfig(resetKind = BOOT)
  private val hostAlways = ClockDomain(io.axil_aclk, config = booted)
  private val always = ClockDomain(io.axis_aclk, config = booted)

  val onHostReset = new ClockingArea(hostAlways) {
    val left = Reg(UInt(7 bits)) init OpenNicBox.resetCycles
    when(!io.mod_rstn)(left := OpenNicBox.resetCycles).elsewhen(left =/= 0)(left := left - 1)
    val isReset = RegNext(left =/= 0) init True
    io.mod_rst_done := left === 0
  }

  val onReset = new ClockingArea(always) {
    val isReset = BufferCC(onHostReset.isReset, init = True)
  }

  private val host = ClockDomain(io.axil_aclk, onHostReset.isReset)
  private val here = ClockDomain(io.axis_aclk, onReset.isReset)

  val onDatapath = new ClockingArea(here) {
    val datapath = new Datapath(config)
    datapath.io.now_ns := FreeTime(periodNs = 4)
  }
  private val datapath = onDatapath.datapath

  val registers = new BusCrossing(io.s_axil.toAxiLite, host, datapath.io.s_axil, here)

  val onFrames = new ClockingArea(always) {
    val guard = new ResetGuard
    guard.io.isReset := onReset.isReset
    guard.io.fromShell << io.input
    datapath.io.s_axis << guard.io.toDatapath.map(_.toBeat)
    guard.io.fromDatapath << datapath.io.m_axis.map(BoxBeat.of(_, queued.dst))
    io.output << guard.io.toShell

    io.passed << io.passing
      .map { beat =>
        val routed = CombInit(beat)
        routed.dst.removeAssignments() := straight.dst
        routed
      }
      .pipelined(StreamPipe.FULL)
  }
}

object OpenNicBox {
  val resetCycles = 100 // of the slower clock
}

/** The box with its queue in one of the directions. */
class OpenNicShell(name: String, where: String, queued: Route, straight: Route)
    extends Shell(name, where, BoxBeat.dataBits, BoxBeat.band) {
  def wrapper(datapath: DatapathConfig): Component = new OpenNicBox(datapath, queued, straight)
}

object OpenNicToWire
    extends OpenNicShell("opennic-tx", "OpenNIC's 250 MHz box, host to wire", Route.toWire, Route.toHost)
object OpenNicToHost
    extends OpenNicShell("opennic-rx", "OpenNIC's 250 MHz box, wire to host", Route.toHost, Route.toWire)
