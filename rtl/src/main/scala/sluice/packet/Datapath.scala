// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import sluice.blocks.state.SideTrack
import sluice.contract._
import sluice.packet.buffer.{FrameRecord, PacketBuffer, Staging}
import sluice.packet.cells.CellPath
import sluice.packet.link.{AskingLink, Shaper, TakingLink}
import sluice.packet.rtt.{FrameRtt, RttSource}
import sluice.tile._
import sluice.tile.account.Accountant
import sluice.tile.registers._
import sluice.packet.parser._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** Packets in, packets out: a tile with parser, flow key, staging, packet buffer and shaper around it.
  *
  * Frames come on `s_axis` and leave whole and without gaps on `m_axis`, unchanged but for CE where they were marked. Frames
  * whose `tuser` is high at `tlast`, and overlong ones, leave no trace but their counters. `tready` rises once after a reset, when
  * the flow hash has its tables, and stays high unless STALL is set; overload is then the tile's drop of whole frames. With STALL
  * the input waits instead while the buffer is full.
  *
  * A side-band of a frame's first beat goes with the frame: through the tile, as its cookie, to `m_verdict`, and to every beat
  * of `m_axis`. Time is `now_ns`; where it steps back it stands still.
  *
  * `m_parsed` shows what the parser saw of each frame, `m_flow` its flow and `m_verdict` what became of it, in the same order.
  * Where the tile may drop or mark in its queue, or has many, `m_left` shows what became there of each frame that had been let in,
  * when its turn has come: dropped, marked, or neither. Where the core asks for round-trip times, `m_rtt` shows each frame's with
  * its flow, and `s_axis_rtt_us` is the port's, sampled with the frame's first beat.
  */
class Datapath(config: DatapathConfig) extends Component {
  private val dataBits = config.dataBits
  private val band = config.band
  private val isAsked = config.tile.needs.isAsked
  private val needsRtt = config.tile.needs.rtt
  private val hasCells = config.cells.nonEmpty
  private val tellsLeft = isAsked || hasCells
  private def judgedFrame() = JudgedFrame(band, config.tile.queueBits)

  val io = new Bundle {
    val now_ns = in(UInt(Widths.timeNs bits))
    val s_axis = slave(Stream(Beat(dataBits, band)))
    val s_axis_rtt_us = needsRtt generate in(UInt(Widths.rttUs bits))
    val m_axis = master(Stream(Beat(dataBits, band)))
    val m_parsed = master(Flow(Headers()))
    val m_flow = master(Flow(Bits(Widths.flow bits)))
    val m_verdict = master(Flow(judgedFrame()))
    val m_rtt = needsRtt generate master(Flow(FrameRtt()))
    val m_left = tellsLeft generate master(Flow(judgedFrame()))
    val s_axil = slave(AxiLite4(RegisterMap.bus))
  }
  noIoPrefix()
  Beat.name("s_axis", io.s_axis)
  Beat.name("m_axis", io.m_axis)
  Ports.name("m_parsed", io.m_parsed.payload)
  io.m_flow.payload.setName("m_flow_id")
  Ports.name("m_verdict", io.m_verdict.verdict)
  Ports.name("m_verdict", io.m_verdict.side)
  if (needsRtt) Ports.name("m_rtt", io.m_rtt.payload)
  if (tellsLeft) {
    Ports.name("m_left", io.m_left.verdict)
    Ports.name("m_left", io.m_left.side)
  }
  AxiLite4SpecRenamer(io.s_axil)

  val parser = new Parser(readsRtt = needsRtt)
  val hash = new FlowHash

  /** Clocks from the last beat of a frame until it comes to the tile. */
  val lead: Int = Ingress.cycles + parser.latency + FlowKey.cycles + FlowHash.latency

  val tile = new AqmTile(config.tile, lead)
  tile.io.now_ns := io.now_ns
  private val far = StreamPipe.HALF // the register block may be anywhere on the chip
  tile.io.s_axil << io.s_axil.pipelined(far, far, far, far, far)
  private val host = tile.io.extension.get
  private def set(p: Parameter): UInt = RegNext(host.parameters(p)) // settings come a long way

  /** Clocks from the last beat of a frame to its verdict. */
  val latency: Int = lead + tile.latency

  private val depth = Staging.depth(dataBits, latency)
  val ingress = new Ingress(dataBits, depth, band, needsRtt)
  val staging = !hasCells generate new Staging(dataBits, depth, frames = depth)
  val buffer = !hasCells generate new PacketBuffer(dataBits, config.bufferBeats, config.tile.ringPackets, band)
  val shaper = new Shaper(refunds = isAsked && !hasCells)

  val onInput = new Area {
    val isOpen = RegInit(False)
    val isReady = RegInit(False) setWhen hash.io.isComplete // for the first time: later secrets close nothing
    io.s_axis.ready := isOpen
    ingress.io.beat << io.s_axis.toFlowFire
    if (!hasCells) staging.io.write << ingress.io.write
    parser.io.frame << ingress.io.frame
  }

  val onKey = new Area {
    val headers = parser.io.headers
    val isIpv6 = headers.isIpv6
    val mode = RegNext(set(FlowKey.mode)) // with the masks
    val mask4 = RegNext(FlowKey.mask(set(FlowKey.prefixIpv4)))
    val mask6 = RegNext(FlowKey.mask(set(FlowKey.prefixIpv6)))
    val choice = headers.map(h => KeyChoice(h, mode, Mux(isIpv6, mask6, mask4))).stage()
    hash.io.key << choice.map(FlowKey(_)).stage()
    hash.io.secret := Cat(host.secret.reverse)
    hash.io.isNew := host.isSecretNew
    host.isSecretInForce := hash.io.isComplete

    val record = FrameRecord()
    record.lastByte := headers.bytes - 1
    record.mark := headers.mark
    def known: Flow[FrameRecord] = headers.translateWith(record).stage().stage()
    if (!hasCells) staging.io.record << known

    io.m_parsed << headers
    io.m_flow << hash.io.flow
    val bytes = Delay(headers.bytes, FlowKey.cycles + FlowHash.latency)
    val ecn = Delay(headers.service(1 downto 0).asBits.andMask(headers.hasIp), FlowKey.cycles + FlowHash.latency)
    private def dscpNow = headers.service(7 downto 2).asUInt.andMask(headers.hasIp)
    val dscp = config.tile.hasColours generate Delay(dscpNow, FlowKey.cycles + FlowHash.latency)
    val queues = config.saysQueue generate new DscpQueues(host, config.tile.queues)
    val queue = config.saysQueue generate
      Delay(queues.of(dscpNow), FlowKey.cycles + FlowHash.latency - DscpQueues.latency)
  }

  // What the port says of a frame waits while its flow is found out; what its options and the table say is known sooner.
  val onRtt = needsRtt generate new Area {
    private val keyCycles = FlowKey.cycles + FlowHash.latency
    ingress.io.rttUs := io.s_axis_rtt_us
    val track = new SideTrack(ingress.io.frameRttUs.asBits, parser.latency + keyCycles - 1)
    val source = new RttSource(parser, host, set, keyCycles, track.output.asUInt)
    io.m_rtt << source.rtt
  }

  val onJudge = new Area {
    tile.io.s_arrival.valid := hash.io.flow.valid
    tile.io.s_arrival.flow := hash.io.flow.payload
    tile.io.s_arrival.bytes := onKey.bytes.resized
    tile.io.s_arrival.ecn := onKey.ecn
    if (needsRtt) tile.io.s_arrival.rttUs := onRtt.source.rtt.us
    if (config.tile.hasColours) tile.io.s_arrival.dscp := onKey.dscp
    if (config.saysQueue) tile.io.s_arrival.queue := onKey.queue

    if (!hasCells) {
      staging.io.isDrop << tile.io.m_verdict.map(_.action === Action.DROP)
      buffer.io.input << staging.io.kept
    }
    io.m_verdict << tile.io.m_verdict.map { tiles =>
      val judged = judgedFrame()
      judged.verdict.assignSomeByName(tiles)
      judged.side := Side.of(band, tiles.cookie)
      judged
    }
  }

  // A frame's side-band waits while its flow is found out, and is the tile's from there to the output.
  val onSide = (band.bits > 0 && !hasCells) generate new Area {
    val track = new SideTrack(ingress.io.side.asBits, parser.latency + FlowKey.cycles + FlowHash.latency)
    tile.io.s_arrival.cookie := track.output
  }

  val onOutput = new Area {
    shaper.io.nowNs := RegNext(host.nowNs) // the tile may be far
    shaper.io.nsPerByte := set(Shaper.nsPerByte)
    if (!hasCells) shaper.io.burstNs := set(Shaper.burst)
    shaper.io.overhead := set(Shaper.overhead)
    if (!hasCells) {
      shaper.io.known << buffer.io.record
      io.m_axis << buffer.io.output
    }
  }

  // Of a tile that gives packets and no more, the link takes one when a frame starts.
  val onDeparture = (!isAsked && !hasCells) generate new TakingLink(tile, shaper, buffer, band)

  // Any other is asked for each.
  val onAsk = (isAsked && !hasCells) generate new Area {
    val link = new AskingLink(config)
    link.io.priced.arbitrationFrom(shaper.io.priced)
    link.io.priced.record := shaper.io.priced.payload
    link.io.priced.costNs := shaper.io.costNs
    link.io.mayStart := shaper.io.mayStart
    shaper.io.isTaken := link.io.priced.fire
    shaper.io.refundNs := link.io.refundNs
    link.io.isMoving := RegNext(!io.m_axis.isStall, init = False)

    tile.io.s_ask.valid := link.io.ask // never too many, so the tile never refuses
    link.io.departure << tile.io.m_departure
    link.io.dropped << tile.io.m_dropped
    host.mayDrop := link.io.mayDrop
    buffer.io.take << link.io.take
    io.m_left << link.io.left
  }

  // Of many queues frames leave in any order, and are stored otherwise.
  val onCells = hasCells generate
    new CellPath(config, ingress, parser, tile, shaper, onKey.known, set, io.m_axis, io.m_left)

  val onCount = new Area {
    val isLeaving = RegNext(io.m_axis.fire && io.m_axis.last, init = False)
    val beats = Reg(UInt(log2Up(Frame.maxBeats(dataBits)) bits)) init 0
    when(io.m_axis.fire)(beats := Mux(io.m_axis.last, U(0), beats + 1))
    val lastByte = RegNext(beats @@ io.m_axis.lastLane)

    private val tileConfig = config.tile
    val accountant = new DatapathAccountant(
      input = Counted(ingress.io.arrived, ingress.io.bytes),
      refused = ingress.io.refused.asBools.toSeq,
      dropped = Counted(host.isDropped, host.bytes),
      output = Counted(isLeaving, lastByte +^ 1),
      gone = Option.when(isAsked)(Counted(host.isGone, host.goneBytes)),
      removed = Option.when(tileConfig.needs.takesVictims)(
        Counted(buffer.io.take.fire && buffer.io.take.order.isDrop, buffer.io.take.record.lastByte +^ 1)
      ),
      outcome = (parser.io.headers.valid, parser.io.headers.outcome),
      others = if (needsRtt) onRtt.source.events else Nil
    )
    host.counters := Vec(accountant.counters ++ Option.when(hasCells)(onCells.buffer.io.taken.resize(Accountant.width)))

    // Frames that are not yet counted when the input is closed: the one that is coming in and a few short ones.
    private val comingFrames = 10
    private val comingBytes = 2 * Frame.maxBytes + comingFrames * dataBits / 8
    // At most, each frame fills its last cell.
    private val cellBytes = config.extension.cellBytes
    val cells = RegNext(
      if (hasCells) onCells.buffer.io.taken
      else (accountant.storedBytes >> log2Up(cellBytes)) +^ accountant.storedFrames
    ) init 0
    val frames = RegNext(accountant.heldFrames +^ comingFrames) init 0
    val bytes = RegNext(accountant.heldBytes +^ comingBytes) init 0
    val mostCells = config.extension.cells - comingBytes / cellBytes - comingFrames
    val isCrowded = RegNext(frames > set(tileConfig.Own.limit)) init False
    val isLong = RegNext(bytes > set(tileConfig.Own.limitBytes)) init False
    val isFull = RegNext(cells > mostCells) init False
    // A packet that was thrown out keeps its place in the ring.
    val isRingFull = tileConfig.needs.takesVictims generate
      (RegNext(accountant.storedFrames > tileConfig.mostPackets - comingFrames) init False)
    val isAny = (Seq(isCrowded, isLong, isFull) ++ Option(isRingFull)).reduce(_ || _)
    val isAnyHeld = accountant.heldFrames =/= 0
    if (hasCells) onCells.isAnyHeld := RegNext(isAnyHeld, init = False)
    onInput.isOpen := onInput.isReady && !(set(Datapath.stall).asBool && isAnyHeld && isAny)
  }
}

/** What became of a frame, the number of its queue where there are several, and its side-band. */
case class JudgedFrame(band: SideBand, queueBits: Int = 0) extends Bundle {
  val verdict = Verdict(queueBits = queueBits)
  val side = Side(band)
}

object Datapath {

  val stall = Parameter.flag(
    "stall",
    "",
    false,
    "1: the input waits while the buffer is full, for a limit from 12 packets on; 0: it never waits"
  )
}
