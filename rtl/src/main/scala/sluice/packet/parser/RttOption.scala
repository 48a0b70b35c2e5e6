// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import sluice.contract.Widths
import spinal.core._
import spinal.lib._

/** What a packet's options say of its round-trip time. The order is the code. */
object RttOutcome extends SpinalEnum(binarySequential) {
  val NONE = newElement() // there is no such option
  val GOOD = newElement()
  val BAD = newElement() // it, or an option in front of it, contradicts itself
  val BEYOND = newElement() // there is none in sight, and the options go on behind that
}

case class RttSeen() extends Bundle {
  val outcome = RttOutcome()
  val us = UInt(Widths.rttUs bits) // of a good one, saturated; otherwise 0
}

/** Reads the round-trip time that a packet carries in an option of its outermost IP header, wherever it stands among others; the
  * format is docs/rtt-option.md.
  *
  * An option begins where the one before ends, at any byte. So there is a stage for each word of four bytes, to which a walk comes
  * with the place where the next option begins: in that word, or so many words on. Where each option that could begin in a word
  * would end is worked out in the clocks before, see [[WordOptions]]. One packet per clock, [[RttOption.latency]] clocks.
  *
  * @param walk
  *   a frame when its IP header has been read: words(0) is the header's first, `at` behind it, `left` what there is of the packet
  */
class RttOption(walk: Flow[Walk]) extends Area {
  import RttOption._

  /** The words that hold options, which of them are there, and what it means if the walk comes to one that is not: `exact` where
    * an option would begin there, `inside` within one. Each with what it was in the clocks before.
    */
  val onWords = new Area {
    private val w = walk.payload
    private val isIpv6 = w.headers.isIpv6
    private val isHopByHop = w.next(7 downto 0) === 0
    private val pairs = w.words(ipv6Words)(23 downto 16).asUInt // of words of the hop-by-hop header, but one
    private def word(i: Int): Bits =
      if (i < ipv4Most) Mux(isIpv6, w.words(ipv6Words + i), w.words(ipv4Words + i)) else w.words(ipv6Words + i)
    private def isIn(i: Int): Bool = {
      val isOfIpv6 = w.left > ipv6Words + i && (if (i < 2) True else !(pairs < i / 2))
      if (i < ipv4Most) Mux(isIpv6, isOfIpv6, w.at > ipv4Words + i) else isIpv6 && isOfIpv6
    }
    private val isWhole = !isIpv6 || !((w.left >> 1) < pairs +^ (ipv6Words / 2 + 1))
    private val isOver = Mux(isWhole || !w.isLong, RttOutcome.BAD(), RttOutcome.BEYOND())
    private def over[T <: Data](value: T, cycles: Int): Vec[T] = History(RegNext(value), 0 to cycles)

    val starts = RegNext(w.headers.hasIp && (!isIpv6 || isHopByHop))
    private val versions = over(isIpv6, ipv4Most)
    def isOfIpv6(i: Int): Bool = if (i < ipv4Most) versions(i) else True // no walk of IPv4 comes so far
    val isCut = RegNext(w.scratch.isCutInOptions) // of IPv4: nothing of the header counts
    val words = Seq.tabulate(most)(i => over(word(i), i + decodeCycles))
    val isThere = Seq.tabulate(most)(i => over(isIn(i), i + decodeCycles))
    val exact = over(Mux(isWhole, RttOutcome.NONE(), isOver), most + decodeCycles)
    val inside = over(isOver, most + decodeCycles)

    /** The bytes of a word and of the one behind it, `i` clocks after all words: that is when it is decoded. */
    def bytes(i: Int): Seq[Bits] =
      (i to i + 1).flatMap(j => (if (j < most) words(j)(i) else B(0, 32 bits)).subdivideIn(8 bits).reverse)
    def isComing(i: Int, behind: Int): Bool = if (i + behind < most) isThere(i + behind)(i) else False
  }
  import onWords._

  val onWalk = new Area {
    private val start = WordWalk().getZero
    start.allowOverride()
    start.here := Delay(Mux(isOfIpv6(0), B"0100", B"0001").andMask(starts), decodeCycles)
    start.outcome := Mux(Delay(isCut, decodeCycles), RttOutcome.BAD(), RttOutcome.NONE())
    private val walks = (0 until most).scanLeft(start) { (before, i) =>
      val options = WordOptions(bytes(i), isOfIpv6(i), isComing(i, 1), isComing(i, 2))
      val at = i + decodeCycles
      RegNext(Mux(isThere(i)(at), before.through(words(i)(at), options), before.ended(exact(at), inside(at))))
    }
    private val at = most + decodeCycles
    val end = walks.last.ended(exact(at), inside(at))
  }

  /** The bytes of the time in their order. */
  val onTime = new Area {
    import onWalk.end
    private val turned = (0 until 4).map(by => end.taken.rotateLeft(8 * by).andMask(end.lane(by)))
    val us = RegNext(turned.reduce(_ | _).asUInt)
    val isGood = RegNext(end.outcome === RttOutcome.GOOD)
    private val isLong = (us >> Widths.rttUs).orR

    val seen = Flow(RttSeen())
    seen.valid := Delay(walk.valid, latency, init = False)
    seen.outcome := Delay(end.outcome, 2)
    private val most = U((BigInt(1) << Widths.rttUs) - 1, Widths.rttUs bits)
    seen.us := RegNext(Mux(isLong, most, us.resize(Widths.rttUs)).andMask(isGood))
  }
}

object RttOption {

  /** Kinds of the option, experimental ones of RFC 4727: of IPv4, copied into fragments; of IPv6, passed over by who does not know
    * it, and not changed on the way. All but their upper bits are the same.
    */
  val ipv4Kind = 0x9e
  val ipv6Kind = 0x1e

  /** What tells it from other experiments. */
  val identifier = 0x51ce

  /** Bytes of it: kind, length, identifier, and the time in us as four bytes. */
  val size = 8

  private val ipv4Words = 5 // in front of the options
  private val ipv4Most = 10
  private val ipv6Words = 10
  private val most = Frame.words - ipv6Words

  /** Clocks from a word to its [[WordOptions]]. */
  private[parser] val decodeCycles = 2

  /** From the walk to the time: the words, their options, a stage for each, and two for the time. */
  val latency: Int = 1 + decodeCycles + most + 2

  /** With the parser in front of it, for its test: a frame per clock, the time [[Parser.rttLatency]] clocks later. */
  class Top extends Component {
    val io = new Bundle {
      val window = in(Vec.fill(Frame.windowBytes / 8)(Bits(64 bits))) // first byte lowest
      val bytes = in(UInt(Frame.lengthBits bits))
      val seen = out(RttSeen())
    }
    private val parser = new Parser(readsRtt = true)
    parser.io.frame.valid := True
    parser.io.frame.bytes := io.bytes
    parser.io.frame.window.assignFromBits(io.window.asBits)
    io.seen := parser.io.rtt.payload
  }
}
