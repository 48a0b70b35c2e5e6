// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import spinal.core._
import spinal.lib._

/** What a queue that tells no flows apart needs to know of a frame. */
case class OuterHeader() extends Bundle {
  val bytes = UInt(Frame.lengthBits bits)
  val ecn = Bits(2 bits) // 0 where there is no IP
  val mark = MarkPoint()
}

object OuterHeader {
  private val typeAt = 12 // of the Ethernet header
  private val vlanBytes = 4
  private val (ipv4Bytes, ipv6Bytes) = (20, 40)

  /** Finds IP right behind the Ethernet header, or behind one VLAN tag of 802.1Q. What is further in counts as no IP. Three clocks,
    * one frame per clock.
    */
  def apply(frame: Flow[ArrivedFrame]): Flow[OuterHeader] = {
    val placed = frame.map { f =>
      val tagged = Cat(f.window(typeAt), f.window(typeAt + 1)) === 0x8100
      def byte(i: Int): Bits = Mux(tagged, f.window(i + vlanBytes), f.window(i))
      val p = Placed()
      p.bytes := f.bytes
      p.isTagged := tagged
      p.etherType := byte(typeAt) ## byte(typeAt + 1)
      p.first := byte(typeAt + 2) ## byte(typeAt + 3)
      p.checksum := byte(typeAt + 12) ## byte(typeAt + 13)
      p
    }
    val found = placed.stage().map { p =>
      val version = p.first(15 downto 12)
      def longEnough(header: Int) = {
        val bare = typeAt + 2 + header
        !(p.bytes < Mux(p.isTagged, U(bare + vlanBytes, Frame.lengthBits bits), U(bare, Frame.lengthBits bits)))
      }
      val isIpv4 = p.etherType === 0x0800 && version === 4 && longEnough(ipv4Bytes)
      val isIpv6 = p.etherType === 0x86dd && version === 6 && longEnough(ipv6Bytes)
      val ecn = Mux(isIpv4, p.first(1 downto 0), p.first(5 downto 4).andMask(isIpv6))
      val f = Found()
      f.bytes := p.bytes
      f.isTagged := p.isTagged
      f.isIpv4 := isIpv4
      f.ecn := ecn
      f.sum := MarkPoint.sum(p.checksum, ecn)
      f
    }
    val header = found.stage().map { f =>
      val h = OuterHeader()
      h.bytes := f.bytes
      h.ecn := f.ecn
      h.mark.serviceWord := Mux(f.isTagged, U(4, 3 bits), U(3, 3 bits)).resized // bytes 12 to 15 of an untagged frame
      h.mark.checksumWord := Mux(f.isTagged, U(7, 3 bits), U(6, 3 bits)).resized
      h.mark.isIpv4 := f.isIpv4
      h.mark.isShifted := False
      h.mark.checksum := MarkPoint.checksum(f.sum)
      h
    }
    header.stage()
  }

  /** Clocks of that. */
  val cycles = 3

  private case class Placed() extends Bundle {
    val bytes = UInt(Frame.lengthBits bits)
    val isTagged = Bool()
    val etherType, first, checksum = Bits(16 bits) // first: of the IP header
  }

  private case class Found() extends Bundle {
    val bytes = UInt(Frame.lengthBits bits)
    val isTagged, isIpv4 = Bool()
    val ecn = Bits(2 bits)
    val sum = UInt(17 bits)
  }
}
