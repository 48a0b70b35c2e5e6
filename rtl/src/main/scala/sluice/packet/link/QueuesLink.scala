// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package link

import sluice.contract.Widths
import sluice.packet.buffer.FrameRecord
import sluice.packet.cells.{CellFrame, CellShape}
import sluice.tile.queue.AskedRing
import spinal.core._
import spinal.lib._

/** The link behind a tile of many queues: how long a frame takes is not known before the tile has said which one it is.
  *
  * So the link asks for a packet when it is free, and the frame starts when it is known and priced. That takes as many clocks each time,
  * and frames start as far apart as they cost; to that end the bucket may hold more than `burst` behind an ask, by the time that an
  * answer takes. It is asked for when
  *
  *   - the shaper would let a frame start, and the output takes what it is offered;
  *   - what is known and has not left is through before an answer could be there;
  *   - since the last ask as many beats could have left as the last frame had, and as much time passed as 64 bytes take: the frames that
  *     were asked for and are not known yet are taken for frames like that, and there are no shorter ones on an Ethernet link;
  *   - nothing was asked for, or the answer to that may still come: an idle link has asked for what it takes in the time of an answer, and
  *     for no more.
  *
  * What is dropped in its queue is no answer, and costs nothing here. A link that waits for an answer that does not come while frames are
  * held has miscounted, by an upset, and counts anew.
  */
class QueuesLink(shape: CellShape, band: SideBand) extends Component {
  import QueuesLink._
  private def frame() = CellFrame(shape, band)

  val io = new Bundle {
    val nowNs = in(UInt(Widths.timeNs bits))
    val nsPerByte = in(UInt(Shaper.nsPerByte.width bits))
    val burstNs = in(UInt(Shaper.burst.width bits)) // as it is set
    val bucketNs = out(UInt(Shaper.burst.width bits)) // as the shaper is to have it
    val mayStart = in(Bool())
    val isMoving = in(Bool()) // the output takes what it is offered
    val isLeaving = in(Bool()) // a beat has left
    val isAnyHeld = in(Bool()) // a frame is here that has not left
    val ask = master(Event)
    val known = slave(Stream(frame())) // the answer to each
    val toPrice = master(Stream(FrameRecord()))
    val priced = slave(Stream(FrameRecord()))
    val isTaken = out(Bool())
    val take = master(Stream(frame()))
  }

  private val (toPrice, toWait) = StreamFork2(io.known)
  io.toPrice << toPrice.map(_.record)

  val onStart = new Area {
    val waiting = toWait.queue(pricing)
    val start = StreamJoin(io.priced, waiting).translateWith(waiting.payload).continueWhen(io.mayStart)
    io.isTaken := start.fire
    io.take << start.s2mPipe().m2sPipe()
  }

  /** Beats that are known and have not left. */
  val onKnown = new Area {
    val isKnown = RegNext(io.known.fire, init = False)
    val beats = RegNext(io.known.record.lastBeat(shape.dataBits) +^ 1)
    val left = Reg(UInt(beats.getWidth + log2Up(2 * pricing) bits)) init 0
    left := left + beats.andMask(isKnown) - U(io.isLeaving && left =/= 0)
    val isAny = RegNext(left =/= 0, init = False)
    val isLittle = RegNext(left < answering, init = True)
    val last = RegNextWhen(beats, isKnown) init 0
  }

  val onAsk = new Area {
    val owed = Reg(UInt(Widths.count(AskedRing.mostAsked) bits)) init 0
    val isAny = owed =/= 0
    // Clocks without an answer, while all frames that are held wait for one.
    val patience = Reg(UInt(patienceBits + 1 bits)) init 0
    val isLost = patience.msb
    patience := patience + 1
    when(!isAny || !io.isAnyHeld || onKnown.isAny || io.known.fire || isLost)(patience := 0)
    owed := owed + U(io.ask.fire) - U(io.known.fire && isAny)
    when(isLost)(owed := 0)

    // Since the last ask, and at most as much as is asked for.
    val sinceNs = Reg(UInt(leastBits + 1 bits)) init 0
    val leastNs = RegNext(io.nsPerByte >> (Shaper.fractionBits - log2Up(leastBytes)))
    private val passed = RegNext(io.nowNs - RegNext(io.nowNs)) init 0
    private val step = Mux(passed(Widths.timeNs - 1 downto leastBits).orR, U((1 << leastBits) - 1), passed.resized)
    when(!sinceNs.msb)(sinceNs := sinceNs + step)
    val isTime = RegNext(sinceNs >= leastNs, init = True)

    val sinceBeats = Reg(UInt(onKnown.beats.getWidth bits)) init 0
    when(io.isMoving && !sinceBeats.andR)(sinceBeats := sinceBeats + 1)
    val isThrough = sinceBeats +^ 1 >= onKnown.last

    val silence = Reg(UInt(log2Up(answering) + 1 bits)) init 0 // since the last answer that is owed
    val isSilent = silence.msb
    when(!isSilent)(silence := silence + 1)
    when(!isAny || io.known.fire)(silence := 0)

    val isDue = io.mayStart && io.isMoving && onKnown.isLittle && isThrough && isTime && (!isAny || !isSilent)
    io.ask.valid := isDue && owed =/= AskedRing.mostAsked
    when(io.ask.fire) {
      sinceNs := 0
      sinceBeats := 0
      isTime := leastNs === 0
    }

    // For so many clocks behind an ask the bucket holds what has passed in the last ones, half as many at least; a jump of time it does
    // not hold.
    val answer = Reg(UInt(log2Up(4 * answering) + 1 bits)) init 0
    when(!answer.msb)(answer := answer + 1)
    when(io.ask.fire)(answer := 0)
    val clocks = Reg(UInt(log2Up(2 * answering) bits)) init 0
    clocks := clocks + 1
    private val now = RegNext(io.nowNs) init 0
    val newer = RegNextWhen(now, clocks.andR, U(0, Widths.timeNs bits))
    val older = RegNextWhen(newer, clocks.andR, U(0, Widths.timeNs bits))
    private val sinceOlder = RegNext(now - older) init 0
    private val isJump = (sinceOlder >> answerBits).orR
    val allowanceNs = RegNext(sinceOlder.resize(answerBits).andMask(!isJump && !answer.msb)) init 0
    io.bucketNs := RegNext((io.burstNs +^ allowanceNs).sat(1)) init 0
  }
}

object QueuesLink {

  /** Clocks from an ask to its answer, more or less; a power of two. */
  private val answering = 64

  /** Bits of the ns that pass in four times as many clocks, on any clock that is faster than 63 MHz. */
  private val answerBits = 12

  /** Of the clocks after which an answer is taken to be lost. */
  private val patienceBits = 12

  /** Frames that are known and wait for their price, or for their turn. */
  private val pricing = 16

  private val leastBytes = 64
  private val leastBits = Shaper.nsPerByte.width - (Shaper.fractionBits - log2Up(leastBytes))
}
