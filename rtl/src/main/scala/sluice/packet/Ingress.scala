// SPDX-License-Identifier: Apache-2.0
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
  * Two clocks from the last beat to `frame`, one frame per clock. Nothing here can fill up: see [[Staging]].
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
    import onBeat._
    val index =
      Reg(UInt(Ingress.bytesBits - Beat.laneBits(dataBits) bits)) init 0 // of this beat in its frame, saturated
    val isEnd = valid && beat.last
    val bytes = (index @@ lastLane) + 1
    when(valid) {
      when(beat.last)(index := 0) elsewhen (!index.andR)(index := index + 1)
    }
    val isOver = bytes > Frame.maxBytes
    val isBad = beat.user(0) || isNull
    val isGood = isEnd && !isOver && !isBad

    io.arrived := isEnd
    io.bytes := bytes
    io.refused := ((!isBad && isOver) ## isBad).andMask(isEnd)
  }

  val onWrite = new Area {
    import onMeasure._
    val pointer = Reg(UInt(log2Up(stagingBeats) bits)) init 0
    val committed = Reg(UInt(log2Up(stagingBeats) bits)) init 0
    io.write.valid := onBeat.valid && index < Frame.maxBeats(dataBits)
    io.write.address := pointer
    io.write.data := onBeat.beat.data
    when(isGood)(committed := pointer + 1)
    when(isEnd && !isGood)(pointer := committed) elsewhen (io.write.valid)(pointer := pointer + 1)
  }

  val onWindow = new Area {
    import onMeasure._
    val beats = (Frame.windowBytes / lanes).max(1)
    val held = Vec.tabulate(beats)(i => RegNextWhen(onBeat.beat.data, onBeat.valid && index === i))
    val bytes = Cat(held).subdivideIn(8 bits)
    io.frame.valid := RegNext(isGood, init = False)
    io.frame.bytes := RegNext(onMeasure.bytes.resize(Frame.lengthBits))
    io.frame.window := Vec(bytes.take(Frame.windowBytes))
  }

}

object Ingress {

  /** Bits of a measured length: what is longer counts modulo 128 KiB, but stays too long. */
  val bytesBits = 17
}
