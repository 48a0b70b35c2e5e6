// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import sluice.contract.{Parameter, Rule}
import spinal.core._

/** Which packets are one flow. */
object KeyMode extends SpinalEnum(binarySequential) {
  val FIVE_TUPLE, THREE_TUPLE, TUNNEL, PREFIX, VLAN = newElement()
}

/** The key of a frame as the hash takes it: the published layout for receive-side scaling, source and destination address then
  * ports, followed by zeros; and beside it a tag that tells keys of different kinds apart.
  */
case class FlowKey() extends Bundle {
  val bytes = Bits(8 * FlowKey.length bits) // first byte uppermost
  val tag = Bits(16 bits)
}

object FlowKey {

  /** Bytes of the longest key: two IPv6 addresses and two ports. */
  val length = 36

  val mode = Parameter(
    "key_mode",
    "",
    3,
    0,
    "code",
    0,
    "which packets are one flow: 0 five-tuple, 1 addresses and protocol, 2 tunnel, 3 source prefix, 4 VLAN tags"
  )
  val prefixIpv4 = Parameter("prefix_ipv4", "", 6, 0, "bits", 24, "length of a source prefix, IPv4")
  val prefixIpv6 = Parameter("prefix_ipv6", "", 8, 0, "bits", 56, "length of a source prefix, IPv6")
  val parameters: Seq[Parameter] = Seq(mode, prefixIpv4, prefixIpv6)
  val rules: Seq[Rule] = Seq(
    Rule("key_mode_known", "key_mode <= 4", _(mode) <= 4),
    Rule("prefix_ipv4_at_most_32", "prefix_ipv4 <= 32", _(prefixIpv4) <= 32),
    Rule("prefix_ipv6_at_most_128", "prefix_ipv6 <= 128", _(prefixIpv6) <= 128)
  )

  /** What a key is made of, the low four bits of its tag; above them stands what distinguishes keys of one kind. The uppermost
    * bit says that its addresses are of IPv6: those of IPv4 are shorter, and what follows a key are zeros.
    */
  private object Kind extends Enumeration { val Ports, Addresses, Tunnel, Prefix, Vlan, Link = Value }

  /** Clocks from the headers to the key. */
  val cycles = 2

  /** The bytes and tag of a chosen key. */
  def apply(choice: KeyChoice): FlowKey = {
    val h = choice.headers
    def field(isIn: Bool, bits: Bits*): Bits = Cat(bits.reverse).resizeLeft(8 * length).andMask(isIn)
    val key = FlowKey()
    key.bytes := Seq(
      field(choice.hasIpv6, h.source, h.destination),
      field(choice.hasIpv6 && choice.hasPorts, B(0, 256 bits), h.sourcePort, h.destinationPort),
      field(choice.hasIpv4, h.source(127 downto 96), h.destination(127 downto 96)),
      field(choice.hasIpv4 && choice.hasPorts, B(0, 64 bits), h.sourcePort, h.destinationPort),
      field(choice.hasTunnel, h.tunnelId),
      field(choice.hasScope, B(0, 32 bits), h.destination),
      field(choice.hasPrefix, h.source & choice.mask),
      field(choice.hasVlan(0), h.vlanId(0)),
      field(choice.hasVlan(1), B(0, 12 bits), h.vlanId(1)),
      field(choice.hasMacs, h.macs),
      field(choice.hasType, B(0, 96 bits), h.etherType)
    ).reduce(_ | _)

    def tag(isIt: Bool, kind: Kind.Value, detail: Bits): Bits = (detail.resize(12) ## B(kind.id, 4 bits)).andMask(isIt)
    // What follows a fragment header of IPv6 is not what the other fragments have behind it.
    val protocol = Mux(h.isIpv6 && h.isFragment, B(HeaderTables.fragmentHeader, 8 bits), h.protocol)
    key.tag := Seq(
      tag(choice.hasPorts, Kind.Ports, h.protocol),
      tag(choice.hasIpv4 || choice.hasIpv6, Kind.Addresses, protocol).andMask(!choice.hasPorts),
      tag(choice.hasTunnel, Kind.Tunnel, h.tunnel.asBits),
      tag(choice.hasPrefix, Kind.Prefix, B(0)),
      tag(choice.hasVlan(0), Kind.Vlan, h.hasVlan.asBits),
      tag(choice.isLink, Kind.Link, B(0))
    ).reduce(_ | _) | (choice.hasIpv6Addresses ## B(0, 15 bits))
    key
  }

  private def of(bytes: Bits, kind: Kind.Value, detail: Bits, isIpv6: Boolean): FlowKey = {
    val key = FlowKey()
    key.bytes := bytes.resizeLeft(8 * length)
    key.tag := Bool(isIpv6) ## B(0, 3 bits) ## detail.resize(8) ## B(kind.id, 4 bits)
    key
  }

  /** The key of a frame of which nothing else is known: both addresses, and where it has them the ports.
    *
    * @param protocol
    *   number of what follows the IP header
    */
  def ofAddresses(addresses: Bits, ports: Bits, protocol: Bits, hasPorts: Bool, isIpv6: Boolean): FlowKey = Mux(
    hasPorts,
    of(addresses ## ports, Kind.Ports, protocol, isIpv6),
    of(addresses, Kind.Addresses, protocol, isIpv6)
  )

  /** The key of a frame without IP; a type that is the length of 802.3 is none. */
  def ofLink(macs: Bits, etherType: Bits): FlowKey = {
    val isType = etherType.asUInt > HeaderTables.largestLength
    of(macs ## etherType.andMask(isType), Kind.Link, B(0, 8 bits), isIpv6 = false)
  }

  /** The mask of the first `bits` of 128 bits. */
  def mask(bits: UInt): Bits = Vec.tabulate(128)(i => U(i, 8 bits) < bits.resize(8)).asBits.reversed
}

/** What the key of a frame consists of: what the wanted mode asks for if the frame has it, otherwise the first of these that it
  * has: five-tuple, addresses and protocol, Ethernet header.
  */
case class KeyChoice() extends Bundle {
  val headers = Headers()
  val hasIpv4, hasIpv6, hasPorts, hasTunnel, hasScope, hasPrefix, isLink, hasMacs, hasType = Bool()
  val hasIpv6Addresses = Bool() // in whichever kind of key
  val hasVlan = Vec.fill(2)(Bool())
  val mask = Bits(128 bits) // of a source prefix
}

object KeyChoice {
  def apply(h: Headers, mode: UInt, mask: Bits): KeyChoice = {
    val choice = KeyChoice()
    choice.headers := h
    choice.mask := mask
    def wants(m: SpinalEnumElement[KeyMode.type]): Bool = mode === m.position
    // Of a tunnel inside the IP packet only the first fragment knows.
    val isTunnel = wants(KeyMode.TUNNEL) && h.hasTunnelId && (!h.isFragment || h.tunnel === Tunnel.PPPOE)
    val isPrefix = wants(KeyMode.PREFIX) && h.hasIp
    val isVlan = wants(KeyMode.VLAN) && h.hasVlan(0)
    val isOther = isTunnel || isPrefix || isVlan
    val isPorts = !isOther && h.hasPorts && !h.isFragment && !wants(KeyMode.THREE_TUPLE)
    val isAddresses = !isOther && h.hasIp
    val isLink = !isOther && !h.hasIp
    val ownIds = Seq(Tunnel.GTP, Tunnel.GRE, Tunnel.L2TP) // the receiver chooses them

    choice.hasIpv4 := isAddresses && !h.isIpv6
    choice.hasIpv6 := isAddresses && h.isIpv6
    choice.hasPorts := isPorts
    choice.hasTunnel := isTunnel
    choice.hasScope := isTunnel && ownIds.map(h.tunnel === _).reduce(_ || _)
    choice.hasPrefix := isPrefix
    choice.hasIpv6Addresses := h.isIpv6 && (isAddresses || choice.hasScope || isPrefix)
    choice.hasVlan(0) := isVlan
    choice.hasVlan(1) := isVlan && h.hasVlan(1)
    choice.isLink := isLink
    choice.hasMacs := isLink && h.outcome =/= Outcome.RUNT
    choice.hasType := isLink && h.outcome =/= Outcome.RUNT && h.hasType
    choice
  }
}
