// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import spinal.core._
import spinal.lib._

/** Where and how a frame is marked with CE, found out by the parser.
  *
  * @note
  *   `serviceWord` and `checksumWord` are the 32-bit words of the frame, counted from its first byte, that hold the ECN field and
  *   the first byte of the IPv4 header checksum; `checksum` is what that is after marking. With `isShifted` the header begins at
  *   byte 1 of a word, one earlier than behind an Ethernet header with all that is made of words.
  */
case class MarkPoint() extends Bundle {
  val serviceWord, checksumWord = UInt(Frame.wordBits + 1 bits)
  val isIpv4, isShifted = Bool()
  val checksum = Bits(16 bits)
}

object MarkPoint {

  /** The checksum of an IPv4 header whose ECN field goes from `ecn` to CE: RFC 1624, equation 3, where the change of the
    * first header word is `3 - ecn`. First the sum, then, a clock later, the checksum of it.
    */
  def sum(old: Bits, ecn: Bits): UInt = (~old).asUInt +^ (~ecn).asUInt
  def checksum(sum: UInt): Bits = ~(sum(15 downto 0) + U(sum.msb)).asBits
}

/** What the marker needs to know of a beat that leaves the buffer, beside its data. */
case class OutgoingBeat(dataBits: Int, band: SideBand) extends Bundle {
  val lastLane = UInt(Beat.laneBits(dataBits) bits)
  val last = Bool()
  val index = UInt(log2Up(Frame.maxBeats(dataBits)) bits)
  val isMarked = Bool()
  val mark = MarkPoint()
  val side = Side(band) // the frame's
}

/** Sets CE in the outermost IP header: both ECN bits of the type of service or traffic class, and the new header checksum where
  * there is one. All other bytes pass as they are. One beat per clock, never held back.
  *
  * @param dataCycles
  *   clocks, at least two, from a beat to its data, as a memory reads them; the beat leaves one clock after its data
  */
class Marker(dataBits: Int, band: SideBand, dataCycles: Int) extends Component {
  private val lanes = dataBits / 8

  val io = new Bundle {
    val beat = slave(Flow(OutgoingBeat(dataBits, band)))
    val data = in(Bits(dataBits bits))
    val output = master(Flow(Beat(dataBits, band)))
  }

  def latency: Int = dataCycles + 1

  case class Located() extends Bundle {
    val lastLane = UInt(Beat.laneBits(dataBits) bits)
    val last = Bool()
    val isIpv4 = Bool()
    val checksum = Bits(16 bits)
    val isService, isSum0, isSum1 = Bits(lanes bits) // the lane holds this byte of the header
    val side = Side(band)
  }

  /** Lanes of `beat` that hold byte `4 * word + byte` of the frame. Headers start at byte 2 of a word, or at byte 1, so that
    * `byte` is a constant in either case.
    */
  private def lanesOf(beat: OutgoingBeat, word: UInt, byte: Int): Bits = {
    val position = word @@ U(byte, 2 bits)
    val inBeat = (position >> Beat.laneBits(dataBits)) === beat.index // at full width: long frames have many beats
    Vec.tabulate(lanes)(lane => inBeat && position.resize(Beat.laneBits(dataBits)) === lane).asBits
  }

  val onLocate = new Area {
    val early = Iterator.iterate(io.beat)(_.stage()).drop(dataCycles - 2).next() // narrow as yet
    val arriving = early.stage()
    val sumNext = RegNext(early.mark.checksumWord + 1)
    val located = arriving
      .map { beat =>
        val l = Located()
        l.lastLane := beat.lastLane
        l.last := beat.last
        l.isIpv4 := beat.mark.isIpv4
        l.side := beat.side
        l.checksum := beat.mark.checksum
        def either(word: UInt, byte: Int)(shiftedWord: UInt, shiftedByte: Int): Bits =
          Mux(beat.mark.isShifted, lanesOf(beat, shiftedWord, shiftedByte), lanesOf(beat, word, byte))
            .andMask(beat.isMarked)
        l.isService := either(beat.mark.serviceWord, 3)(beat.mark.serviceWord, 2)
        l.isSum0 := either(beat.mark.checksumWord, 0)(beat.mark.checksumWord, 3).andMask(beat.mark.isIpv4)
        l.isSum1 := either(beat.mark.checksumWord, 1)(sumNext, 0).andMask(beat.mark.isIpv4)
        l
      }
      .stage()
  }

  val onPatch = new Area {
    io.output << onLocate.located
      .map { l =>
        val out = Beat(dataBits, band)
        val service = Mux(l.isIpv4, B"8'h03", B"8'h30")
        out.data := Cat(Seq.tabulate(lanes) { i =>
          val byte = io.data(8 * i, 8 bits) | service.andMask(l.isService(i))
          Mux(l.isSum0(i), l.checksum(15 downto 8), Mux(l.isSum1(i), l.checksum(7 downto 0), byte))
        })
        out.keep := Mux(l.last, Beat.keepOf(l.lastLane, dataBits), B(lanes bits, default -> true))
        out.last := l.last
        out.show(l.side)
        out
      }
      .stage()
  }
}
