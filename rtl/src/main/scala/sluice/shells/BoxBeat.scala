// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.packet.{Beat, SideBand, StreamNames}
import spinal.core._
import spinal.lib._

/** One transfer of a stream of OpenNIC's 250 MHz box.
  *
  * `tuser` is three ports there, the same on every beat of a frame: bytes of the frame, known at its first beat, and where it comes
  * from and goes to, bits 3:0 one for each PCIe function and bits 15:6 one for each MAC. Of what the shell gives `dst` is 0.
  */
case class BoxBeat() extends Bundle {
  val data = Bits(BoxBeat.dataBits bits)
  val keep = Bits(BoxBeat.dataBits / 8 bits)
  val last = Bool()
  val size = UInt(16 bits)
  val src = Bits(16 bits)
  val dst = Bits(16 bits)

  /** The same for a datapath, which carries size and source: the shell gives good frames only. */
  def toBeat: Beat = {
    val beat = Beat(BoxBeat.dataBits, BoxBeat.band)
    beat.assignSomeByName(this)
    beat.user := src ## size ## False
    beat
  }

  /** Beats of a frame of this size. */
  def beats: UInt = (size +^ (BoxBeat.lanes - 1)) >> log2Up(BoxBeat.lanes)
}

object BoxBeat {
  val dataBits = 512
  val lanes: Int = dataBits / 8
  val band: SideBand = SideBand(userBits = 32, idBits = 0, destBits = 0)

  /** What a datapath let out, to where it is to go. Marks do not change the size. */
  def of(beat: Beat, dst: Int): BoxBeat = {
    val box = BoxBeat()
    box.assignSomeByName(beat)
    box.size := beat.user(16 downto 1).asUInt
    box.src := beat.user(32 downto 17)
    box.dst := dst
    box
  }

  /** The shell's names. */
  def name(port: String, stream: Stream[BoxBeat]): Unit =
    StreamNames(port, stream)(
      "data" -> stream.data,
      "keep" -> stream.keep,
      "last" -> stream.last,
      "user_size" -> stream.size,
      "user_src" -> stream.src,
      "user_dst" -> stream.dst
    )
}
