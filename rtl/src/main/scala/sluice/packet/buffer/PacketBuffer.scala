// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package buffer

import sluice.blocks.state.DeepMemory
import spinal.core._
import spinal.lib._

/** What is to be done with the oldest frame of the buffer. */
case class HeadOrder() extends Bundle {
  val isDrop = Bool() // the frame is skipped, in one clock, and leaves no trace
  val isMarked = Bool()
}

/** The packet buffer: a ring of beats in block RAM, and the marker on the way out. A frame becomes visible at the reading side with its last beat, so what
  * starts to leave can leave without a gap.
  *
  * Whoever admits frames keeps their beats at most [[PacketBuffer.room]]; the buffer does not check. One beat in and one out
  * per clock. A frame is taken with its `order`; it then leaves from seven clocks later on, marked where that was ordered.
  */
class PacketBuffer(dataBits: Int, beats: Int, packets: Int, band: SideBand) extends Component {
  val io = new Bundle {
    val input = slave(Flow(StagedBeat(dataBits)))
    val record = master(Stream(FrameRecord())) // of the frames that are whole and not yet taken, oldest first
    val take = slave(Stream(TakenFrame(band)))
    val output = master(Stream(Beat(dataBits, band)))
  }

  private val addressBits = log2Up(beats)

  private val memory = new DeepMemory(dataBits, beats)
  private val marker = new Marker(dataBits, band, dataCycles = 3)

  val onWrite = new Area {
    val pointer = Reg(UInt(addressBits bits)) init 0
    // Many blocks, across the chip: what they take has a clock for the way.
    memory.write(RegNext(pointer), RegNext(io.input.data), enable = RegNext(io.input.valid) init False)
    when(io.input.valid)(pointer := pointer + 1)

    val whole = Flow(FrameRecord())
    whole.valid := io.input.valid && io.input.last
    whole.payload := io.input.record
    io.record << FarQueue(whole, packets)
  }

  val onTake = new Area {
    val pointer = Reg(UInt(addressBits bits)) init 0 // the next beat to read
    val index = Reg(UInt(log2Up(Frame.maxBeats(dataBits)) bits)) init 0
    val lastBeat = io.take.record.lastBeat(dataBits).resize(index.getWidth)
    val isLast = index === lastBeat

    val fetch = Stream(Fetch())
    fetch.valid := io.take.valid && !io.take.order.isDrop
    fetch.address := pointer
    fetch.beat.lastLane := io.take.record.lastLane(dataBits)
    fetch.beat.last := isLast
    fetch.beat.index := index
    fetch.beat.isMarked := io.take.order.isMarked
    fetch.beat.mark := io.take.record.mark
    fetch.beat.side := io.take.side
    io.take.ready := io.take.order.isDrop || (fetch.ready && isLast)

    when(fetch.fire) {
      pointer := pointer + 1
      index := Mux(isLast, U(0), index + 1)
    }
    when(io.take.valid && io.take.order.isDrop)(pointer := pointer + (lastBeat + 1).resize(addressBits))
  }

  io.output << FreeRunning(onTake.fetch, marker.latency) { fetch =>
    marker.io.beat << fetch.map(_.beat)
    marker.io.data := RegNext(memory.readSync(RegNext(fetch.address)))
    marker.io.output
  }

  case class Fetch() extends Bundle {
    val address = UInt(addressBits bits)
    val beat = OutgoingBeat(dataBits, band)
  }
}

/** A frame that leaves the queue, with its record and its side-band. */
case class TakenFrame(band: SideBand) extends Bundle {
  val order = HeadOrder()
  val record = FrameRecord()
  val side = Side(band)
}

object PacketBuffer {

  /** Beats that may be admitted at a time: a frame that is leaving, and the next one that waits for it, no longer count for
    * those who admit, but are still there.
    */
  def room(dataBits: Int, beats: Int): Int = beats - 3 * Frame.maxBeats(dataBits) - 16
}
