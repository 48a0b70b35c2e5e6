// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import spinal.core._
import spinal.lib._

/** Sizes that every block of the datapath shares. */
object Frame {
  val maxBytes = 9600 // longest frame, without FCS
  val widths = Seq(8, 64, 128, 256, 512, 1024)
  val lengthBits = log2Up(maxBytes + 1)
  val windowBytes = 128 // what the parser sees of a frame
  val wordsAt = 14 // the parser counts 32-bit words from here: behind the Ethernet header all headers are made of them
  val words = (windowBytes - wordsAt) / 4
  val wordBits = log2Up(words + 1)

  /** Beats of the longest frame at a width. */
  def maxBeats(dataBits: Int): Int = (maxBytes * 8 + dataBits - 1) / dataBits
}

/** Widths of what a stream carries beside each frame: bits of `tuser` above its bit 0, of `tid` and of `tdest`; 0: none, and no
  * port.
  */
case class SideBand(userBits: Int, idBits: Int, destBits: Int) {
  val bits: Int = userBits + idBits + destBits
}

object SideBand {
  val none: SideBand = SideBand(0, 0, 0)
}

/** What a frame carries beside its bytes. */
case class Side(band: SideBand) extends Bundle {
  val user = Bits(band.userBits bits)
  val id = Bits(band.idBits bits)
  val dest = Bits(band.destBits bits)
}

object Side {

  /** What a tile carried as the frame's cookie. */
  def of(band: SideBand, cookie: Bits): Side = {
    val side = Side(band)
    if (band.bits > 0) side.assignFromBits(cookie)
    side
  }
}

/** One transfer of an AXI4-Stream of Ethernet frames without FCS: byte 0 in bits 7:0, `keep` contiguous from byte 0 and full
  * on all beats but the last, or zero on a beat that carries nothing; bit 0 of `user` high on the last beat of a frame that is
  * not to be used.
  */
case class Beat(dataBits: Int, band: SideBand) extends Bundle {
  val data = Bits(dataBits bits)
  val keep = Bits(dataBits / 8 bits)
  val last = Bool()
  val user = Bits(1 + band.userBits bits)
  val id = Bits(band.idBits bits)
  val dest = Bits(band.destBits bits)

  def isBad: Bool = user(0)

  /** The side-band as this beat shows it. */
  def side: Side = {
    val shown = Side(band)
    shown.user := user >> 1
    shown.id := id
    shown.dest := dest
    shown
  }

  /** Shows this side-band, of a frame that is good. */
  def show(side: Side): Unit = {
    user := side.user ## False
    id := side.id
    dest := side.dest
  }

  /** Valid bytes minus one, from a contiguous `keep`. */
  def lastLane: UInt = if (keep.getWidth == 1) U(0, 0 bits) else Beat.highest(keep)
}

object Beat {

  /** Bits of a byte's place in a beat; an 8-bit stream has only place 0. */
  def laneBits(dataBits: Int): Int = log2Up(dataBits / 8)

  /** Place of the highest bit of a contiguous `keep`: the one place where a bit is set and the next is not, as a number. */
  private def highest(keep: Bits): UInt = {
    val isHighest = keep & ~(keep |>> 1)
    Vec
      .tabulate(log2Up(keep.getWidth))(bit =>
        isHighest.asBools.indices.filter(i => (i >> bit & 1) == 1).map(isHighest(_)).orR
      )
      .asBits
      .asUInt
  }

  /** `keep` of a beat whose last valid byte is in `lane`. */
  def keepOf(lane: UInt, dataBits: Int): Bits =
    if (dataBits == 8) B(1, 1 bits) else Vec.tabulate(dataBits / 8)(i => U(i) <= lane).asBits

  /** The names that shells and test benches expect. */
  def name(port: String, stream: Stream[Beat]): Unit =
    StreamNames(port, stream)(
      "data" -> stream.data,
      "keep" -> stream.keep,
      "last" -> stream.last,
      "user" -> stream.user,
      "id" -> stream.id,
      "dest" -> stream.dest
    )
}

/** What happens to an arriving frame before it is judged. */
object InputFate {
  val names: Seq[String] = Seq("bad", "oversize")
}
