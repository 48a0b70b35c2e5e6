// SPDX-License-Identifier: Apache-2.0
package sluice.packet

import sluice.packet.HeaderTables._
import spinal.core._

/** IPv4 with options, IPv6 with its extension headers, fragments of both. At its end the words are aligned to the transport
  * header.
  */
object NetworkLayer {
  private val leastWords = 5 // of an IPv4 header
  private val ipv6Words = 10

  /** Recognises the version, and refuses what contradicts itself. */
  private val version: Walk => Walk = Walk.step { (after, w) =>
    val first = w.words(0)
    val nibble = first(31 downto 28).asUInt
    val isIpv6 = Mux(w.isStack, nibble === 6, w.next === ipv6Type)
    val isOther = !w.isStack && !isOneOf(w.next, Seq(ipv4Type, ipv6Type))
    val isThere = w.left =/= 0
    val length = first(15 downto 0).asUInt
    val words = Mux(isIpv6, U(ipv6Words, 4 bits), first(27 downto 24).asUInt)
    val isBad = Mux(isIpv6, nibble =/= 6, nibble =/= 4 || words < leastWords)
    val isBadLength = !isIpv6 && length =/= 0 && length < (words << 2)

    after.headers.isIpv6 := isIpv6
    after.headers.mark.word := w.at
    after.headers.mark.isIpv4 := !isIpv6
    after.at := words.resized
    when(w.isOpen) {
      when(isOther)(after.end(Outcome.NOT_IP))
        .elsewhen(!isThere)(after.endCut(w.isLong))
        .elsewhen(w.isStack && nibble =/= 4 && nibble =/= 6)(after.end(Outcome.NOT_IP))
        .elsewhen(isBad || isBadLength)(after.end(Outcome.BAD_IP))
    }
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
    after.scratch.room := w.left - Mux(
      w.headers.isIpv6,
      U(ipv6Words),
      U(0)
    ).resized // of the length that the header states
    h.hasIp := w.isOpen && w.fits(0)
    h.hasProtocol := w.isOpen && w.fits(0)
    when(w.isOpen && !w.fits(0))(after.endCut(w.isLong))
  }

  /** The end of the packet, where the IP header puts it before the end of the frame. */
  private val bounds: Walk => Walk = Walk.step { (after, w) =>
    val length = w.headers.ipLength.asUInt
    val words = (length >> 2).resize(Frame.wordBits + 1) + Mux(w.headers.isIpv6, U(ipv6Words), U(0))
    when(length =/= 0 && (length >> 2) < w.scratch.room) {
      after.left := words.resized
      after.isLong := False
    }
    after.headers.mark.checksum := MarkPoint.checksum(w.scratch.checksum)
    when(w.isOpen && !w.headers.isIpv6 && w.headers.fragmentOffset =/= 0)(after.end(Outcome.FRAGMENT))
  }

  /** One extension header: its first word is fetched, then looked at. */
  private val fetch: Walk => Walk = Walk.step { (after, w) =>
    def isNext(kinds: Seq[ExtensionKind]): Bool = isOneOf(w.next(7 downto 0), kinds.map(_.nextHeader))
    after.words(0) := w.word(ipv6Words, Frame.words - 1)
    after.scratch.room := w.left - w.at
    after.scratch.isExtension := w.headers.isIpv6 && isNext(extensions)
    after.scratch.isFragment := isNext(extensions.filter(_.unitBytes == 0))
    after.scratch.isQuad := isNext(extensions.filter(_.unitBytes == 4))
  }

  private val extension: Walk => Walk = Walk.step { (after, w) =>
    val first = w.words(0)
    val count = first(23 downto 16).asUInt
    val s = w.scratch
    // Words of a fragment header; count + 2 in units of 4 bytes; otherwise 2 * (count + 1).
    val words = Mux(s.isFragment, U(2, 10 bits), Mux(s.isQuad, count.resize(10), (count << 1).resize(10)) + 2)
    when(w.isOpen && s.isExtension) {
      after.next := first(31 downto 24).resized
      after.at := (w.at + words).resized
      when(s.isFragment && !(s.room < 2)) {
        after.headers.isFragment := True
        after.headers.fragmentOffset := first(15 downto 3).asUInt
        when(first(15 downto 3) =/= 0)(after.end(Outcome.FRAGMENT))
      }
      when(s.room === 0) {
        after.next := w.next
        after.endCut(w.isLong)
      } elsewhen (words > s.room)(after.endCut(w.isLong))
    }
  }

  private val protocol: Walk => Walk = Walk.step { (after, w) =>
    after.headers.protocol := w.next(7 downto 0)
    after.headers.transportAt := w.headers.mark.word + w.at
    val isExtension = w.headers.isIpv6 && isOneOf(w.next(7 downto 0), extensions.map(_.nextHeader))
    when(w.isOpen && isExtension)(after.end(Outcome.DEEP))
  }

  private val head = Seq(version, fields, bounds)

  /** Steps after which all of the IP header is known. */
  val headSteps: Int = head.size

  val steps: Seq[Walk => Walk] =
    head ++ Seq.fill(extensionDepth)(Seq(fetch, extension)).flatten ++ Seq(protocol) ++
      Walk.align(leastWords, Frame.words - 1, TransportLayer.words)
}
