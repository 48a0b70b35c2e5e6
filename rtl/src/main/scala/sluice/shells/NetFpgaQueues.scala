// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.blocks.state.FreeTime
import sluice.contract.Action
import sluice.packet._
import sluice.tile.BusCrossing
import spinal.core._
import spinal.lib._

/** NetFPGA's output queues: frames come in one stream and go to the ports that their `tuser` names. Each port has a datapath of its
  * own, with its AQM and its packet buffer, so what happens at a port changes nothing at another one.
  *
  * A frame that goes to several ports comes to all of their datapaths at once, and each decides for itself. Their latency is the same,
  * so their verdicts on it are of one clock.
  *
  * `axis_resetn` and `S_AXI_ARESETN` are low together, as are the resets of the neighbours.
  *
  * @param config
  *   of each port's datapath
  * @param destinations
  *   of each port, the bits of `tuser` that mean it
  * @param periodNs
  *   of `axis_aclk`
  */
class NetFpgaQueues(config: DatapathConfig, destinations: Seq[Seq[Int]], periodNs: Int) extends Component {
  require(!config.tile.needs.isAsked, s"${config.name}: the shell is not told of what is dropped in the queue")
  private val ports = destinations.size

  val io = new Bundle {
    val axis_aclk, axis_resetn = in(Bool())
    val S_AXI_ACLK, S_AXI_ARESETN = in(Bool())
    val input = slave(Stream(QueueBeat(config.dataBits)))
    val outputs = Vec.fill(ports)(master(Stream(QueueBeat(config.dataBits))))
    val registers = slave(ShellRegisters(addressBits = 12, hasStrobes = true))
    val pkt_stored, pkt_dropped = out(Bits(ports bits))
    val bytes_stored, bytes_dropped = out(UInt(32 bits))
    val pkt_removed = out(Vec.fill(ports)(Bool()))
    val bytes_removed = out(Vec.fill(ports)(UInt(32 bits)))
  }
  noIoPrefix()
  QueueBeat.name("s_axis", io.input)
  for ((output, i) <- io.outputs.zipWithIndex) QueueBeat.name(s"m_axis_$i", output)
  io.registers.name(signal => s"S_AXI_${signal.toUpperCase}")

  private val lowReset = ClockDomainConfig(resetKind = SYNC, resetActiveLevel = LOW)
  private val here = ClockDomain(io.axis_aclk, io.axis_resetn, config = lowReset)
  private val host = ClockDomain(io.S_AXI_ACLK, io.S_AXI_ARESETN, config = lowReset)

  val onFrames = new ClockingArea(here) {
    val nowNs = FreeTime(periodNs)
    val datapaths = Seq.fill(ports)(new Datapath(config))

    // A frame's first beat says where it goes.
    val isFirst = RegNextWhen(io.input.last, io.input.fire) init True
    private val named = Cat(destinations.map(_.map(bit => io.input.user(bit)).orR))
    val wanted = Mux(isFirst, named, RegNextWhen(named, io.input.fire && isFirst))
    io.input.ready := datapaths.map(_.io.s_axis.ready).andR
    for ((datapath, i) <- datapaths.zipWithIndex) {
      datapath.io.now_ns := nowNs
      datapath.io.s_axis.valid := io.input.fire && wanted(i)
      datapath.io.s_axis.payload := io.input.toBeat
      io.outputs(i) << datapath.io.m_axis.map(QueueBeat.of)
    }
  }

  val onEvents = new ClockingArea(here) {
    private val verdicts = onFrames.datapaths.map(_.io.m_verdict)
    private def judged(isDrop: Bool => Bool): Bits =
      Cat(verdicts.map(verdict => verdict.valid && isDrop(verdict.verdict.action === Action.DROP)))

    val events = QueueEvents(ports)
    events.arrived := RegNext(io.input.fire && io.input.last, init = False)
    events.stored := RegNext(judged(!_)) init 0
    events.dropped := RegNext(judged(isDrop => isDrop)) init 0
    events.bytes := RegNext(verdicts.map(v => QueueBeat.bytes(v.side.user).andMask(v.valid)).reduce(_ | _))
    for ((output, i) <- io.outputs.zipWithIndex) {
      val isFirst = RegNextWhen(output.last, output.fire) init True
      events.removed(i) := RegNext(output.fire && isFirst, init = False)
      events.removedBytes(i) := RegNext(QueueBeat.bytes(output.user))
      events.left(i) := RegNext(output.fire && output.last, init = False)
      io.pkt_removed(i) := events.removed(i)
      io.bytes_removed(i) := events.removedBytes(i).andMask(events.removed(i)).resized
    }
    io.pkt_stored := events.stored
    io.pkt_dropped := events.dropped
    io.bytes_stored := events.bytes.andMask(events.stored.orR).resized
    io.bytes_dropped := events.bytes.andMask(events.dropped.orR).resized
  }

  val onRegisters = new ClockingArea(here) {
    val registers = new QueueRegisters(ports)
    registers.io.events := onEvents.events
    for ((bus, datapath) <- registers.io.datapaths.zip(onFrames.datapaths)) datapath.io.s_axil << bus
  }
  val crossing = new BusCrossing(io.registers.toAxiLite, host, onRegisters.registers.io.axil, here)
}

/** NetFPGA SUME's `output_queues`: four ports of 10 Gbit/s and the one of the host, 256 bits at 200 MHz. In a byte of ports the even
  * bits are the four, and each of the odd ones means the host.
  */
object NetFpgaSume extends Shell("netfpga-sume", "NetFPGA SUME's output queues", dataBits = 256, QueueBeat.band) {
  private val firstDestination = 24
  private val destinations = (Seq.tabulate(4)(i => Seq(2 * i)) :+ Seq(1, 3, 5, 7)).map(_.map(firstDestination + _))

  def wrapper(datapath: DatapathConfig): Component = new NetFpgaQueues(datapath, destinations, periodNs = 5)

  override def adapter(wrapper: Component): Option[(String, String)] = Some(
    ShellModule(
      "output_queues",
      wrapper,
      fixed = Seq(
        "C_M_AXIS_DATA_WIDTH" -> dataBits,
        "C_S_AXIS_DATA_WIDTH" -> dataBits,
        "C_M_AXIS_TUSER_WIDTH" -> QueueBeat.userBits,
        "C_S_AXIS_TUSER_WIDTH" -> QueueBeat.userBits,
        "NUM_QUEUES" -> destinations.size,
        "C_S_AXI_DATA_WIDTH" -> 32,
        "C_S_AXI_ADDR_WIDTH" -> 12,
        "C_BASEADDR" -> 0
      )
    )
  )
}
