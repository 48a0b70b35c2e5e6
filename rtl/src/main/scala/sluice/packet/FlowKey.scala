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

  private object Kind extends Enumeration { val Ports, Addresses, Tunnel, Prefix, Vlan, Link = Value }

  /** The key of a frame: of the wanted mode if the frame has what that needs, otherwise of the first of these that it can
    * have: five-tuple, addresses and protocol, Ethernet header.
    */
  def apply(h: Headers, mode: UInt, mask: Bits): FlowKey = {
    val key = FlowKey()
    def use(kind: Kind.Value, tag: Bits, fields: Bits*): Unit = {
      key.bytes := Cat(fields.reverse).resizeLeft(8 * length)
      key.tag := tag.resize(12) ## B(kind.id, 4 bits)
    }
    def addresses(ports: Bits): Bits =
      Mux(
        h.isIpv6,
        h.source ## h.destination ## ports,
        (h.source(127 downto 96) ## h.destination(127 downto 96) ## ports).resizeLeft(256 + ports.getWidth)
      )

    val isScoped =
      Seq(Tunnel.GTP, Tunnel.GRE, Tunnel.L2TP).map(h.tunnel === _).reduce(_ || _) // ids of the receiver's own
    use(Kind.Link, B(0), (h.macs ## h.etherType.andMask(h.hasType)).andMask(h.outcome =/= Outcome.RUNT))
    when(h.hasIp)(use(Kind.Addresses, h.protocol, addresses(B(0, 32 bits))))
    when(h.hasPorts && !h.isFragment && mode =/= KeyMode.THREE_TUPLE.position) {
      use(Kind.Ports, h.protocol, addresses(h.sourcePort ## h.destinationPort))
    }
    when(mode === KeyMode.TUNNEL.position && h.hasTunnelId) {
      use(Kind.Tunnel, h.tunnel.asBits, h.tunnelId, h.destination.andMask(isScoped))
    }
    when(mode === KeyMode.PREFIX.position && h.hasIp)(use(Kind.Prefix, B(0), h.source & mask))
    when(mode === KeyMode.VLAN.position && h.hasVlan(0)) {
      use(Kind.Vlan, h.hasVlan.asBits, h.vlanId(0), h.vlanId(1).andMask(h.hasVlan(1)))
    }
    key
  }

  /** The mask of the first `bits` of 128 bits. */
  def mask(bits: UInt): Bits = Vec.tabulate(128)(i => U(i, 8 bits) < bits.resize(8)).asBits.reversed
}
