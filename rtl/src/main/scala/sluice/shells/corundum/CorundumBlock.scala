// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells
package corundum

import sluice.blocks.state.FreeTime
import sluice.packet._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** Corundum's application block but for its synchronous taps: all its ports, the other streams of frames straight through, the rest
  * at rest.
  *
  * The ports are those of one configuration, `fpga_100g` for the Alveo U50 with one port of 100 Gbit/s
  * ([[CorundumParameters]]). All is on `clk`, 250 MHz, but the direct taps, which are wires here.
  */
abstract class CorundumBlock extends Component {

  /** The two ends of a stream that passes the block. */
  case class Tap[T <: Data](from: Stream[T], to: Stream[T]) {
    def passOn(): Unit = to << from
  }

  private def ignored(name: String, width: Int = 1): Unit = in(Bits(width bits)).setName(name)
  private def quiet(name: String, width: Int): Unit = out(Bits(width bits)).setName(name) := 0

  private def tap(name: String, band: SideBand): Tap[Beat] = {
    val ends = Tap(slave(Stream(Beat(512, band))), master(Stream(Beat(512, band))))
    Beat.name(s"s_axis_$name", ends.from)
    Beat.name(s"m_axis_$name", ends.to)
    ends
  }

  // What is beside the frames: tag or time stamp in `tuser` above its bit 0; queues and ports.
  private val tagBits = CorundumBlock.txBand.userBits
  private val stampBits = CorundumBlock.rxBand.userBits
  val syncTx: Tap[Beat] = tap("sync_tx", CorundumBlock.txBand)
  val syncRx: Tap[Beat] = tap("sync_rx", CorundumBlock.rxBand)
  private val directTx = tap("direct_tx", CorundumBlock.txBand)
  private val directRx = tap("direct_rx", CorundumBlock.rxBand)
  private val ifTx = tap("if_tx", SideBand(tagBits, 13, 4))
  private val ifRx = tap("if_rx", SideBand(stampBits, 1, 9))

  /** Says of a frame's tag that it is done, and when the MAC sent it. */
  case class Completion() extends Bundle {
    val ts = Bits(stampBits bits)
    val tag = Bits(tagBits bits)
  }

  private def completions(name: String): Tap[Completion] = {
    val ends = Tap(slave(Stream(Completion())), master(Stream(Completion())))
    for ((side, stream) <- Seq(s"s_axis_${name}_tx_cpl" -> ends.from, s"m_axis_${name}_tx_cpl" -> ends.to)) {
      stream.valid.setName(s"${side}_valid")
      stream.ready.setName(s"${side}_ready")
      stream.ts.setName(s"${side}_ts")
      stream.tag.setName(s"${side}_tag")
    }
    ends
  }
  val syncDone: Tap[Completion] = completions("sync")
  for (straight <- Seq(directTx, directRx, ifTx, ifRx)) straight.passOn()
  for (name <- Seq("direct", "if")) completions(name).passOn()
  for (name <- Seq("tx_clk", "tx_rst", "rx_clk", "rx_rst")) ignored(s"direct_$name")

  // From the host, in a window of its own.
  private val control = slave(AxiLite4(24, 32))
  AxiLite4SpecRenamer(control.setName("s_axil_app_ctrl"))

  /** A datapath between the ends of a tap, with the host at its registers. */
  def stand(config: DatapathConfig, at: Tap[Beat]): Datapath = {
    val datapath = new Datapath(config)
    datapath.io.now_ns := FreeTime(periodNs = 4)
    datapath.io.s_axis << at.from
    at.to << datapath.io.m_axis
    val bus = datapath.io.s_axil
    bus.aw << control.aw.map(request => AxiLite.access(request.addr))
    bus.ar << control.ar.map(request => AxiLite.access(request.addr))
    bus.w << control.w
    control.b << bus.b
    control.r << bus.r
    datapath
  }

  // To the NIC's registers: asks for nothing.
  private val registers = master(AxiLite4(24, 32))
  AxiLite4SpecRenamer(registers.setName("m_axil_ctrl"))
  registers.aw.setIdle()
  registers.w.setIdle()
  registers.ar.setIdle()
  registers.b.ready := True
  registers.r.ready := True

  // To the host's memory: nothing. Who looks into the block's own memory finds zeros, and what he writes is gone.
  private def dma(kind: String): Unit = {
    for (way <- Seq("read", "write")) {
      val request = s"m_axis_${kind}_dma_${way}_desc"
      val fields = Seq("dma_addr" -> 64, "ram_sel" -> 1, "ram_addr" -> 17, "len" -> 16, "tag" -> 14, "valid" -> 1)
      val immediate = if (way == "write") Seq("imm" -> 32, "imm_en" -> 1) else Nil
      for ((field, width) <- fields ++ immediate) quiet(s"${request}_$field", width)
      ignored(s"${request}_ready")
      for ((field, width) <- Seq("tag" -> 14, "error" -> 4, "valid" -> 1))
        ignored(s"s_axis_${kind}_dma_${way}_desc_status_$field", width)
    }
    val ram = s"${kind}_dma_ram"
    for ((field, width) <- Seq("sel" -> 2, "be" -> 128, "addr" -> 20, "data" -> 1024))
      ignored(s"${ram}_wr_cmd_$field", width)
    for ((field, width) <- Seq("sel" -> 2, "addr" -> 20)) ignored(s"${ram}_rd_cmd_$field", width)
    val segments = 2
    def bits(name: String) = Bits(segments bits).setName(s"${ram}_$name")
    val written, asked, answerReady = in(Bits(segments bits))
    written.setName(s"${ram}_wr_cmd_valid")
    asked.setName(s"${ram}_rd_cmd_valid")
    answerReady.setName(s"${ram}_rd_resp_ready")
    out(bits("wr_cmd_ready")).setAll()
    out(bits("wr_done")) := written
    out(bits("rd_cmd_ready")) := answerReady
    out(bits("rd_resp_valid")) := asked
    quiet(s"${ram}_rd_resp_data", 1024)
  }
  dma("ctrl")
  dma("data")

  // Memories on the board, which this configuration leaves out, and of which the ports stay.
  private def memory(name: String, channels: Int, idBits: Int, addressBits: Int, dataBits: Int): Unit = {
    for (signal <- Seq("clk", "rst", "status")) ignored(s"${name}_$signal", channels)
    val place =
      Seq("len" -> 8, "size" -> 3, "burst" -> 2, "lock" -> 1, "cache" -> 4, "prot" -> 3, "qos" -> 4, "user" -> 1)
    val request = Seq("id" -> idBits, "addr" -> addressBits, "valid" -> 1) ++ place
    val word = Seq("data" -> dataBits, "strb" -> dataBits / 8, "last" -> 1, "user" -> 1, "valid" -> 1)
    for {
      (channel, fields) <- Seq("aw" -> request, "ar" -> request, "w" -> word)
      (field, width) <- fields
    } quiet(s"m_axi_${name}_$channel$field", channels * width)
    for (channel <- Seq("aw", "ar", "w")) ignored(s"m_axi_${name}_${channel}ready", channels)
    val answer = Seq("id" -> idBits, "resp" -> 2, "user" -> 1, "valid" -> 1)
    for {
      (channel, fields) <- Seq("b" -> answer, "r" -> (answer ++ Seq("data" -> dataBits, "last" -> 1)))
      (field, width) <- fields
    } ignored(s"m_axi_${name}_$channel$field", channels * width)
    for (channel <- Seq("b", "r")) quiet(s"m_axi_${name}_${channel}ready", channels)
  }
  memory("ddr", channels = 4, idBits = 8, addressBits = 34, dataBits = 512)
  memory("hbm", channels = 32, idBits = 6, addressBits = 33, dataBits = 256)

  // Time, which is disciplined and may step back.
  for (signal <- Seq("clk", "rst", "sample_clk", "td_sd", "pps", "pps_str", "sync_locked", "sync_pps", "sync_pps_str"))
    ignored(s"ptp_$signal")
  for (signal <- Seq("rel", "tod")) {
    ignored(s"ptp_sync_ts_$signal", stampBits)
    ignored(s"ptp_sync_ts_${signal}_step")
  }
  for (signal <- Seq("locked", "error", "pulse")) ignored(s"ptp_perout_$signal")

  for ((field, width) <- Seq("tdata" -> 24, "tid" -> 12, "tvalid" -> 1)) quiet(s"m_axis_stat_$field", width)
  ignored("m_axis_stat_tready")
  ignored("gpio_in", 32)
  quiet("gpio_out", 32)
  for (signal <- Seq("tms", "tck")) ignored(s"jtag_$signal")
  out(Bool()).setName("jtag_tdo") := in(Bool()).setName("jtag_tdi")
}

object CorundumBlock {
  val txBand: SideBand = SideBand(userBits = 16, idBits = 0, destBits = 0)
  val rxBand: SideBand = SideBand(userBits = 96, idBits = 0, destBits = 0)
}

/** The block with a datapath at one of its taps. */
abstract class CorundumShell(name: String, where: String, band: SideBand) extends Shell(name, where, 512, band) {
  override def adapter(wrapper: Component): Option[(String, String)] = Some(CorundumParameters.adapter(wrapper))
}
