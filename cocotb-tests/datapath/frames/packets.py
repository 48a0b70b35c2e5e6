# SPDX-License-Identifier: Apache-2.0
"""Packets of every header kind that the parser knows, and of some that it does not, made with scapy; and their mutations."""

from __future__ import annotations

from functools import reduce
from operator import truediv
from typing import TYPE_CHECKING

from scapy.contrib.geneve import GENEVE
from scapy.contrib.gtp import GTP_U_Header
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import GRE, ICMP, IP, TCP, UDP, IPOption
from scapy.layers.inet6 import (
    ICMPv6EchoRequest,
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
    PadN,
)
from scapy.layers.l2 import ARP, GRE_PPTP, LLC, SNAP, Dot1AD, Dot1Q, Dot3, Ether
from scapy.layers.l2tp import L2TP
from scapy.layers.ppp import PPP, PPPoE, PPPoED
from scapy.layers.sctp import SCTP
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw

MACS = {"src": "02:00:00:00:00:01", "dst": "02:00:00:00:01:01"}

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from scapy.packet import Packet


def _network(rng: random.Random) -> Packet:
    """An IP header of either version, plain or with options, fragments and extension headers."""
    service = rng.randrange(256)
    if rng.random() < 0.5:
        options = [IPOption(b"\x01" * rng.choice((4, 8, 40)))] if rng.random() < 0.2 else []
        fragment = {"flags": rng.choice(("", "MF")), "frag": rng.choice((0, 0, 100))} if rng.random() < 0.2 else {}
        return IP(src=_ipv4(rng), dst=_ipv4(rng), tos=service, ttl=rng.randrange(256), options=options, **fragment)
    packet = IPv6(src=_ipv6(rng), dst=_ipv6(rng), tc=service, hlim=rng.randrange(256))
    for _ in range(rng.choice((0, 0, 0, 1, 2, 3, 5))):
        packet /= rng.choice(
            (
                IPv6ExtHdrHopByHop(options=[PadN(optdata=b"\0" * rng.choice((0, 4, 12)))]),
                IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * rng.choice((0, 4, 20)))]),
                IPv6ExtHdrRouting(addresses=["2001:db8::9"] * rng.randrange(3)),
                IPv6ExtHdrFragment(offset=rng.choice((0, 0, 200)), m=rng.randrange(2), id=7),
            )
        )
    return packet


def _ipv4(rng: random.Random) -> str:
    return f"{rng.randrange(1, 224)}.{rng.randrange(256)}.0.{rng.randrange(256)}"


def _ipv6(rng: random.Random) -> str:
    return f"2001:db8:{rng.randrange(65536):x}::{rng.randrange(65536):x}"


def transport(rng: random.Random, network: Packet) -> Packet:
    """Whatever may follow an IP header."""
    return rng.choice(transports(rng, network))()


def transports(rng: random.Random, network: Packet) -> tuple[Callable[[], Packet], ...]:
    """How each is made: transports, tunnels, and protocols without ports. Scapy is slow: only what is wanted should be."""
    sport, dport = rng.randrange(65536), rng.randrange(65536)

    def inner() -> Packet:
        return Ether(**MACS) / IP() / UDP()

    return (
        lambda: TCP(sport=sport, dport=dport, flags=rng.randrange(512)),
        lambda: TCP(sport=sport, dport=dport),
        lambda: UDP(sport=sport, dport=dport),
        lambda: UDP(sport=sport, dport=dport),
        lambda: SCTP(sport=sport, dport=dport),
        lambda: ICMP() if IP in network else ICMPv6EchoRequest(),
        lambda: UDP(sport=sport, dport=2152) / GTP_U_Header(teid=rng.getrandbits(32)) / IP() / UDP(),
        lambda: UDP(sport=sport, dport=4789) / VXLAN(vni=rng.getrandbits(24), flags=rng.choice((0, 8))) / inner(),
        lambda: UDP(sport=6081, dport=dport) / GENEVE(vni=rng.getrandbits(24)) / inner(),
        lambda: (
            UDP(sport=1701, dport=1701)
            / L2TP(session_id=rng.getrandbits(16), tunnel_id=9, hdr=["length"][: rng.randrange(2)])
        ),
        lambda: GRE(key_present=1, key=rng.getrandbits(32), chksum_present=rng.randrange(2)) / IP() / UDP(),
        lambda: GRE() / IP(),
        lambda: GRE_PPTP(payload_len=rng.getrandbits(16), call_id=rng.getrandbits(16), seqnum_present=rng.randrange(2)),
        lambda: Raw(rng.randbytes(20)),
    )


def _under_labels(rng: random.Random, payload: Packet) -> Packet:
    return reduce(truediv, [*labels(rng, rng.randrange(1, 6)), payload])


def labels(rng: random.Random, count: int) -> list[Packet]:
    """A stack of MPLS."""
    return [MPLS(label=rng.getrandbits(20), s=i == count - 1) for i in range(count)]


def _under_snap(rng: random.Random, payload: Packet) -> Packet:
    """LLC and SNAP; only the OUIs 0 and 0xf8 say that an Ethernet type follows."""
    return LLC(dsap=0xAA, ssap=0xAA, ctrl=3) / SNAP(OUI=rng.choice((0, 0, 0xF8, 0x00000C))) / payload


def _under_pppoe(rng: random.Random, payload: Packet) -> Packet:
    """A session of PPP with IP, with labels, or with a protocol that is neither."""
    protocol = 0x57 if IPv6 in payload and payload.name == "IPv6" else 0x21
    kind = rng.random()
    if kind < 0.3:
        protocol, payload = rng.choice((0x281, 0x283)), _under_labels(rng, payload)
    elif kind < 0.4:
        protocol = 0xC021
    session = PPPoE(sessionid=rng.getrandbits(16))
    if protocol < 0x100 and rng.random() < 0.5:
        return session / compressed(rng.choice((protocol, protocol, protocol, 0x4B))) / payload
    return session / PPP(proto=protocol) / payload


def compressed(protocol: int) -> Packet:
    """PPP's protocol field of one byte."""
    return Raw(bytes([protocol]))


def behind_tags(rng: random.Random, frame: bytes) -> bytes:
    """The same IP packet behind tags, labels, or a session with a whole or a compressed protocol field."""
    network = Ether(frame).payload
    protocol = 0x57 if network.name == "IPv6" else 0x21
    tags = [Dot1Q(vlan=rng.randrange(4096)) for _ in range(rng.randrange(3))]
    session = PPPoE(sessionid=rng.getrandbits(16))
    between = rng.choice(([], labels(rng, 2), [session, PPP(proto=protocol)], [session, compressed(protocol)]))
    return bytes(reduce(truediv, [Ether(**MACS), *tags, *between, network]))


def _link(rng: random.Random, payload: Packet) -> Packet:
    """Ethernet with tags, SNAP, PPPoE and labels in front of an IP packet."""
    macs = {**MACS, "src": f"02:00:00:00:00:{rng.randrange(256):02x}"}
    tags = [rng.choice((Dot1Q, Dot1AD))(vlan=rng.randrange(4096)) for _ in range(rng.choice((0, 0, 0, 1, 2, 3)))]
    kind = rng.random()
    if kind < 0.15:
        payload = _under_snap(rng, payload)
        if not tags:
            return Dot3(**macs) / payload
        tags[-1].type = min(len(payload), 0x5FF)  # a length
    elif kind < 0.35:
        payload = _under_pppoe(rng, payload)
    elif kind < 0.5:
        payload = _under_labels(rng, payload)
    return reduce(truediv, [Ether(**macs), *tags, payload])


def random_packet(rng: random.Random) -> bytes:
    """A packet of any kind, whole, padded, cut short or with bytes changed."""
    kind = rng.random()
    if kind < 0.02:
        packet: Packet = rng.choice(
            (Ether(**MACS) / ARP(), Dot3(**MACS) / LLC() / Raw(b"x" * 40), Ether(**MACS) / PPPoED(sessionid=5))
        )
    else:
        network = _network(rng)
        packet = _link(rng, network / transport(rng, network))
    frame = bytearray(bytes(packet) + rng.randbytes(rng.choice((0, 0, 6, 100))))
    if rng.random() < 0.25:
        del frame[rng.randrange(1, len(frame)) :]
    if rng.random() < 0.25:
        for _ in range(rng.randrange(1, 4)):
            frame[rng.randrange(len(frame))] = rng.randrange(256)
    return bytes(frame)
