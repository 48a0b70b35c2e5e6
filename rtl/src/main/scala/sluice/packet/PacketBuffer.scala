// SPDX-License-Identifier: Apache-2.0
package sluice.packet

import sluice.blocks.DeepMemory
import spinal.core._
import spinal.lib._

/** What is to be done with the oldest frame of the buffer. */
case class HeadOrder() extends Bundle {
  val isDrop = Bool() // the frame is skipped, in one clock, and leaves no trace
  val isMarked = Bool()
}

/** The packet buffer: a ring of beats in block RAM. A frame becomes visible at the reading side with its last beat, so what
  * starts to leave can leave without a gap.
  *
  * Whoever admits frames keeps their beats at most [[PacketBuffer.room]]; the buffer does not check. One beat in and one out
  * per clock. A frame is taken when `order` and `record` are both there; it then leaves from six clocks later on.
  *
  * The memory is many blocks, far from each other. It is therefore made of parts with address registers of their own, and a
  * read is never held back on its way: what is on it has a place in a small queue at the end.
  */
class PacketBuffer(dataBits: Int, beats: Int, packets: Int) extends Component {
  val io = new Bundle {
    val input = slave(Flow(StagedBeat(dataBits)))
    val record = master(Stream(FrameRecord())) // of the frames that are whole and not yet taken, oldest first
    val take = slave(Stream(TakenFrame()))
    val output = master(Stream(OutgoingBeat(dataBits)))
  }

  private val addressBits = log2Up(beats)

  private val parts = Seq.fill(PacketBuffer.parts)(new DeepMemory(dataBits / PacketBuffer.parts, beats))

  /** A register of each part's own, which synthesis must not share. */
  private def own[T <: Data](value: T): T = RegNext(value).addAttribute("keep")

  val onWrite = new Area {
    val pointer = Reg(UInt(addressBits bits)) init 0
    for ((part, data) <- parts.zip(io.input.data.subdivideIn(PacketBuffer.parts slices)))
      part.write(own(pointer), RegNext(data), enable = own(io.input.valid))
    when(io.input.valid)(pointer := pointer + 1)

    val whole = Flow(FrameRecord())
    whole.valid := io.input.valid && io.input.last
    whole.payload := io.input.record
    io.record << whole.stage().toStream.queue(packets).m2sPipe().s2mPipe()
  }

  val onTake = new Area {
    val pointer = Reg(UInt(addressBits bits)) init 0 // the next beat to read
    val index = Reg(UInt(log2Up(Frame.maxBeats(dataBits)) bits)) init 0
    val lastBeat = io.take.record.lastBeat(dataBits).resize(index.getWidth)
    val isLast = index === lastBeat

    val fetch = Stream(Fetch())
    fetch.valid := io.take.valid && !io.take.order.isDrop
    fetch.address := pointer
    fetch.beat.data := 0
    fetch.beat.lastLane := io.take.record.lastLane(dataBits)
    fetch.beat.last := isLast
    fetch.beat.index := index
    fetch.beat.isMarked := io.take.order.isMarked
    fetch.beat.mark := io.take.record.mark
    io.take.ready := io.take.order.isDrop || (fetch.ready && isLast)

    when(fetch.fire) {
      pointer := pointer + 1
      index := Mux(isLast, U(0), index + 1)
    }
    when(io.take.valid && io.take.order.isDrop)(pointer := pointer + (lastBeat + 1).resize(addressBits))
  }

  val onRead = new Area {
    val cycles = 3 // address, block memory, its data
    val places = Reg(UInt(log2Up(PacketBuffer.queue + 1) bits)) init PacketBuffer.queue
    places := places - U(onTake.fetch.fire) + U(io.output.fire)
    onTake.fetch.ready := places =/= 0

    val beat = Flow(OutgoingBeat(dataBits))
    beat.valid := Delay(onTake.fetch.fire, cycles, init = False)
    beat.payload := Delay(onTake.fetch.beat, cycles)
    beat.data.allowOverride() := Cat(parts.map(part => RegNext(part.readSync(own(onTake.fetch.address)))))
    io.output << beat.toStream.queueLowLatency(PacketBuffer.queue, latency = 1).m2sPipe().s2mPipe()
  }

  case class Fetch() extends Bundle {
    val address = UInt(addressBits bits)
    val beat = OutgoingBeat(dataBits)
  }
}

/** A frame that leaves the queue, with its record. */
case class TakenFrame() extends Bundle {
  val order = HeadOrder()
  val record = FrameRecord()
}

object PacketBuffer {
  private val parts = 8

  /** Beats on their way out: enough for one per clock, there and back. */
  private val queue = 8

  /** Beats that may be admitted at a time: a frame that is leaving, and the next one that waits for it, no longer count for
    * those who admit, but are still there.
    */
  def room(dataBits: Int, beats: Int): Int = beats - 3 * Frame.maxBeats(dataBits) - 16
}
