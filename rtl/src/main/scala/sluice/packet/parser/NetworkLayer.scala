// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import sluice.packet.parser.HeaderTables._
import spinal.core._

/** IPv4 with options, IPv6 with its extension headers, fragments of both. At its end the words are aligned to the transport
  * header.
  */
object NetworkLayer {
  private val leastWords = 5 // of an IPv4 header
  private val ipv6Words = 10
  private val leastExtensionWords = 2

  /** Words that are looked at of a packet that begins in the last byte of a word: an IPv6 header and its ports. */
  val shiftedWords = ipv6Words + 1

  /** Recognises the version, and refuses what contradicts itself. */
  private val version: Walk => Walk = Walk.step { (after, w) =>
    val first = w.words(0)
    val nibble = first(31 downto 28).asUInt
    val isIpv6 = Mux(w.isStack, nibble === 6, w.scratch.isIpv6)
    val isOther = !w.isStack && !w.scratch.isIpv4 && !w.scratch.isIpv6
    val isThere = w.left =/= 0
    val length = first(15 downto 0).asUInt
    val words = Mux(isIpv6, U(ipv6Words, 4 bits), first(27 downto 24).asUInt)
    val isBad = Mux(isIpv6, nibble =/= 6, nibble =/= 4 || words < leastWords)
    val isShort = length =/= 0 && length < (first(27 downto 24).asUInt << 2)

    after.headers.isIpv6 := isIpv6
    // An IP header begins at byte 14 of the frame; words in front of it move it on.
    after.headers.mark.serviceWord := w.at +^ Mux(w.isShifted, U(4), U(3))
    after.headers.mark.checksumWord := w.at +^ 6
    after.headers.mark.isIpv4 := !isIpv6
    after.headers.mark.isShifted := w.isShifted
    after.at := words.resized
    after.scratch.isAlien := isOther || (isThere && w.isStack && nibble =/= 4 && nibble =/= 6)
    after.scratch.isBad := isBad
    after.scratch.isShort := isShort
    after.room := w.left
    when(w.isShifted)(for (i <- 1 until shiftedWords) after.words(i) := w.shifted(i))
  }

  /** The fields of either version, and how many words the IP header says there are. */
  private val fields: Walk => Walk = Walk.step { (after, w) =>
    val h = after.headers
    val word = w.words
    when(w.headers.isIpv6) {
      h.source := word(2) ## word(3) ## word(4) ## word(5)
      h.destination := word(6) ## word(7) ## word(8) ## word(9)
      h.service := word(0)(27 downto 20)
      h.ttl := word(1)(7 downto 0)
      h.ipLength := word(1)(31 downto 16)
      h.isFragment := False
      h.fragmentOffset := 0
      after.next := word(1)(15 downto 8).resized
    } otherwise {
      h.source := word(3) ## B(0, 96 bits)
      h.destination := word(4) ## B(0, 96 bits)
      h.service := word(0)(23 downto 16)
      h.ttl := word(2)(31 downto 24)
      h.ipLength := word(0)(15 downto 0)
      h.ipId := word(1)(31 downto 16)
      h.isFragment := word(1)(13) || word(1)(12 downto 0).orR
      h.fragmentOffset := word(1)(12 downto 0).asUInt
      after.next := word(2)(23 downto 16).resized
    }
    after.scratch.checksum := MarkPoint.sum(word(2)(15 downto 0), word(0)(17 downto 16))
    after.room := w.left - Mux(w.headers.isIpv6, U(ipv6Words), U(0)).resized // of the length that the header states
    val isThere = w.left =/= 0
    val isBad = w.scratch.isBad || (w.scratch.isShort && !w.headers.isIpv6)
    val isWhole = isThere && !(w.left < w.at)
    h.hasIp := w.isOpen && !w.scratch.isAlien && !isBad && isWhole
    h.hasProtocol := h.hasIp
    val isOfIpv4 = w.isOpen && !w.scratch.isAlien && !isBad && !w.headers.isIpv6
    after.scratch.isCutInOptions := isOfIpv4 && !isWhole && !w.isLong && !(w.left < leastWords)
    when(w.isOpen) {
      when(w.scratch.isAlien)(after.end(Outcome.NOT_IP))
        .elsewhen(isThere && isBad)(after.end(Outcome.BAD_IP))
        .elsewhen(!isWhole)(after.endCut(w.isLong))
    }
  }

  /** The end of the packet, where the IP header puts it before the end of the frame. */
  private val bounds: Walk => Walk = Walk.step { (after, w) =>
    val length = w.headers.ipLength.asUInt
    val words = (length >> 2).resize(Frame.wordBits + 1) + Mux(w.headers.isIpv6, U(ipv6Words), U(0))
    when(length =/= 0 && (length >> 2) < w.room) {
      after.left := words.resized
      after.isLong := False
    }
    after.headers.mark.checksum := MarkPoint.checksum(w.scratch.checksum)
    when(w.isOpen && !w.headers.isIpv6 && w.headers.fragmentOffset =/= 0)(after.end(Outcome.FRAGMENT))
  }

  /** One extension header: of each group of four words the one at its place in a group is fetched, then the one of the right
    * group, which is then looked at. What follows from that is drawn in the step behind, see `conclude`.
    */
  private def fetchGroups(level: Int): Walk => Walk = Walk.step { (after, w) =>
    def isNext(kinds: Seq[ExtensionKind]): Bool = isOneOf(w.next(7 downto 0), kinds.map(_.nextHeader))
    conclude(after, w)
    for ((word, four) <- after.scratch.group.zip(w.words.indices.grouped(4)))
      word := Vec(four.map(i => w.words(i.max(leastAt(level))))).read(w.at(1 downto 0))
    after.room := w.left - w.at
    after.scratch.isExtension := w.headers.isIpv6 && isNext(extensions)
    after.scratch.isFragment := isNext(extensions.filter(_.unitBytes == 0))
    after.scratch.isQuad := isNext(extensions.filter(_.unitBytes == 4))
  }

  /** The first word that an extension header behind `level` others can have. */
  private def leastAt(level: Int): Int = ipv6Words + leastExtensionWords * level

  private def fetchWord(level: Int): Walk => Walk = Walk.step { (after, w) =>
    val groups = w.scratch.group
    val least = leastAt(level) / 4
    // What cannot be asked for repeats what can, so that there is less to choose from.
    val choices = (0 until 8).map(g => groups((if (g < least) g + 4 else g).min(groups.size - 1)))
    after.words(0) := Vec(choices).read(w.at >> 2)
    val rest = w.room - leastExtensionWords
    after.scratch.most := Mux(w.scratch.isQuad, rest, rest >> 1)
    after.scratch.behind := w.at + leastExtensionWords
    val isHere = w.isOpen && w.scratch.isExtension
    after.scratch.isHere := isHere
    after.scratch.hasNext := isHere && w.fits(1)
    after.scratch.hasOffset := isHere && w.scratch.isFragment && w.fits(2)
    after.scratch.isCut := isHere && !w.fits(2)
  }

  private val extension: Walk => Walk = Walk.step { (after, w) =>
    val first = w.words(0)
    val count = first(23 downto 16).asUInt
    val s = w.scratch
    // Two words, and count more in units of 4 bytes; 2 * count more otherwise.
    val more = Mux(s.isFragment, U(0), Mux(s.isQuad, count.resize(Frame.wordBits), (count << 1).resize(Frame.wordBits)))
    when(s.isHere)(after.at := s.behind + more)
    when(s.hasNext)(after.next := first(31 downto 24).resized)
    when(s.hasOffset) {
      after.headers.isFragment := True
      after.headers.fragmentOffset := first(15 downto 3).asUInt
    }
    after.scratch.isLater := s.hasOffset && first(15 downto 3) =/= 0
    after.scratch.hasLength := s.isHere && !s.isFragment
    after.scratch.isLonger := count > s.most
  }

  /** Ends the walk where an extension header, which the step before has looked at, is not there whole, or says that this is a
    * later fragment.
    */
  private def conclude(after: Walk, w: Walk): Unit =
    when(w.scratch.isCut || (w.scratch.hasLength && w.scratch.isLonger)) {
      after.endCut(w.isLong)
    } elsewhen (w.scratch.isLater) { after.end(Outcome.FRAGMENT) }

  private val protocol: Walk => Walk = Walk.step { (after, w) =>
    after.headers.protocol := w.next(7 downto 0)
    after.headers.transportAt := (w.headers.mark.serviceWord + w.at - 3).resized
    val isExtension = w.headers.isIpv6 && isOneOf(w.next(7 downto 0), extensions.map(_.nextHeader))
    when(w.isOpen && isExtension)(after.end(Outcome.DEEP))
    conclude(after, w)
  }

  /** The words from the transport header on. */
  private val behind: Walk => Walk = Walk.step { (after, w) =>
    after.left := Mux(w.left > w.at, w.left - w.at, U(0))
  }

  private val head = Seq(version, fields, bounds)

  private val aligned = Walk.align(leastWords, Frame.words - 1, TransportLayer.words)

  /** Steps after which all of the IP header is known. */
  val headSteps: Int = head.size

  private val extensionHeaders =
    Seq.tabulate(extensionDepth)(level => Seq(fetchGroups(level), fetchWord(level), extension)).flatten

  val steps: Seq[Walk => Walk] =
    head ++ extensionHeaders ++ Seq(protocol) ++ aligned.init :+ aligned.last.andThen(behind)

  /** All words, from when the IP header has been read; to extension headers its steps carry those that they may reach. */
  val waiting: Waiting = Waiting(
    4 * (leastWords / 4) until Frame.words,
    head.indexOf(fields) + 1,
    steps.size - Walk.alignSteps
  )
}
