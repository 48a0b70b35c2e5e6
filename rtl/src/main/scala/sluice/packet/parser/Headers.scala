// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import spinal.core._

/** How far the parser came with a frame: `Whole` is a transport header with ports, and every other outcome queues the frame
  * under a coarser key. The order is the code.
  */
object Outcome extends SpinalEnum(binarySequential) {
  val WHOLE = newElement() // IP and a transport header with ports
  val NO_PORTS = newElement() // IP, but a transport without ports, such as ICMP
  val FRAGMENT = newElement() // a later fragment, which carries no ports
  val NOT_IP = newElement() // another protocol, such as ARP
  val RUNT = newElement() // shorter than an Ethernet header
  val CUT = newElement() // the frame ends inside a header
  val BAD_IP = newElement() // an IP header that contradicts itself
  val DEEP = newElement() // more headers than the parser follows, or beyond its window

  /** Names of the counters, by code. */
  val names: Seq[String] = Seq("whole", "no_ports", "fragment", "not_ip", "runt", "cut", "bad_ip", "deep")
}

/** Tunnels that give a flow key. */
object Tunnel extends SpinalEnum(binarySequential) {
  val NONE, GTP, PPPOE, VXLAN, GENEVE, GRE, L2TP = newElement()
}

/** What the parser saw of a frame. Fields without their `has...` are meaningless. */
case class Headers() extends Bundle {
  val bytes = UInt(Frame.lengthBits bits)
  val outcome = Outcome()
  val macs = Bits(96 bits) // destination, source
  val hasVlan = Vec.fill(2)(Bool())
  val vlanId = Vec.fill(2)(Bits(12 bits)) // outermost first
  val hasType = Bool() // false for 802.3 with LLC
  val etherType = Bits(16 bits) // behind the VLAN tags
  val hasMpls = Bool()
  val mplsLabel = Bits(20 bits) // top of the stack
  val hasIp = Bool()
  val isIpv6 = Bool()
  val source, destination = Bits(128 bits) // an IPv4 address stands in the upper 32 bits
  val hasProtocol = Bool()
  val protocol = Bits(8 bits)
  val service = Bits(8 bits) // type of service or traffic class
  val isFragment = Bool()
  val fragmentOffset = UInt(13 bits) // units of 8 bytes
  val ttl = Bits(8 bits)
  val ipLength = Bits(16 bits) // total length of IPv4, payload length of IPv6
  val ipId = Bits(16 bits) // of IPv4
  val hasPorts = Bool()
  val sourcePort, destinationPort = Bits(16 bits)
  val transportAt = UInt(Frame.wordBits bits) // first word of it
  val tcpFlags = Bits(12 bits)
  val hasTcpFlags = Bool()
  val hasTunnelId = Bool()
  val tunnel = Tunnel()
  val tunnelId = Bits(32 bits)
  val mark = MarkPoint()
}

/** Header kinds as tables: what leads to what, by the numbers of the registries. */
object HeaderTables {
  case class ExtensionKind(nextHeader: Int, name: String, unitBytes: Int)
  case class TunnelKind(tunnel: SpinalEnumElement[Tunnel.type], ports: Seq[Int])

  val vlanTypes: Seq[Int] = Seq(0x8100, 0x88a8, 0x9100)
  val ipv4Type = 0x0800
  val ipv6Type = 0x86dd
  val mplsTypes: Seq[Int] = Seq(0x8847, 0x8848)
  val pppoeSession = 0x8864
  val pppoeDiscovery = 0x8863
  val mplsDepth = 4
  val extensionDepth = 4
  val largestLength = 0x05ff // a type field up to here is a length: 802.3

  /** PPP protocol numbers and the Ethernet types of the same protocols. */
  val pppTypes: Seq[(Int, Int)] = Seq(0x0021 -> ipv4Type, 0x0057 -> ipv6Type, 0x0281 -> 0x8847, 0x0283 -> 0x8848)

  /** IPv6 extension headers: units of 8 bytes, one more than the length field says; of 4 bytes, two more; or
    * 8 bytes whatever the field says.
    */
  val fragmentHeader = 44
  val extensions: Seq[ExtensionKind] = Seq(
    ExtensionKind(0, "hop-by-hop options", 8),
    ExtensionKind(43, "routing", 8),
    ExtensionKind(60, "destination options", 8),
    ExtensionKind(fragmentHeader, "fragment", 0),
    ExtensionKind(51, "authentication", 4),
    ExtensionKind(135, "mobility", 8),
    ExtensionKind(139, "host identity", 8),
    ExtensionKind(140, "shim6", 8)
  )

  val tcp = 6
  val udp = 17
  val gre = 47
  val l2tp = 115

  /** Transports that start with source and destination port: TCP, UDP, DCCP, SCTP, UDP-Lite. */
  val withPorts: Seq[Int] = Seq(tcp, udp, 33, 132, 136)

  /** Tunnels by UDP port, either one. */
  val overUdp: Seq[TunnelKind] = Seq(
    TunnelKind(Tunnel.GTP, Seq(2152, 2123)),
    TunnelKind(Tunnel.VXLAN, Seq(4789)),
    TunnelKind(Tunnel.GENEVE, Seq(6081)),
    TunnelKind(Tunnel.L2TP, Seq(1701))
  )

  /** Whether a field has one of some values. */
  def isOneOf(field: Bits, values: Seq[Int]): Bool = values.map(v => field === v).reduce(_ || _)
}
