# SPDX-License-Identifier: Apache-2.0
"""Frames with the option of the round-trip time, made with scapy: among other options, behind tags, labels and sessions, around
tunnels; and their damage."""

from __future__ import annotations

import random
from functools import partial, reduce
from operator import truediv
from typing import TYPE_CHECKING, NamedTuple

from datapath.frames.packets import MACS, compressed, labels, transports
from scapy.layers.inet import IP, IPOption, IPOption_NOP, IPOption_RR, IPOption_Timestamp
from scapy.layers.inet6 import HBHOptUnknown, IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrHopByHop, Pad1, PadN, RouterAlert
from scapy.layers.l2 import LLC, SNAP, Dot1AD, Dot1Q, Dot3, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.packet import Raw

if TYPE_CHECKING:
    from collections.abc import Callable

    from scapy.packet import Packet

IDENTIFIER = b"\x51\xce"
OTHER = b"\x12\x34"
"""Of another experiment."""

WINDOW = 128


class Made(NamedTuple):
    """A frame, and the time in us that it carries; None: none."""

    frame: bytes
    us: int | None


def any_time(rng: random.Random) -> int:
    """Up to what the option's four bytes hold, at times more than a core is told of."""
    return rng.getrandbits(rng.choice((8, 17, 22, 23, 32)))


def ipv4_option(us: int, identifier: bytes = IDENTIFIER) -> Packet:
    """The option in an IPv4 header."""
    return IPOption(copy_flag=1, optclass=0, option=30, length=8, value=identifier + us.to_bytes(4, "big"))


def ipv6_option(us: int, identifier: bytes = IDENTIFIER) -> Packet:
    """The option in a hop-by-hop header."""
    return HBHOptUnknown(otype=0x1E, optlen=6, optdata=identifier + us.to_bytes(4, "big"))


def _ipv4_others(rng: random.Random, room: int) -> tuple[list[Packet], int]:
    """Other options, together of at most so many bytes, and of how many. Scapy builds a packet to say how long it is."""
    found: list[Packet] = []
    left = room
    while left:
        size, noise = rng.randrange(3, 12), rng.randbytes(8)
        option = rng.choice(
            (
                IPOption_NOP,
                lambda: IPOption_RR(pointer=4, routers=["0.0.0.0"]),
                lambda: IPOption_Timestamp(flg=0),
                lambda: ipv4_option(any_time(rng), OTHER),
                partial(IPOption, copy_flag=1, optclass=0, option=30, length=size, value=(OTHER + noise)[: size - 2]),
                partial(
                    IPOption, copy_flag=0, optclass=2, option=30, length=size, value=(IDENTIFIER + noise)[: size - 2]
                ),
            )
        )()
        length = len(option)
        if length > left:
            break
        left -= length
        found.append(option)
        if rng.random() < 0.4:
            break
    return found, room - left


def _ipv6_others(rng: random.Random) -> list[Packet]:
    return [
        rng.choice(
            (
                Pad1,
                lambda: PadN(optdata=bytes(rng.randrange(8))),
                RouterAlert,
                lambda: ipv6_option(any_time(rng), OTHER),
                lambda: HBHOptUnknown(otype=0x3E, optdata=IDENTIFIER + bytes(rng.randrange(9))),
            )
        )()
        for _ in range(rng.choice((0, 0, 1, 2, 3)))
    ]


def network(rng: random.Random, us: int | None) -> Packet:
    """An IP header of either version with that option, or with none, somewhere among others."""
    if rng.random() < 0.5:
        room = 40 - (0 if us is None else 8)
        before, taken = _ipv4_others(rng, room if rng.random() < 0.7 else 0)
        after, _ = _ipv4_others(rng, room - taken)
        own = [] if us is None else [ipv4_option(us)]
        fragment = {"flags": "MF", "frag": rng.choice((0, 100))} if rng.random() < 0.1 else {}
        return IP(dst="10.1.2.3", options=[*before, *own, *after], **fragment)
    own = [] if us is None else [ipv6_option(us)]
    hop_by_hop = IPv6ExtHdrHopByHop(options=[*_ipv6_others(rng), *own, *_ipv6_others(rng)])
    if rng.random() < 0.5:  # without scapy's alignment, so that an option may stand at any byte
        hop_by_hop.autopad = 0
        hop_by_hop.options += [Pad1()] * (-len(bytes(hop_by_hop)) % 8)
    packet = IPv6(dst="2001:db8::2") / hop_by_hop
    return packet / IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(4))]) if rng.random() < 0.2 else packet


def links(rng: random.Random, version: int) -> tuple[Callable[[], Packet], ...]:
    """How each is made of what may stand in front of an IP header."""
    protocol = {4: 0x21, 6: 0x57}[version]

    def ether() -> Packet:
        return Ether(**MACS)

    return (
        ether,
        lambda: ether() / Dot1Q(vlan=5),
        lambda: ether() / Dot1AD(vlan=6) / Dot1Q(vlan=5),
        lambda: ether() / PPPoE(sessionid=7) / PPP(proto=protocol),
        lambda: ether() / PPPoE(sessionid=7) / compressed(protocol),
        lambda: ether() / Dot1Q(vlan=5) / PPPoE(sessionid=7) / PPP(proto=protocol),
        lambda: reduce(truediv, [ether(), *labels(rng, rng.randrange(1, 5))]),
        lambda: Dot3(**MACS) / LLC(dsap=0xAA, ssap=0xAA, ctrl=3) / SNAP(OUI=0),
    )


def made(rng: random.Random) -> Made:
    """A frame that is as it should be. Whatever a tunnel carries is none of its own."""
    us = any_time(rng) if rng.random() < 0.8 else None
    head = network(rng, us)
    tunnelled = (
        lambda: IP(options=[ipv4_option(any_time(rng))]) / Raw(b"inside"),
        lambda: IPv6() / IPv6ExtHdrHopByHop(options=[ipv6_option(9)]),
    )
    last = rng.choice((*transports(rng, head), *tunnelled))()
    link = rng.choice(links(rng, 4 if IP in head else 6))()
    for layer in (head, last, Raw(rng.randbytes(rng.choice((0, 9, 60, 200))))):
        link.add_payload(layer)  # nobody else has them: `/` would copy all of both
    return Made(bytes(link), us)


def damaged(rng: random.Random) -> bytes:
    """A frame with bytes changed, mostly among its options, or with its end cut off."""
    frame = bytearray(made(rng).frame)
    at = frame.find(IDENTIFIER)
    near = range(max(14, at - 24), min(len(frame), at + 12)) if at > 0 else range(14, len(frame))
    for _ in range(rng.choice((1, 1, 2, 4))):
        value = rng.choice((0, 1, 2, 3, 6, 8, 0x1E, 0x9E, 0x51, 0xCE, 0xFF, rng.randrange(256)))
        frame[rng.choice(near) if rng.random() < 0.8 else rng.randrange(12, len(frame))] = value
    if rng.random() < 0.2:
        del frame[rng.randrange(14, len(frame)) :]
    return bytes(frame)
