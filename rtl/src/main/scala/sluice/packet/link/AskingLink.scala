// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package link

import sluice.contract._
import sluice.packet.buffer.{FrameRecord, TakenFrame}
import sluice.tile.queue.AskedRing
import spinal.core._
import spinal.lib._

/** A frame that is whole in the buffer, and the time that it takes on the link. */
case class PricedFrame() extends Bundle {
  val record = FrameRecord()
  val costNs = UInt(Shaper.nsBits bits)
}

/** The link behind a tile that is asked for each packet.
  *
  * A frame starts when the link is free: it is paid for, and the tile is asked for a packet. The tile's answers come in the order
  * of the frames, so each is about the oldest that has started. If that is dropped, it is skipped in the buffer, the link gets its
  * time back, and the next frame starts in its place without another ask. So no packet is judged before the link wants one, and
  * none that is dropped takes time on the link.
  *
  * The link is free when the shaper says so, the beats of the last frame would be through, and the output takes what it is offered.
  * For frames of one beat that is every clock: as many asks are under way then as it takes clocks to answer one. An idle link asks
  * for one packet ahead of the frame.
  */
class AskingLink(config: DatapathConfig) extends Component {
  private val band = config.band
  private def leaving() = Departure(config.tile.cookieBits, withReason = true)

  val io = new Bundle {
    val priced = slave(Stream(PricedFrame())) // starts, and is to be paid for, when it is taken
    val mayStart = in(Bool())
    val isMoving = in(Bool()) // the output takes what it is offered
    val refundNs = out(UInt(Shaper.nsBits bits))
    val ask = out(Bool())
    val departure = slave(Stream(leaving()))
    val dropped = slave(Flow(leaving())) // only while `mayDrop`
    val mayDrop = out(Bool())
    val take = master(Stream(TakenFrame(band)))
    val left = master(Flow(JudgedFrame(band)))
  }

  val onStart = new Area {
    val beats = Reg(UInt(log2Up(Frame.maxBeats(config.dataBits)) bits)) init 0 // of the last frame, to come
    val isFree = io.mayStart && io.isMoving && beats === 0
    val start = io.priced.continueWhen(isFree)
    val started = start.queue(AskedRing.mostAsked)
    when(beats =/= 0 && io.isMoving)(beats := beats - 1)
    when(start.fire)(beats := start.record.lastBeat(config.dataBits).resized)
  }

  val onAnswer = new Area {
    import onStart.started
    val sink = Stream(TakenFrame(band))
    val isOpen = started.valid && sink.ready
    io.departure.ready := isOpen
    io.mayDrop := isOpen
    val isDropped = io.dropped.valid
    val answer = Mux(isDropped, io.dropped.payload, io.departure.payload)
    sink.valid := started.valid && (isDropped || io.departure.valid)
    sink.record := started.record
    sink.side := Side.of(band, answer.cookie)
    sink.order.isDrop := isDropped
    sink.order.isMarked := answer.isCe
    started.ready := sink.fire
    io.take << sink.s2mPipe().m2sPipe()

    when(isDropped)(onStart.beats := 0)
    io.refundNs := RegNext(started.costNs.andMask(isDropped)) init 0

    val judged = JudgedFrame(band)
    judged.side := sink.side
    judged.verdict.reason := answer.reason
    judged.verdict.action := Action.PASS
    when(answer.reason =/= 0)(judged.verdict.action := Action.MARK)
    when(isDropped)(judged.verdict.action := Action.DROP)
    io.left.valid := RegNext(sink.fire, init = False)
    io.left.payload := RegNext(judged)
  }

  val onAsk = new Area {
    import onStart._
    // Asks for which no frame has started: that of an idle link, and those of which the frame was dropped.
    val spare = Reg(UInt(Widths.count(AskedRing.mostAsked) bits)) init 0
    val isIdle = isFree && !io.priced.valid && !started.valid
    val isAnySpare = spare =/= 0
    io.ask := RegNext((start.fire || isIdle) && !isAnySpare, init = False)
    spare := spare + U(onAnswer.isDropped) + U(isIdle && !isAnySpare) - U(start.fire && isAnySpare)
  }
}
