// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells
package esnet

import sluice.packet.{Beat, SideBand}
import spinal.core._
import spinal.lib._

/** The streams of ESnet's `smartnic_app`: all of a kind side by side in one port for each signal.
  *
  * `tid` says where a frame comes from and `tdest` where it goes, bit 0 a port and bits 3:1 of what kind it is. The shell gives good
  * frames only, and nothing in `tuser`.
  */
object EsnetStreams {
  val dataBits = 512
  val portBits = 4
  val band: SideBand = SideBand(userBits = 0, idBits = portBits, destBits = 0)

  /** The kind of a port that is a MAC, and of one that is the host's PCIe function. */
  val mac = 0
  val function = 1

  def place(kind: Int, port: Int): Int = kind << 1 | port

  /** Streams that come from the shell; where it would send them is not looked at. */
  def from(name: String, count: Int): Seq[Stream[Beat]] = {
    def port(signal: String, width: Int): Bits = in(Bits(count * width bits)).setName(s"${name}_$signal")
    val valid = port("tvalid", 1)
    val data = port("tdata", dataBits).subdivideIn(count slices)
    val keep = port("tkeep", dataBits / 8).subdivideIn(count slices)
    val last = port("tlast", 1)
    val id = port("tid", portBits).subdivideIn(count slices)
    port("tdest", portBits)
    val streams = Seq.tabulate(count) { i =>
      val stream = Stream(Beat(dataBits, band))
      stream.valid := valid(i)
      stream.data := data(i)
      stream.keep := keep(i)
      stream.last := last(i)
      stream.user := 0
      stream.id := id(i)
      stream
    }
    out(Bits(count bits)).setName(s"${name}_tready") := Cat(streams.map(_.ready))
    streams
  }

  /** One that nothing comes from. */
  def idle: Stream[Beat] = {
    val stream = Stream(Beat(dataBits, band))
    stream.valid := False
    stream.payload.clearAll()
    stream
  }

  /** Streams to the shell, each to its place. The host spreads none of them over its queues by a hash. */
  def to(name: String, streams: Seq[(Stream[Beat], Int)]): Unit = {
    def port(signal: String, value: Bits): Unit = out(cloneOf(value)).setName(s"${name}_$signal") := value
    val ready = in(Bits(streams.size bits)).setName(s"${name}_tready")
    for (((stream, _), i) <- streams.zipWithIndex) stream.ready := ready(i)
    port("tvalid", Cat(streams.map(_._1.valid)))
    port("tdata", Cat(streams.map(_._1.data)))
    port("tkeep", Cat(streams.map(_._1.keep)))
    port("tlast", Cat(streams.map(_._1.last)))
    port("tid", Cat(streams.map(_._1.id)))
    port("tdest", Cat(streams.map { case (_, place) => B(place, portBits bits) }))
    port("tuser_rss_enable", B(0, streams.size bits))
    port("tuser_rss_entropy", B(0, streams.size * 12 bits))
  }
}
