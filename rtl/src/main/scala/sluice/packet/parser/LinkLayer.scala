// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import sluice.packet.parser.HeaderTables._
import spinal.core._

/** Ethernet II and 802.3 with LLC and SNAP, two VLAN tags, PPPoE with PPP, and an MPLS stack. At its end the words of the
  * frame are aligned to whatever follows; behind a compressed protocol field of PPP, which is one byte, to the byte in front
  * of the word in whose last byte that begins, see [[NetworkLayer.shiftedWords]].
  */
object LinkLayer {

  /** Most words in front of an IP header: tags, SNAP, PPPoE, labels. */
  private val mostWords = 2 + 2 + 2 + mplsDepth

  private def bytes(frame: ArrivedFrame, from: Int, n: Int): Bits = Cat(frame.window.slice(from, from + n).reverse)

  /** Destination and source. */
  def macs(frame: ArrivedFrame): Bits = bytes(frame, 0, 12)

  /** The Ethernet header. */
  def start(frame: ArrivedFrame): Walk = {
    val w = Walk().getZero
    w.allowOverride()
    w.headers.bytes := frame.bytes
    w.next := bytes(frame, 12, 2)
    w.scratch.isVlan := isOneOf(w.next, vlanTypes)
    for (i <- 0 until Frame.words) w.words(i) := bytes(frame, Frame.wordsAt + 4 * i, 4)
    w.isLong := frame.bytes > Frame.windowBytes
    w.left := Mux(w.isLong, U(Frame.words), (frame.bytes - Frame.wordsAt) >> 2).resized
    w.room := w.left
    w.scratch.isTail := !w.isLong && (frame.bytes - Frame.wordsAt)(1 downto 0) === 3
    w.isOpen := True
    when(frame.bytes < Frame.wordsAt)(w.end(Outcome.RUNT))
    w
  }

  private def vlan(level: Int): Walk => Walk = Walk.step { (after, w) =>
    val tag = w.word(0, level)
    after.scratch.isVlan := w.scratch.isVlan && isOneOf(tag(15 downto 0), vlanTypes)
    after.headers.vlanId(level) := tag(27 downto 16)
    when(w.isOpen && w.scratch.isVlan) {
      when(w.fits(1)) {
        after.headers.hasVlan(level) := True
        after.next := tag(15 downto 0)
        after.skip(w, 1)
      } otherwise after.endCut(w.isLong)
    }
  }

  /** Where SNAP headers are, if that is what is there. */
  private val compareSnap: Walk => Walk = Walk.step { (after, w) =>
    for ((isSnap, i) <- after.scratch.isSnapAt.zipWithIndex)
      isSnap := w.words(i) === 0xaaaa0300L && isOneOf(w.words(i + 1)(31 downto 16), Seq(0x0000, 0x00f8))
  }

  /** The type behind the tags as the frame has it; a length leads to LLC, of which SNAP carries on. */
  private val classify: Walk => Walk = Walk.step { (after, w) =>
    after.scratch.isLength := w.next.asUInt <= largestLength
    after.scratch.isSnap := w.fits(2) && w.scratch.isSnapAt.read(w.at.resize(2))
  }

  private val typeOrLength: Walk => Walk = Walk.step { (after, w) =>
    val snap = w.word(0, 2, 1)
    after.headers.etherType := w.next
    after.headers.hasType := !w.scratch.isLength && w.isOpen
    when(w.isOpen && w.scratch.isLength) {
      when(w.scratch.isSnap) {
        after.next := snap(15 downto 0)
        after.skip(w, 2)
      } otherwise after.end(Outcome.NOT_IP)
    }
    when(w.isOpen && w.scratch.isVlan)(after.end(Outcome.DEEP))
  }

  private val fetchSession: Walk => Walk = Walk.step { (after, w) =>
    after.scratch.group(0) := w.word(0, 4)(15 downto 0).resized
    after.scratch.group(1) := w.word(0, 4, 1)(15 downto 0).resized
    after.scratch.isPppoe := w.isOpen && isOneOf(w.next, Seq(pppoeSession, pppoeDiscovery))
    after.scratch.isSession := w.next === pppoeSession
    after.scratch.hasSession := w.fits(1)
    after.scratch.hasProtocol := w.fits(2)
    after.scratch.isMpls := isOneOf(w.next, mplsTypes)
  }

  private val pppoe: Walk => Walk = Walk.step { (after, w) =>
    when(w.scratch.isPppoe) {
      when(w.scratch.hasSession) {
        after.headers.tunnel := Tunnel.PPPOE
        after.headers.hasTunnelId := True
        after.headers.tunnelId := w.scratch.group(0)
      }
      after.skip(w, 2)
      when(!w.scratch.hasProtocol)(after.endCut(w.isLong)) elsewhen (!w.scratch.isSession)(after.end(Outcome.NOT_IP))
    }
    val protocol = w.scratch.group(1)
    for ((isIt, (number, _)) <- after.scratch.isPpp.zip(pppTypes)) {
      val isShort = if (number < 0x100) protocol(15 downto 8) === number else False
      isIt := protocol === number || isShort
    }
    after.scratch.isCompressed := w.scratch.isPppoe && w.scratch.isSession && protocol(8)
  }

  /** What PPP carries; a protocol that is none of these leaves PPPoE's type, which is not IP either. The first byte of a
    * protocol's number is even; an odd one is all of a compressed one (RFC 1661, 6.5).
    */
  private val ppp: Walk => Walk = Walk.step { (after, w) =>
    after.isShifted := w.scratch.isCompressed
    when(w.scratch.isCompressed) {
      after.at := w.at - 1
      after.room := w.room + U(w.scratch.isTail)
    }
    when(w.scratch.isPppoe) {
      for ((isIt, (_, etherType)) <- w.scratch.isPpp.zip(pppTypes)) when(isIt)(after.next := etherType)
      after.scratch.isMpls := w.scratch.isPpp
        .zip(pppTypes)
        .collect { case (isIt, (_, etherType)) if mplsTypes.contains(etherType) => isIt }
        .reduce(_ || _)
    }
  }

  private def mpls(level: Int): Walk => Walk = Walk.step { (after, w) =>
    val label = w.word(0, 6 + level)
    if (level == 0) after.headers.mplsLabel := label(31 downto 12)
    when(w.isOpen && w.scratch.isMpls) {
      if (level == 0) after.headers.hasMpls := w.fits(1)
      after.skip(w, 1)
      when(!w.fits(1))(after.endCut(w.isLong)) elsewhen (label(8)) {
        after.scratch.isMpls := False
        after.isStack := True
      } otherwise { if (level == mplsDepth - 1) after.end(Outcome.DEEP) }
    }
  }

  /** Behind a compressed field, where no labels are, the window is shorter: whether the packet goes on behind it. */
  private val measure: Walk => Walk = Walk.step { (after, w) =>
    after.scratch.isWide := w.isShifted && w.room > NetworkLayer.shiftedWords
  }

  private val shorten: Walk => Walk = Walk.step { (after, w) =>
    when(w.scratch.isWide) {
      after.room := NetworkLayer.shiftedWords
      after.isLong := True
    }
  }

  private val kinds =
    Seq(vlan(0), vlan(1).andThen(compareSnap), classify, typeOrLength, fetchSession, pppoe, ppp) ++
      Seq(measure.andThen(mpls(0)), mpls(1).andThen(shorten)) ++ (2 until mplsDepth).map(mpls)

  /** What is behind it all, unless that is a stack of labels. */
  private val compareType: Walk => Walk = Walk.step { (after, w) =>
    after.scratch.isIpv4 := w.next === ipv4Type
    after.scratch.isIpv6 := w.next === ipv6Type
    after.left := w.room
  }

  /** The first word; those behind it follow a step later, see [[NetworkLayer]]. */
  private val shiftFirst: Walk => Walk = Walk.step { (after, w) =>
    when(w.isShifted)(after.words(0) := w.shifted(0))
  }

  private val aligned = Walk.align(0, mostWords, Frame.words)

  val steps: Seq[Walk => Walk] =
    kinds ++ aligned.init :+ aligned.last.andThen(shiftFirst).andThen(compareType)

  /** The words behind those that its own headers can reach. */
  val waiting: Waiting = Waiting(mostWords until Frame.words, 0, steps.size - Walk.alignSteps)
}
