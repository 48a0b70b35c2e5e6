// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package rtt

import sluice.contract.{Parameter, Rule, Widths}
import sluice.packet.parser._
import sluice.tile.{ExtensionIo, HostWord}
import spinal.core._
import spinal.lib._

/** A frame's round-trip time as the core is told it, and what its options say of it. */
case class FrameRtt() extends Bundle {
  val us = UInt(Widths.rttUs bits) // 0: not known
  val option = RttOutcome()
}

/** A frame's round-trip time from where the host wants it: its own option, the table, or the port.
  *
  * @param set
  *   a parameter in force
  * @param cycles
  *   from the frame's headers until its time is due
  * @param portUs
  *   what the port said of the frame, a clock before that
  */
class RttSource(parser: Parser, host: ExtensionIo, set: Parameter => UInt, cycles: Int, portUs: UInt) extends Area {
  import RttSource._

  val onTable = new Area {
    private val pair = RegNextWhen(host.writtenData, host.written(0))
    private val writes = host.written.asBools.toSeq.tail.map { isIts =>
      val write = Flow(RttEntry())
      write.valid := isIts
      write.us := host.writtenData.asUInt.resized
      write.pair := pair
      write
    }
    private def mask(bits: Parameter): Bits = RegNext(FlowKey.mask(set(bits))).takeHigh(RttTable.prefixBits)
    val table = new RttTable(parser.io.headers.payload, mask(prefixIpv4), mask(prefixIpv6), writes)
    val us = Mux(table.us === 0, RegNext(set(default)), table.us)
  }

  val rtt = Flow(FrameRtt())
  private val chosen = Vec(
    Delay(parser.io.rtt.us, cycles - 1 - (parser.rttLatency - parser.latency)),
    Delay(onTable.us, cycles - 1 - RttTable.latency),
    portUs
  ).read(RegNext(set(source)))
  rtt.valid := Delay(parser.io.headers.valid, cycles, init = False)
  rtt.us := RegNext(chosen)
  rtt.option := Delay(parser.io.rtt.outcome, cycles - (parser.rttLatency - parser.latency))

  /** In the order of [[RttSource.counters]]. */
  val events: Seq[Bool] =
    (Seq(RttOutcome.GOOD, RttOutcome.BAD, RttOutcome.BEYOND).map(rtt.option === _) :+ (rtt.us === 0))
      .map(isIt => RegNext(rtt.valid && isIt, init = False))
}

object RttSource {
  val source = Parameter(
    "rtt_source",
    "",
    2,
    0,
    "code",
    0,
    "where a frame's round-trip time comes from: 0 its own option, 1 the table, 2 the port"
  )
  val default =
    Parameter(
      "rtt_default",
      "",
      Widths.rttUs,
      0,
      "us",
      0,
      "round-trip time of pairs that are not in the table; 0: not known"
    )
  val prefixIpv4 = Parameter("rtt_prefix_ipv4", "", 6, 0, "bits", 24, "length of the table's prefixes, IPv4")
  val prefixIpv6 = Parameter("rtt_prefix_ipv6", "", 7, 0, "bits", 48, "length of the table's prefixes, IPv6")
  val parameters: Seq[Parameter] = Seq(source, default, prefixIpv4, prefixIpv6)
  val rules: Seq[Rule] = Seq(
    Rule("rtt_source_known", "rtt_source <= 2", _(source) <= 2),
    Rule("rtt_prefix_ipv4_at_most_32", "rtt_prefix_ipv4 <= 32", _(prefixIpv4) <= 32),
    Rule("rtt_prefix_ipv6_at_most_64", "rtt_prefix_ipv6 <= 64", _(prefixIpv6) <= 64)
  )

  /** Frames with a good option, a bad one, one out of sight; frames of which no time is known. */
  val counters: Seq[String] = Seq("rtt_option_good", "rtt_option_bad", "rtt_option_beyond", "rtt_unknown")

  /** How the host fills the table. */
  val words: Seq[HostWord] =
    HostWord("RTT_PAIR", 32, "hash of a pair of prefixes, for the next RTT_TIME0 or RTT_TIME1") +:
      Seq.tabulate(RttTable.tables) { i =>
        HostWord(
          s"RTT_TIME$i",
          Widths.rttUs,
          s"that pair's time in us, into table $i, at bits ${RttTable.place(i)} of its hash"
        )
      }
}
