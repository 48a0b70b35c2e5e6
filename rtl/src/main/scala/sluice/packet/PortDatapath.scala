// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import sluice.contract.{Action, Parameter, Verdict, Widths}
import sluice.packet.buffer.{FrameRecord, PacketBuffer, Staging}
import sluice.packet.link.{Shaper, TakingLink}
import sluice.packet.parser.{FlowHash, SerialFlowHash}
import sluice.tile._
import sluice.tile.registers.RegisterMap
import sluice.tile.account.Accountant
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** The datapath of a slow port on a small chip: 8 bits wide, for frames as Ethernet has them, 60 bytes or more with a gap before
  * each. It is [[Datapath]] without parser and the tables of the flow hash, which take three quarters of it.
  *
  * The input never waits. Frames, streams, shaper and what becomes of bad and overlong frames are as in [[Datapath]]; IP is found
  * where [[OuterHeader]] looks for it, and the flow is by five-tuple, the one that [[Datapath]] finds where both see the same key.
  */
class PortDatapath(config: TileConfig, bufferBytes: Int) extends Component {
  import PortDatapath._

  val io = new Bundle {
    val now_ns = in(UInt(Widths.timeNs bits))
    val input = slave(Flow(Beat(dataBits, SideBand.none)))
    val output = master(Stream(Beat(dataBits, SideBand.none)))
    val verdict = master(Flow(Verdict()))
    val s_axil = slave(AxiLite4(RegisterMap.bus))
  }

  private val lead = Ingress.cycles + OuterHeader.cycles + SerialFlowHash.latency
  val tile = new AqmTile(config, lead)
  private val host = tile.io.extension.get
  tile.io.now_ns := io.now_ns
  tile.io.s_axil << io.s_axil

  /** Clocks from the last byte of a frame to its verdict. */
  val latency: Int = lead + tile.latency

  private val depth = Staging.depth(dataBits, latency)
  val ingress = new Ingress(dataBits, depth, SideBand.none, needsRtt = false)
  val hash = new SerialFlowHash
  require(SerialFlowHash.latency <= leastBytes, "frames come faster than their flows are known")
  val staging = new Staging(dataBits, depth, frames = 1 << log2Up(depth / leastBytes))
  val buffer = new PacketBuffer(dataBits, bufferBytes, config.ringPackets, SideBand.none)
  val shaper = new Shaper(refunds = false)

  val onInput = new Area {
    ingress.io.beat << io.input
    staging.io.write << ingress.io.write
    val header = OuterHeader(ingress.io.frame)
    val record = FrameRecord()
    record.lastByte := header.bytes - 1
    record.mark := header.mark
    staging.io.record << header.translateWith(record)

    hash.io.key << header.map(_.key)
    hash.io.secret := Cat(host.secret.reverse)
    host.isSecretInForce := True

    // No other frame comes before this one's flow is known.
    tile.io.s_arrival.valid := hash.io.flow.valid
    tile.io.s_arrival.flow := hash.io.flow.payload
    tile.io.s_arrival.bytes := RegNextWhen(header.bytes, header.valid).resized
    tile.io.s_arrival.ecn := RegNextWhen(header.ecn, header.valid)
    staging.io.isDrop << tile.io.m_verdict.map(_.action === Action.DROP)
    buffer.io.input << staging.io.kept
    io.verdict << tile.io.m_verdict
  }

  val onOutput = new Area {
    private def set(p: Parameter) = RegNext(host.parameters(p))
    shaper.io.nowNs := RegNext(host.nowNs)
    shaper.io.nsPerByte := set(Shaper.nsPerByte)
    shaper.io.burstNs := set(Shaper.burst)
    shaper.io.overhead := set(Shaper.overhead)
    shaper.io.known << buffer.io.record
    io.output << buffer.io.output
    val link = new TakingLink(tile, shaper, buffer, SideBand.none)
  }

  val onCount = new Area {
    private def counter(event: Bool): UInt = {
      val count = Reg(UInt(Accountant.width bits)) init 0
      when(Delay(event, Extension.lag - 1, init = False))(count := count + 1)
      count
    }
    private val events =
      Seq(ingress.io.arrived) ++ ingress.io.refused.asBools :+ (io.output.fire && io.output.last)
    host.counters := Vec(events.map(counter))
  }
}

object PortDatapath {
  private val dataBits = 8
  private val leastBytes = 60

  /** The tile of such a datapath, with the datapath's registers. */
  def tile(base: TileConfig, name: String, bufferBytes: Int): TileConfig = {
    require(
      base.queues == 1 && !base.needs.isAsked && !base.needs.rtt,
      s"$name: ${base.name} needs more than this datapath has"
    )
    val counters = ("input" +: InputFate.names :+ "output").map(n => s"${n}_frames")
    val room = PacketBuffer.room(dataBits, bufferBytes)
    val secret = FlowHash.publishedSecret
    val extension = Extension(Shaper.parameters, Shaper.rules, counters, secret, Nil, dataBits / 8, dataBits / 8, room)
    base.copy(name = name, cookieBits = 0, extension = Some(extension))
  }
}
