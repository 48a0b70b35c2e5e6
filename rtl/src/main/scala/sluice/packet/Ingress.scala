// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import sluice.contract.Widths
import sluice.packet.buffer.StagingWrite
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
  * A beat whose `keep` is zero carries nothing and is passed over; as the last one it ends the frame with the bytes before. Bad
  * is also a frame without any bytes, and one with bytes behind a beat that is not full. A frame's side-band is that of its first
  * beat with bytes, and so is the round-trip time that the port says.
  *
  * Three clocks from the last beat to `frame`, one frame per clock. Nothing here can fill up: see [[Staging]].
  */
class Ingress(dataBits: Int, stagingBeats: Int, band: SideBand, needsRtt: Boolean) extends Component {
  private val lanes = dataBits / 8

  val io = new Bundle {
    val beat = slave(Flow(Beat(dataBits, band)))
    val write = master(Flow(StagingWrite(dataBits, stagingBeats)))
    val frame = master(Flow(ArrivedFrame()))
    val side = out(Side(band)) // of `frame`
    val rttUs = needsRtt generate in(UInt(Widths.rttUs bits)) // with `beat`
    val frameRttUs = needsRtt generate out(UInt(Widths.rttUs bits)) // of `frame`
    val arrived = out(Bool()) // last beat of any frame
    val refused = out(Bits(InputFate.names.size bits)) // its fate, at most one bit; zero: it goes to the parser
    val bytes = out(UInt(Ingress.bytesBits bits)) // its length, saturated
  }

  val onBeat = new Area {
    val valid = RegNext(io.beat.valid, init = False)
    val beat = RegNext(io.beat.payload)
    val lastLane = RegNext(io.beat.lastLane)
    val isNull = RegNext(!io.beat.keep(0))
    val isFull = RegNext(io.beat.keep.msb)
    val rttUs = needsRtt generate RegNext(io.rttUs)
  }

  val onMeasure = new Area {
    import onBeat.{beat, isNull, isFull}
    val index =
      Reg(UInt(Ingress.bytesBits - Beat.laneBits(dataBits) bits)) init 0 // of this beat in its frame, saturated
    val isFirst = index === 0
    val isEmpty = isNull && isFirst // no bytes so far
    val wasShort, wasTorn = Reg(Bool()) init False // a beat before was not full; and bytes came behind it
    val isTorn = wasTorn || (wasShort && !isNull)
    when(onBeat.valid) {
      when(beat.last)(index := 0) elsewhen (!isNull && !index.andR)(index := index + 1)
      wasShort := !beat.last && (wasShort || !(isNull || isFull))
      wasTorn := !beat.last && isTorn
    }
    val isBeyond = Reg(Bool()) init False // more came than `index` can tell
    when(onBeat.valid)(isBeyond := !beat.last && (isBeyond || (index.andR && !isNull)))
    val itsLastByte = (index @@ onBeat.lastLane) | U(Ingress.bytesBits bits, default -> isBeyond)
    val lastByte = Mux(isNull, RegNextWhen(itsLastByte, onBeat.valid && !isNull), itsLastByte)
    val isOver = !(lastByte < Frame.maxBytes)
    val isBad = beat.isBad || isTorn || isEmpty
    private def ofFirst[T <: Data](value: T): T = RegNextWhen(value, onBeat.valid && isFirst)
    val side = ofFirst(beat.side)
    val rttUs = needsRtt generate ofFirst(onBeat.rttUs)
  }

  val onFate = new Area {
    val valid = RegNext(onBeat.valid, init = False)
    val data = RegNext(onBeat.beat.data)
    val isWritten =
      RegNext(onBeat.valid && !onBeat.isNull && onMeasure.index < Frame.maxBeats(dataBits), init = False)
    val isEnd = RegNext(onBeat.valid && onBeat.beat.last, init = False)
    val isGood = RegNext(onBeat.valid && onBeat.beat.last && !onMeasure.isOver && !onMeasure.isBad, init = False)
    val count = onMeasure.lastByte +^ 1
    val bytes = RegNext(count.sat(1).andMask(!onMeasure.isEmpty))

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
    when(isGood)(committed := pointer + U(isWritten))
    when(isEnd && !isGood)(pointer := committed) elsewhen (isWritten)(pointer := pointer + 1)
  }

  val onWindow = new Area {
    import onFate._
    val beats = (Frame.windowBytes / lanes).max(1)
    val isIts = Vec.tabulate(beats)(i => RegNext(onBeat.valid && onMeasure.index === i, init = False))
    val held = Vec.tabulate(beats)(i => RegNextWhen(data, isIts(i)))
    io.frame.valid := RegNext(isGood, init = False)
    io.frame.bytes := RegNext(bytes.resize(Frame.lengthBits))
    io.side := RegNext(onMeasure.side)
    if (needsRtt) io.frameRttUs := RegNext(onMeasure.rttUs)
    io.frame.window := Vec(Cat(held).subdivideIn(8 bits).take(Frame.windowBytes))
  }
}

object Ingress {

  /** Clocks from the last beat to the whole frame. */
  val cycles = 3

  /** Bits of a measured length: what is longer counts as the longest that they can tell, a byte less than 128 KiB. */
  val bytesBits = 17
}
