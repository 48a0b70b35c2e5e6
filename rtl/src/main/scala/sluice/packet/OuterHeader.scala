// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import sluice.packet.parser.{FlowHash, FlowKey, HeaderTables, SerialFlowHash}
import spinal.core._
import spinal.lib._

/** What the queue of a slow port knows of a frame. */
case class OuterHeader() extends Bundle {
  val bytes = UInt(Frame.lengthBits bits)
  val ecn = Bits(2 bits) // 0 where there is no IP
  val mark = MarkPoint()
  val key = FlowKey()
}

object OuterHeader {
  private val typeAt = 12 // of the Ethernet header
  private val vlanBytes = 4
  private val (ipv4Bytes, ipv6Bytes, portBytes) = (20, 40, 4)

  /** Finds IP right behind the Ethernet header, or behind one VLAN tag of 802.1Q. What is further in counts as no IP. Three clocks,
    * one frame per clock.
    *
    * The flow key is the five-tuple, right behind the IP header as it mostly is: with options of IPv4 or extension headers of IPv6
    * before the ports, in fragments and in other protocols it is addresses and protocol, and without IP the Ethernet header.
    */
  def apply(frame: Flow[ArrivedFrame]): Flow[OuterHeader] = {
    val placed = frame.map { f =>
      val tagged = Cat(f.window(typeAt), f.window(typeAt + 1)) === 0x8100
      def byte(i: Int): Bits = Mux(tagged, f.window(i + vlanBytes), f.window(i))
      val p = Placed()
      p.bytes := f.bytes
      p.isTagged := tagged
      p.etherType := byte(typeAt) ## byte(typeAt + 1)
      p.ip := Vec.tabulate(ipv6Bytes + portBytes)(i => byte(typeAt + 2 + i))
      p.macs := Cat(f.window.take(typeAt).reverse)
      p
    }
    val found = placed.stage().map { p =>
      val (version, headerWords) = (p.ip(0)(7 downto 4), p.ip(0)(3 downto 0))
      def field(first: Int, size: Int): Bits = Cat(p.ip.slice(first, first + size).reverse)
      def longEnough(header: Int) = {
        val bare = typeAt + 2 + header
        !(p.bytes < Mux(p.isTagged, U(bare + vlanBytes, Frame.lengthBits bits), U(bare, Frame.lengthBits bits)))
      }
      val isIpv4 = p.etherType === 0x0800 && version === 4 && longEnough(ipv4Bytes)
      val isIpv6 = p.etherType === 0x86dd && version === 6 && longEnough(ipv6Bytes)
      val ecn = Mux(isIpv4, p.ip(1)(1 downto 0), p.ip(1)(5 downto 4).andMask(isIpv6))
      val hasPorts4 =
        field(6, 2)(13 downto 0) === 0 && headerWords === ipv4Bytes / 4 && longEnough(ipv4Bytes + portBytes) &&
          HeaderTables.isOneOf(p.ip(9), HeaderTables.withPorts)
      val hasPorts6 = longEnough(ipv6Bytes + portBytes) && HeaderTables.isOneOf(p.ip(6), HeaderTables.withPorts)
      val f = Found()
      f.bytes := p.bytes
      f.isTagged := p.isTagged
      f.isIpv4 := isIpv4
      f.ecn := ecn
      f.sum := MarkPoint.sum(field(10, 2), ecn)
      when(isIpv4) {
        f.key := FlowKey.ofAddresses(field(12, 8), field(ipv4Bytes, portBytes), p.ip(9), hasPorts4, isIpv6 = false)
      } elsewhen (isIpv6) {
        f.key := FlowKey.ofAddresses(field(8, 32), field(ipv6Bytes, portBytes), p.ip(6), hasPorts6, isIpv6 = true)
      } otherwise {
        f.key := FlowKey.ofLink(p.macs, p.etherType)
      }
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
      h.key := f.key
      h
    }
    header.stage()
  }

  /** Clocks of that. */
  val cycles = 3

  private case class Placed() extends Bundle {
    val bytes = UInt(Frame.lengthBits bits)
    val isTagged = Bool()
    val etherType = Bits(16 bits)
    val ip = Vec.fill(ipv6Bytes + portBytes)(Bits(8 bits)) // from the IP header on
    val macs = Bits(8 * typeAt bits)
  }

  private case class Found() extends Bundle {
    val bytes = UInt(Frame.lengthBits bits)
    val isTagged, isIpv4 = Bool()
    val ecn = Bits(2 bits)
    val sum = UInt(17 bits)
    val key = FlowKey()
  }

  /** Header and flow of a frame, for the tests of both. */
  class Top extends Component {
    val io = new Bundle {
      val valid = in(Bool())
      val window = in(Vec.fill(Frame.windowBytes / 8)(Bits(64 bits))) // first byte lowest
      val bytes = in(UInt(Frame.lengthBits bits))
      val secret = in(Vec.fill(FlowHash.secretBytes / 4)(Bits(32 bits)))
      val ecn = out(Bits(2 bits))
      val flow = master(Flow(Bits(32 bits)))
    }
    private val frame = Flow(ArrivedFrame())
    frame.valid := io.valid
    frame.bytes := io.bytes
    frame.window.assignFromBits(io.window.asBits)
    private val header = OuterHeader(frame)
    val hash = new SerialFlowHash
    hash.io.key << header.map(_.key)
    hash.io.secret := Cat(io.secret.reverse)
    io.ecn := RegNextWhen(header.ecn, header.valid)
    io.flow << hash.io.flow
  }
}
