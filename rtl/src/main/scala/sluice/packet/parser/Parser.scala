// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import sluice.blocks.state.SideTrack
import spinal.core._
import spinal.lib._

/** The parser: one header kind per stage, one frame per clock, [[latency]] clocks. Behind the Ethernet header everything is
  * made of 32-bit words, so that a header is found by its word offset. The words are aligned twice, to the IP header and to
  * the transport header.
  *
  * @param readsRtt
  *   the [[RttOption]] too, on `rtt`, [[rttLatency]] clocks from `frame`
  */
class Parser(readsRtt: Boolean) extends Component {
  val io = new Bundle {
    val frame = slave(Flow(ArrivedFrame()))
    val headers = master(Flow(Headers()))
    val rtt = readsRtt generate master(Flow(RttSeen()))
  }

  private val steps: Seq[Walk => Walk] = LinkLayer.steps ++ NetworkLayer.steps ++ TransportLayer.steps

  /** Clocks from `frame` to `headers`. */
  val latency: Int = steps.size + 1

  // What step i sees is walks(i), and the words that have waited for it.
  private val start = io.frame.map(LinkLayer.start).stage()
  private val waits = Seq(LinkLayer.waiting, NetworkLayer.waiting.after(LinkLayer.steps.size))
  private val walks = steps.zipWithIndex.foldLeft(Vector(start)) { case (walks, (step, i)) =>
    val seen = waits.filter(_.until == i).foldLeft(walks.last)((flow, w) => w.rejoin(flow, walks(w.from)))
    walks :+ seen.map(step).stage()
  }
  io.headers << walks.last.map(_.headers)

  // What is known from the start and needed only at the end takes the way round, through memory.
  private val track = new SideTrack(LinkLayer.macs(io.frame.payload), latency)
  io.headers.macs.allowOverride() := track.output

  // So does what is known with the IP header and not looked at again.
  private val early = LinkLayer.steps.size + NetworkLayer.headSteps
  private def settled(h: Headers): Seq[Data] = Seq(
    h.bytes,
    h.vlanId,
    h.etherType,
    h.mplsLabel,
    h.source,
    h.destination,
    h.service,
    h.ttl,
    h.ipLength,
    h.ipId,
    h.mark.checksum
  )
  private val headTrack = new SideTrack(Cat(settled(walks(early).headers)), steps.size - early)
  for ((field, range) <- settled(io.headers.payload).zip(SideTrack.ranges(settled(io.headers.payload)))) {
    field.allowOverride()
    field.assignFromBits(headTrack.output(range))
  }

  // Options are read beside all that follows.
  private val options = readsRtt generate new RttOption(walks(early))
  if (readsRtt) io.rtt << options.onTime.seen

  /** Clocks from `frame` to `rtt`. */
  val rttLatency: Int = early + 1 + RttOption.latency
}

/** Words that none of the steps `from` until `until` looks at: meanwhile they wait in memory. */
case class Waiting(words: Range, from: Int, until: Int) {

  /** The same when there are more steps before. */
  def after(steps: Int): Waiting = copy(from = from + steps, until = until + steps)

  /** The walk as step `until` is to see it, with the words of when it was at step `from`. */
  def rejoin(flow: Flow[Walk], earlier: Flow[Walk]): Flow[Walk] = {
    val track = new SideTrack(Vec(words.map(earlier.words(_))).asBits, until - from)
    flow.map(Walk.step { (after, _) =>
      for ((i, word) <- words.zip(track.output.subdivideIn(32 bits))) after.words(i) := word
    })
  }
}

/** What one step of the walk finds out for the next. */
case class Scratch() extends Bundle {
  val isVlan, isMpls = Bool() // the next header is a VLAN tag, an MPLS label
  val isSnapAt = Vec.fill(3)(Bool()) // a SNAP header begins at this word
  val isLength, isSnap = Bool() // the type field is a length; a SNAP header follows it
  val isTail = Bool() // three bytes of the frame are behind its last whole word
  val isPppoe, isSession = Bool() // the next header is PPPoE's; if so, of a session
  val hasSession, hasProtocol = Bool() // its session is there; PPP's protocol behind it too
  val isPpp = Vec.fill(HeaderTables.pppTypes.size)(Bool()) // which protocol that is
  val isCompressed, isWide = Bool() // it is one byte; there is more behind it than is looked at
  val isIpv4, isIpv6 = Bool() // the type behind all that says so
  val isBad, isAlien = Bool() // the IP header contradicts itself; what follows is not IP
  val isShort = Bool() // the length that an IPv4 header states is less than the header's own
  val isCutInOptions = Bool() // the frame ends among the options of an IPv4 header
  val group = Vec.fill(Frame.words / 4)(Bits(32 bits)) // words among which the next header begins
  val most = UInt(Frame.wordBits bits) // largest length field of an extension header that is there whole
  val isExtension, isFragment, isQuad = Bool() // kind of the next header: of IPv6, a fragment's, in units of 4 bytes
  val behind = UInt(Frame.wordBits bits) // word offset behind its first two words
  val isHere, hasNext = Bool() // there is one; its first word is there
  val hasOffset = Bool() // it is a fragment's and its offset is there
  val isCut = Bool() // its first two words are not there
  val hasLength, isLonger = Bool() // it states a length; what would be one is more than `most`
  val isLater = Bool() // it is that of a later fragment
  val checksum = UInt(17 bits) // its sum, before the carry is added
  val which = Bits(6 bits) // kind of tunnel
  val isOver = Vec.fill(HeaderTables.overUdp.size)(Bool()) // the transport header has a port of this tunnel
  val isUdp, isGre, isL2tp = Bool()
}

/** A frame on its way through the parser: what is known so far and the words that are left to look at. */
case class Walk() extends Bundle {
  val headers = Headers()
  val words = Vec.fill(Frame.words)(Bits(32 bits))
  val left = UInt(Frame.wordBits bits) // whole words of the frame that are there, from words(0) on
  val isLong = Bool() // the window ends before the frame does
  val at = UInt(Frame.wordBits bits) // word offset of the next header
  val room = UInt(Frame.wordBits bits) // words from there on
  val next = Bits(16 bits) // what it is: an Ethernet type, unless `isStack`; later an IP protocol
  val isStack = Bool() // it is behind an MPLS stack, which does not say what follows
  val isShifted = Bool() // it begins in the last byte of the word at `at`
  val scratch = Scratch()
  val isOpen = Bool() // the walk goes on

  /** The word `ahead` of the header at `at`, which is one of `least` to `most`. */
  def word(least: Int, most: Int, ahead: Int = 0): Bits = {
    val choices = (0 to most).map(i => words((i.max(least) + ahead).min(Frame.words - 1)))
    Vec(choices).read(at.resize(log2Up(most + 1)))
  }

  /** A word of a packet that begins in the last byte of words(0). */
  def shifted(i: Int): Bits = words(i)(7 downto 0) ## words(i + 1)(31 downto 8)

  /** Whether the header at `at` has at least this many words. */
  def fits(length: Int): Bool = Walk.isAtLeast(room, length)

  /** Moves on to the next header. */
  def skip(before: Walk, length: Int): Unit = {
    at := before.at + length
    room := before.room - length
  }

  /** Ends the walk. */
  def end(outcome: Outcome.E): Unit = {
    isOpen := False
    headers.outcome := outcome
  }

  /** Ends the walk because the next header is not there whole. */
  def endCut(isWindow: Bool): Unit = {
    isOpen := False
    headers.outcome := Mux(isWindow, Outcome.DEEP(), Outcome.CUT())
  }

  /** The same walk one stage on, changed by `change`, which gets the new and the old state. */
  def next(change: (Walk, Walk) => Unit): Walk = {
    val after = Walk()
    after := this
    after.allowOverride()
    change(after, this)
    after
  }
}

object Walk {

  /** A step of the walk. */
  def step(change: (Walk, Walk) => Unit): Walk => Walk = _.next(change)

  /** Whether there are at least so many words, without a carry chain where that is a power of two. */
  def isAtLeast(words: UInt, least: Int): Bool =
    if (isPow2(least)) words(words.high downto log2Up(least)).orR else !(words < least)

  /** Steps of [[align]]. */
  val alignSteps = 2

  /** The two steps that bring the word at `at`, which is one of `least` to `most`, to words(0); `needed` words from there on
    * are valid.
    */
  def align(least: Int, most: Int, needed: Int): Seq[Walk => Walk] = {
    def shift(by: Seq[Int], kept: Int)(choose: Walk => UInt) = step { (after, before) =>
      for (i <- 0 until Frame.words) {
        def choices = by.map(d => if (i + d < Frame.words) before.words(i + d) else B(0, 32 bits))
        after.words(i) := (if (i < kept) Vec(choices).read(choose(before)) else B(0))
      }
    }
    val coarse = (0 to most / 4).map(i => 4 * i.max(least / 4))
    Seq(
      shift(coarse, needed + 3)(w => (w.at >> 2).resize(log2Up(coarse.size))),
      shift(0 to 3, needed)(_.at(1 downto 0))
    )
  }
}
