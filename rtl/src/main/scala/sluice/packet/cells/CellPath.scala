// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package cells

import sluice.blocks.state.SideTrack
import sluice.contract.{Action, Parameter}
import sluice.packet.buffer.FrameRecord
import sluice.packet.link.{QueuesLink, Shaper}
import sluice.packet.parser.{FlowHash, FlowKey, Parser}
import sluice.tile._
import spinal.core._
import spinal.lib._

/** The way of a datapath's frames around a tile of many queues: into cells as they come, and out when the tile says which. A frame's first
  * cell is its name: it goes through the tile in the cookie, above the side-band.
  *
  * @param record
  *   of each good frame, two clocks behind its headers
  * @param set
  *   a parameter as it is in force here
  * @param left
  *   is told what becomes of each frame in its queue
  */
class CellPath(
    config: DatapathConfig,
    ingress: Ingress,
    parser: Parser,
    tile: AqmTile,
    shaper: Shaper,
    record: Flow[FrameRecord],
    set: Parameter => UInt,
    output: Stream[Beat],
    left: Flow[JudgedFrame]
) extends Area {
  private val shape = config.cells.get
  private val band = config.band
  private val host = tile.io.extension.get
  private val keyCycles = FlowKey.cycles + FlowHash.latency
  require(
    Ingress.cycles + parser.latency + keyCycles + tile.latency <= CellShape.mostLatency,
    s"${config.name}: more frames wait for their verdict than there are cells set aside"
  )

  val buffer = new CellBuffer(shape, band)
  val link = new QueuesLink(shape, band)

  /** To be driven: a frame is here that has not left. */
  val isAnyHeld = Bool()
  private def firstOf(cookie: Bits): UInt = (cookie >> band.bits).asUInt

  val onStore = new Area {
    buffer.io.beat << ingress.io.write.map(_.data) // it has an address of its own
    buffer.io.isEnd := ingress.io.arrived
    buffer.io.isGood := ingress.io.refused === 0
    val stored = buffer.io.stored // with the ingress' frame
    private val firsts = new SideTrack(stored.first.asBits, parser.latency + 2)
    buffer.io.record << record.map { record =>
      val known = KnownFrame(shape)
      known.first := firsts.output.asUInt
      known.record := record
      known
    }
  }

  val onJudge = new Area {
    private val cookies = new SideTrack(onStore.stored.first ## ingress.io.side.asBits, parser.latency + keyCycles)
    tile.io.s_arrival.cookie := cookies.output
    private val ends = new SideTrack(onStore.stored.payload.asBits, parser.latency + keyCycles + tile.latency)
    buffer.io.refused.valid := tile.io.m_verdict.valid && tile.io.m_verdict.action === Action.DROP
    buffer.io.refused.payload.assignFromBits(ends.output)
    host.cellsFreed := buffer.io.freed
    host.areCellsAtRest := buffer.io.isQuiet
  }

  // All that leaves its queue has been asked for.
  val onLeave = new Area {
    private val packets = new AskedPackets(config.tile, tile, link.io.ask)
    private val departure = packets.departure
    private val gone = packets.dropped
    buffer.io.departing << departure.map { departure =>
      val frame = DepartingFrame(shape, band)
      frame.first := firstOf(departure.cookie)
      frame.isMarked := departure.isCe
      frame.side := Side.of(band, departure.cookie)
      frame
    }
    buffer.io.dropped << gone.map { dropped =>
      val chain = Chain(shape)
      chain.first := firstOf(dropped.cookie)
      chain.count := ((dropped.bytes - 1) >> log2Up(shape.bytes)).resize(shape.countBits) + 1
      chain
    }
    private val isDropped = gone.valid
    private val answer = Mux(isDropped, gone.payload, departure.payload)
    private val judged = cloneOf(left.payload)
    judged.verdict.assignSomeByName(answer)
    judged.verdict.action := Action.PASS
    when(answer.reason =/= 0)(judged.verdict.action := Action.MARK)
    when(isDropped)(judged.verdict.action := Action.DROP)
    judged.side := Side.of(band, answer.cookie)
    left.valid := RegNext(isDropped || departure.fire, init = False)
    left.payload := RegNext(judged)
  }

  val onLink = new Area {
    link.io.nowNs := RegNext(host.nowNs)
    link.io.nsPerByte := set(Shaper.nsPerByte)
    link.io.burstNs := set(Shaper.burst)
    link.io.mayStart := shaper.io.mayStart
    link.io.isMoving := RegNext(!output.isStall, init = False)
    link.io.isLeaving := RegNext(output.fire, init = False)
    link.io.isAnyHeld := isAnyHeld
    link.io.known << buffer.io.known
    shaper.io.known << link.io.toPrice
    link.io.priced << shaper.io.priced
    shaper.io.isTaken := link.io.isTaken
    shaper.io.burstNs := link.io.bucketNs
    buffer.io.take << link.io.take
    output << buffer.io.output
  }
}
