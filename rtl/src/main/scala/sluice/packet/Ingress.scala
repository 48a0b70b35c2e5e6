// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import spinal.core._
import spinal.lib._

/** A frame that has arrived whole. */
case class ArrivedFrame() extends Bundle {
  val window = Vec.fill(Frame.windowBytes)(Bits(8 bits)) // bytes beyond the frame's end are left over from others
  val bytes = UInt(Frame.lengthBits bits)
}

/** The way in: measures each frame, keeps its first bytes for the parser, and writes it to the staging memory. A frame counts
  * from its last beat on; a bad or overlong one is rolled back to where it began and leaves nothing behind but its fate.
  *
  * Three clocks from the last beat to `frame`, one frame per clock. Nothing here can fill up: see [[Staging]].
  */
class Ingress(dataBits: Int, stagingBeats: Int) extends Component {
  private val lanes = dataBits / 8

  val io = new Bundle {
    val beat = slave(Flow(Beat(dataBits)))
    val write = master(Flow(StagingWrite(dataBits, stagingBeats)))
    val frame = master(Flow(ArrivedFrame()))
    val arrived = out(Bool()) // last beat of any frame
    val refused = out(Bits(InputFate.names.size bits)) // its fate, at most one bit; zero: it goes to the parser
    val bytes = out(UInt(Ingress.bytesBits bits)) // its length, saturated
  }

  val onBeat = new Area {
    val valid = RegNext(io.beat.valid, init = False)
    val beat = RegNext(io.beat.payload)
    val lastLane = RegNext(io.beat.lastLane)
    val isNull = RegNext(!io.beat.keep(0))
  }

  val onMeasure = new Area {
    import onBeat.beat
    val index =
      Reg(UInt(Ingress.bytesBits - Beat.laneBits(dataBits) bits)) init 0 // of this beat in its frame, saturated
    when(onBeat.valid) {
      when(beat.last)(index := 0) elsewhen (!index.andR)(index := index + 1)
    }
    val lastByte = index @@ onBeat.lastLane
    val isOver = !(lastByte < Frame.maxBytes)
    val isBad = beat.user(0) || onBeat.isNull
  }

  val onFate = new Area {
    val valid = RegNext(onBeat.valid, init = False)
    val data = RegNext(onBeat.beat.data)
    val isWritten = RegNext(onBeat.valid && onMeasure.index < Frame.maxBeats(dataBits), init = False)
    val isEnd = RegNext(onBeat.valid && onBeat.beat.last, init = False)
    val isGood = RegNext(onBeat.valid && onBeat.beat.last && !onMeasure.isOver && !onMeasure.isBad, init = False)
    val bytes = RegNext(onMeasure.lastByte + 1)

    io.arrived := isEnd
    io.bytes := bytes
    io.refused := RegNext((!onMeasure.isBad && onMeasure.isOver) ## onMeasure.isBad).andMask(isEnd)
  }

  val onWrite = new Area {
    import onFate._
    val pointer = Reg(UInt(log2Up(stagingBeats) bits)) init 0
    val committed = Reg(UInt(log2Up(stagingBeats) bits)) init 0
    io.write.valid := isWritten
    io.write.address := pointer
    io.write.data := data
    when(isGood)(committed := pointer + 1)
    when(isEnd && !isGood)(pointer := committed) elsewhen (isWritten)(pointer := pointer + 1)
  }

  val onWindow = new Area {
    import onFate._
    val beats = (Frame.windowBytes / lanes).max(1)
    val isIts = Vec.tabulate(beats)(i => RegNext(onBeat.valid && onMeasure.index === i, init = False))
    val held = Vec.tabulate(beats)(i => RegNextWhen(data, isIts(i)))
    io.frame.valid := RegNext(isGood, init = False)
    io.frame.bytes := RegNext(bytes.resize(Frame.lengthBits))
    io.frame.window := Vec(Cat(held).subdivideIn(8 bits).take(Frame.windowBytes))
  }
}

object Ingress {

  /** Clocks from the last beat to the whole frame. */
  val cycles = 3

  /** Bits of a measured length: what is longer counts modulo 128 KiB, but stays too long. */
  val bytesBits = 17
}
