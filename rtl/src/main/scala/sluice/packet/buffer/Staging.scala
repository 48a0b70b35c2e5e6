// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package buffer

import sluice.blocks.state.DeepMemory
import spinal.core._
import spinal.lib._

/** A beat on its way into the staging memory. */
case class StagingWrite(dataBits: Int, beats: Int) extends Bundle {
  val address = UInt(log2Up(beats) bits)
  val data = Bits(dataBits bits)
}

/** What is known of a frame besides its bytes: its length and where its ECN field is. */
case class FrameRecord() extends Bundle {
  val lastByte = UInt(Frame.lengthBits bits) // its length minus one
  val mark = MarkPoint()

  /** Beats of the frame minus one. */
  def lastBeat(dataBits: Int): UInt = lastByte >> Beat.laneBits(dataBits)

  /** Place of the last byte in the last beat. */
  def lastLane(dataBits: Int): UInt = lastByte.resize(Beat.laneBits(dataBits))
}

/** Where frames wait for their verdict. Arrived frames are read back in order, one beat per clock, as soon as their verdict is
  * there, and go on to the packet buffer or nowhere.
  *
  * It cannot overflow, whatever arrives: beats leave as fast as they may come, so at most one longest frame and the beats of
  * the time to the verdict are inside. `depth` says how many that is.
  *
  * @param frames
  *   a power of two; fewer are inside. As many as beats, where a frame may be of one
  */
class Staging(dataBits: Int, depth: Int, frames: Int) extends Component {
  val io = new Bundle {
    val write = slave(Flow(StagingWrite(dataBits, depth)))
    val record = slave(Flow(FrameRecord())) // of each frame that waits, in order, before its verdict
    val isDrop = slave(Flow(Bool())) // verdict of each, in order
    val kept = master(Flow(StagedBeat(dataBits)))
  }

  val memory = new DeepMemory(dataBits, depth)
  memory.write(io.write.address, io.write.data, enable = io.write.valid)

  val records = FarQueue(io.record, frames)
  val verdicts = FarQueue(io.isDrop, frames)

  val onRead = new Area {
    val pointer = Reg(UInt(log2Up(depth) bits)) init 0
    val index = Reg(UInt(log2Up(Frame.maxBeats(dataBits)) bits)) init 0
    val lastBeat = records.lastBeat(dataBits).resize(index.getWidth)
    val isLast = index === lastBeat
    val isReading = verdicts.valid && records.valid
    when(isReading) {
      pointer := pointer + 1
      index := Mux(isLast, U(0), index + 1)
    }
    val isKept = isReading && !verdicts.payload
    verdicts.ready := isLast && records.valid
    records.ready := isLast && verdicts.valid
  }

  val kept = Flow(StagedBeat(dataBits))
  kept.valid := RegNext(onRead.isKept, init = False)
  kept.data := memory.readSync(onRead.pointer)
  kept.last := RegNext(onRead.isLast)
  kept.record := RegNext(records.payload)
  io.kept << kept.stage().stage()
}

/** A beat of a kept frame with the frame's record. */
case class StagedBeat(dataBits: Int) extends Bundle {
  val data = Bits(dataBits bits)
  val last = Bool()
  val record = FrameRecord()
}

object Staging {

  /** Entries that are always enough: the longest frame, and one beat per clock from its end to its verdict and back out. */
  def depth(dataBits: Int, verdictCycles: Int): Int = 1 << log2Up(Frame.maxBeats(dataBits) + verdictCycles + 16)
}
