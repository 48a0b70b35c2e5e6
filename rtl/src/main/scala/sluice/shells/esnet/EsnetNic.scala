// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells
package esnet

import sluice.blocks.state.FreeTime
import sluice.packet._
import sluice.tile.BusCrossing
import sluice.tile.registers.HostPort
import spinal.core._
import spinal.lib._

/** ESnet SmartNIC's application as a NIC with queues: what a MAC receives goes to the PCIe function of its number, and what that one
  * sends goes to the MAC, through a datapath in each direction.
  *
  * The shell's FIFOs behind the application do not wait, they drop. Each says by `egr_flow_ctl` that it is filled to a level which
  * the host sets, and no frame begins then. So the queue stands in the datapath.
  *
  * Frames are on `core_clk`, 343.75 MHz; registers on `axil_aclk`, 125 MHz. All resets are of one source, those of the neighbours
  * too. The time of the shell is the host's to set, so it is not taken.
  */
class EsnetNic(config: DatapathConfig) extends Component {
  import EsnetNic._
  import EsnetStreams.{from, function, idle, mac, place, to}

  val io = new Bundle {
    val core_clk, core_srst = in(Bool())
    val axil_aclk, axil_aresetn, app_axil_aresetn = in(Bool())
    val timestamp = in(Bits(64 bits))
    val egr_flow_ctl = in(Bits(2 * macs bits)) // of the FIFOs to the MACs, then of those to the host
    val processors, datapaths = slave(ShellRegisters(addressBits = 32, hasStrobes = true))
  }
  noIoPrefix()
  for ((port, bus) <- Seq("axil" -> io.processors, "app_axil" -> io.datapaths)) {
    bus.name(signal => s"${port}_$signal")
    for (channel <- Seq("aw", "ar")) in(Bits(3 bits)).setName(s"${port}_${channel}prot")
  }

  private val lowReset = ClockDomainConfig(resetKind = SYNC, resetActiveLevel = LOW)
  private val here = ClockDomain(io.core_clk, io.core_srst)
  private val host = ClockDomain(io.axil_aclk, io.app_axil_aresetn, config = lowReset)

  val fromMacs: Seq[Stream[Beat]] = from("axis_app_igr", macs)
  val fromHost: Seq[Stream[Beat]] = from("axis_h2c", hostStreams) // those of the functions come first

  val onFrames = new ClockingArea(here) {
    val nowNs = FreeTime(ns = 32, clocks = 11)
    val datapaths = Seq.fill(2 * macs)(new Datapath(config))
    val queued = datapaths.zip(fromHost.take(macs) ++ fromMacs).zipWithIndex.map { case ((datapath, input), i) =>
      datapath.io.now_ns := nowNs
      datapath.io.s_axis << input
      val output = datapath.io.m_axis
      val isFirst = RegNextWhen(output.last, output.fire) init True
      output.haltWhen(isFirst && io.egr_flow_ctl(i)).m2sPipe()
    }
    private val (toMacs, toFunctions) = queued.splitAt(macs)
    for (other <- fromHost.drop(macs)) other.ready := True

    to("axis_app_egr", toMacs.zipWithIndex.map { case (stream, port) => stream -> place(mac, port) })
    to(
      "axis_c2h",
      toFunctions.zipWithIndex.map { case (stream, port) => stream -> place(function, port) } ++
        Seq.fill(hostStreams - macs)(idle -> 0)
    )
  }

  val onRegisters = new ClockingArea(here) {
    val windows = new RegisterWindows(2 * macs, windowBits)
    for ((bus, datapath) <- windows.io.datapaths.zip(onFrames.datapaths)) datapath.io.s_axil << bus
  }
  private val bus = onRegisters.windows.io.axil
  val crossing = new BusCrossing(io.datapaths.toAxiLite(bus.config), host, bus, here)

  /** There are no P4 processors: every access to them is refused. */
  val onProcessors = new ClockingArea(ClockDomain(io.axil_aclk, io.axil_aresetn, config = lowReset)) {
    val port = new HostPort(mostCycles = 4)
    port.io.axil << io.processors.toAxiLite
    port.io.mayWrite := True
    port.io.access.ready := True
    port.io.answer.valid := RegNext(port.io.access.fire, init = False)
    port.io.answer.data := 0
    port.io.answer.isError := True
  }
}

object EsnetNic extends Shell("esnet", "ESnet SmartNIC's application", EsnetStreams.dataBits, EsnetStreams.band) {
  private val macs = 2
  private val hostInterfaces = 3 // a function and two virtual ones for each MAC
  private val hostStreams = hostInterfaces * macs
  private val windowBits = 16

  def wrapper(datapath: DatapathConfig): Component = new EsnetNic(datapath)

  override def adapter(wrapper: Component): Option[(String, String)] = Some(
    ShellModule(
      "smartnic_app",
      wrapper,
      fixed = Seq("HOST_NUM_IFS" -> hostInterfaces, "NUM_PORTS" -> macs, "NUM_P4_PROC" -> 2)
    )
  )
}
