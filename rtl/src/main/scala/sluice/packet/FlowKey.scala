// SPDX-License-Identifier: Apache-2.0
package sluice.packet

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

  /** Clocks from the headers to the key. */
  val cycles = 2

  /** The bytes and tag of a chosen key. */
  def apply(choice: KeyChoice): FlowKey = {
    val h = choice.headers
    def field(bits: Bits*): Bits = Cat(bits.reverse).resizeLeft(8 * length)
    val ports = (h.sourcePort ## h.destinationPort).andMask(choice.kind(KeyChoice.Ports))
    val addresses = Mux(
      h.isIpv6,
      h.source ## h.destination ## ports,
      (h.source(127 downto 96) ## h.destination(127 downto 96) ## ports).resizeLeft(8 * length)
    )
    val isScoped =
      Seq(Tunnel.GTP, Tunnel.GRE, Tunnel.L2TP).map(h.tunnel === _).reduce(_ || _) // ids of the receiver's own
    val keys: Seq[(Int, Bits, Bits)] = Seq(
      (KeyChoice.Ports, addresses, h.protocol),
      (KeyChoice.Addresses, addresses, h.protocol),
      (KeyChoice.Tunnel, field(h.tunnelId, h.destination.andMask(isScoped)), h.tunnel.asBits),
      (KeyChoice.Prefix, field(h.source & choice.mask), B(0)),
      (KeyChoice.Vlan, field(h.vlanId(0), h.vlanId(1).andMask(h.hasVlan(1))), h.hasVlan.asBits),
      (
        KeyChoice.Link,
        field((h.macs ## h.etherType.andMask(h.hasType)).andMask(h.outcome =/= Outcome.RUNT)),
        B(0)
      )
    )
    val key = FlowKey()
    key.bytes := keys.map { case (kind, bytes, _) => bytes.andMask(choice.kind(kind)) }.reduce(_ | _)
    key.tag := keys
      .map { case (kind, _, tag) => (tag.resize(12) ## B(kind, 4 bits)).andMask(choice.kind(kind)) }
      .reduce(_ | _)
    key
  }

  /** The mask of the first `bits` of 128 bits. */
  def mask(bits: UInt): Bits = Vec.tabulate(128)(i => U(i, 8 bits) < bits.resize(8)).asBits.reversed
}

/** The kind of key that a frame gets: the wanted one if the frame has what that needs, otherwise the first of these that it can
  * have: five-tuple, addresses and protocol, Ethernet header.
  */
case class KeyChoice() extends Bundle {
  val headers = Headers()
  val kind = Bits(KeyChoice.kinds bits) // one bit is set
  val mask = Bits(128 bits) // of a source prefix
}

object KeyChoice {
  // The number of a kind is in the tag of its keys.
  val Ports = 0
  val Addresses = 1
  val Tunnel = 2
  val Prefix = 3
  val Vlan = 4
  val Link = 5
  val kinds = 6

  def apply(headers: Headers, mode: UInt, mask: Bits): KeyChoice = {
    val choice = KeyChoice()
    choice.headers := headers
    choice.mask := mask
    def wants(m: SpinalEnumElement[KeyMode.type]): Bool = mode === m.position
    val eligible: Seq[(Int, Bool)] = Seq(
      Tunnel -> (wants(KeyMode.TUNNEL) && headers.hasTunnelId),
      Prefix -> (wants(KeyMode.PREFIX) && headers.hasIp),
      Vlan -> (wants(KeyMode.VLAN) && headers.hasVlan(0)),
      Ports -> (headers.hasPorts && !headers.isFragment && !wants(KeyMode.THREE_TUPLE)),
      Addresses -> headers.hasIp,
      Link -> True
    )
    choice.kind := 0
    for ((kind, isIt) <- eligible.reverse) when(isIt)(choice.kind := B(1 << kind, kinds bits))
    choice
  }
}
