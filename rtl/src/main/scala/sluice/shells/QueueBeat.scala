// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.packet.{Beat, SideBand, StreamNames}
import spinal.core._
import spinal.lib._

/** One transfer of a stream of NetFPGA's datapath, from the SUME on.
  *
  * `user` counts on a frame's first beat: bits 15:0 bytes of the frame, 23:16 where it comes from, 31:24 where it goes to, and what the
  * user's own modules say to each other above.
  */
case class QueueBeat(dataBits: Int) extends Bundle {
  val data = Bits(dataBits bits)
  val keep = Bits(dataBits / 8 bits)
  val user = Bits(QueueBeat.userBits bits)
  val last = Bool()

  /** The same for a datapath: the MACs have taken out bad frames. */
  def toBeat: Beat = {
    val beat = Beat(dataBits, QueueBeat.band)
    beat.data := data
    beat.keep := keep
    beat.user := user ## False
    beat.last := last
    beat
  }
}

object QueueBeat {
  val userBits = 128
  val band: SideBand = SideBand(userBits, idBits = 0, destBits = 0)

  /** Bytes of a frame, by what goes beside it. */
  def bytes(user: Bits): UInt = user(15 downto 0).asUInt

  /** What a datapath let out. Marks do not change what goes beside it. */
  def of(beat: Beat): QueueBeat = {
    val queued = QueueBeat(beat.dataBits)
    queued.data := beat.data
    queued.keep := beat.keep
    queued.user := beat.user >> 1
    queued.last := beat.last
    queued
  }

  /** The shell's names. */
  def name(port: String, stream: Stream[QueueBeat]): Unit =
    StreamNames(port, stream)(
      "data" -> stream.data,
      "keep" -> stream.keep,
      "user" -> stream.user,
      "last" -> stream.last
    )
}
