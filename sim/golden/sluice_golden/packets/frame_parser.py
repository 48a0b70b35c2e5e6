# SPDX-License-Identifier: Apache-2.0
"""Exact model of the datapath's parser: reads a frame byte by byte, header after header.

The parser sees the first 128 bytes, and of what follows the Ethernet header only whole 32-bit words. A header that
is not there whole ends the walk: "cut" if the frame (or the IP packet in it) ends there, "deep" if the window does.
Behind a protocol field of PPP that is compressed to one byte (RFC 1661, 6.5) the words begin anew, and eleven of them
are seen: an IPv6 header and its ports. Numbers are those of the IEEE and IANA registries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address

WINDOW = 128
ETHERNET = 14
COMPRESSED = 44
MPLS_LABELS = 4
EXTENSION_HEADERS = 4
PPP = {0x0021: 0x0800, 0x0057: 0x86DD, 0x0281: 0x8847, 0x0283: 0x8848}
PORTS = {6, 17, 33, 132, 136}
EXTENSIONS = {0, 43, 44, 51, 60, 135, 139, 140}


@dataclass
class Seen:
    """What is known of a frame. None or empty: the frame does not have it."""

    outcome: str = ""
    vlan_ids: list[int] = field(default_factory=list)
    ethertype: int | None = None
    mpls_label: int | None = None
    version: int | None = None
    l3_offset: int | None = None
    is_cut_in_options: bool = field(default=False, compare=False)
    """The frame ends among the options of an IPv4 header, of which nothing else counts; the option's outcome alone shows it."""
    source: IPv4Address | IPv6Address | None = None
    destination: IPv4Address | IPv6Address | None = None
    protocol: int | None = None
    service: int | None = None
    ttl: int | None = None
    is_fragment: bool = False
    fragment_offset: int = 0
    ports: tuple[int, int] | None = None
    l4_offset: int | None = None
    tcp_flags: int | None = None
    tunnel: tuple[str, int] | None = None


class _EndError(Exception):
    """The walk ends; the argument is the outcome."""


class Walk:
    """The bytes that are left, with the end of what may be read; `is_long`: the frame goes on behind it."""

    def __init__(self, frame: bytes) -> None:
        seen = min(len(frame), WINDOW) - ETHERNET
        self.end = ETHERNET + seen // 4 * 4
        self.is_long = len(frame) > WINDOW
        self.frame = frame
        self.at = ETHERNET

    def realign(self) -> None:
        """Count the words from here on, and few of them."""
        self.end = self.at + (min(len(self.frame), WINDOW) - self.at) // 4 * 4
        if self.at + COMPRESSED < self.end:
            self.end, self.is_long = self.at + COMPRESSED, True

    def need(self, size: int) -> None:
        if self.at + size > self.end:
            raise _EndError("deep" if self.is_long else "cut")

    def has(self, size: int) -> bool:
        return self.at + size <= self.end

    def number(self, offset: int, size: int) -> int:
        start = self.at + offset
        return int.from_bytes(self.frame[start : start + size], "big")

    def shorten(self, end: int) -> None:
        """The IP packet ends before the frame or the window does."""
        if end < self.end:
            self.end, self.is_long = end, False


def parse(frame: bytes) -> Seen:
    """What a frame's headers say."""
    return walk_through(frame)[0]


def walk_through(frame: bytes) -> tuple[Seen, Walk]:
    """The same, and where the walk ended: what may be read then is the IP packet, as far as it is in sight."""
    seen, walk = Seen(), Walk(frame)
    if len(frame) < ETHERNET:
        seen.outcome = "runt"
        return seen, walk
    try:
        kind = _link(walk, seen)
        protocol = _ipv6(walk, seen) if kind == 6 else _ipv4(walk, seen)
        _transport(walk, seen, protocol)
    except _EndError as end:
        seen.outcome = str(end)
    return seen, walk


def _link(walk: Walk, seen: Seen) -> int:
    """Walks to the IP header and returns its version."""
    ethertype = int.from_bytes(walk.frame[12:14], "big")
    while ethertype in {0x8100, 0x88A8, 0x9100} and len(seen.vlan_ids) < 2:
        walk.need(4)
        seen.vlan_ids.append(walk.number(0, 2) & 0xFFF)
        ethertype = walk.number(2, 2)
        walk.at += 4
    if ethertype < 0x0600:
        is_snap = walk.has(8) and walk.number(0, 3) == 0xAAAA03 and walk.number(3, 3) in {0x000000, 0x0000F8}
        if not is_snap:
            raise _EndError("not_ip")
        ethertype = walk.number(6, 2)
        walk.at += 8
    else:
        seen.ethertype = ethertype
        if ethertype in {0x8100, 0x88A8, 0x9100}:
            raise _EndError("deep")
    if ethertype in {0x8863, 0x8864}:
        ethertype = _pppoe(walk, seen, ethertype)
    if ethertype in {0x8847, 0x8848}:
        return _mpls(walk, seen)
    if ethertype not in {0x0800, 0x86DD}:
        raise _EndError("not_ip")
    return 4 if ethertype == 0x0800 else 6


def _pppoe(walk: Walk, seen: Seen, ethertype: int) -> int:
    if walk.has(4):
        seen.tunnel = ("pppoe", walk.number(2, 2))
    walk.need(8)
    if ethertype == 0x8863:
        raise _EndError("not_ip")
    protocol = walk.number(6, 2)
    walk.at += 8
    if walk.number(-2, 1) & 1:  # the last byte of any protocol's number is odd, the one in front of it even
        protocol >>= 8
        walk.at -= 1
        walk.realign()
    return PPP.get(protocol, 0xFFFF)


def _mpls(walk: Walk, seen: Seen) -> int:
    for depth in range(MPLS_LABELS):
        walk.need(4)
        label = walk.number(0, 4)
        if depth == 0:
            seen.mpls_label = label >> 12
        walk.at += 4
        if label & 0x100:
            break
    else:
        raise _EndError("deep")
    walk.need(4)
    version = walk.number(0, 1) >> 4
    if version not in {4, 6}:
        raise _EndError("not_ip")
    return version


def _ipv4(walk: Walk, seen: Seen) -> int:
    walk.need(4)
    head, length = (walk.number(0, 1) & 15) * 4, walk.number(2, 2)
    if walk.number(0, 1) >> 4 != 4 or head < 20 or 0 < length < head:
        raise _EndError("bad_ip")
    seen.is_cut_in_options = walk.has(20) and not walk.has(head) and not walk.is_long
    walk.need(head)
    seen.version, seen.l3_offset = 4, walk.at
    seen.source, seen.destination = IPv4Address(walk.number(12, 4)), IPv4Address(walk.number(16, 4))
    seen.service, seen.ttl, seen.protocol = walk.number(1, 1), walk.number(8, 1), walk.number(9, 1)
    fragment = walk.number(6, 2)
    seen.fragment_offset = fragment & 0x1FFF
    seen.is_fragment = bool(fragment & 0x3FFF)
    if length:
        walk.shorten(walk.at + length // 4 * 4)
    if seen.fragment_offset:
        raise _EndError("fragment")
    walk.at += head
    return seen.protocol


def _ipv6(walk: Walk, seen: Seen) -> int:
    walk.need(4)
    if walk.number(0, 1) >> 4 != 6:
        raise _EndError("bad_ip")
    walk.need(40)
    seen.version, seen.l3_offset = 6, walk.at
    seen.source, seen.destination = IPv6Address(walk.number(8, 16)), IPv6Address(walk.number(24, 16))
    seen.service, seen.ttl = walk.number(0, 2) >> 4 & 0xFF, walk.number(7, 1)
    seen.protocol = walk.number(6, 1)
    length = walk.number(4, 2)
    if length:
        walk.shorten(walk.at + 40 + length // 4 * 4)
    walk.at += 40
    for _ in range(EXTENSION_HEADERS):
        if seen.protocol not in EXTENSIONS:
            break
        _extension(walk, seen)
    if seen.protocol in EXTENSIONS:
        raise _EndError("deep")
    return seen.protocol


def _extension(walk: Walk, seen: Seen) -> None:
    kind = seen.protocol
    walk.need(4)
    seen.protocol = walk.number(0, 1)
    count = walk.number(1, 1)
    size = 8 if kind == 44 else (count + 2) * 4 if kind == 51 else (count + 1) * 8
    if kind == 44 and walk.has(8):
        seen.is_fragment = True
        seen.fragment_offset = walk.number(2, 2) >> 3
        if seen.fragment_offset:
            raise _EndError("fragment")
    walk.need(size)
    walk.at += size


def _transport(walk: Walk, seen: Seen, protocol: int) -> None:
    seen.outcome = "no_ports"
    if protocol in PORTS:
        walk.need(4)
        seen.outcome = "whole"
        seen.ports = (walk.number(0, 2), walk.number(2, 2))
        seen.l4_offset = walk.at
    if protocol == 6 and walk.has(16):
        seen.tcp_flags = walk.number(12, 2) & 0xFFF
    if not seen.tunnel:
        _tunnel(walk, seen, protocol)


def _tunnel(walk: Walk, seen: Seen, protocol: int) -> None:
    if protocol == 17 and walk.has(16):
        seen.tunnel = _over_udp(walk, set(seen.ports or ()))
    if protocol == 47 and walk.has(4) and walk.number(0, 1) & 0x20:
        at = 8 if walk.number(0, 1) & 0x80 else 4
        if walk.has(at + 4):
            is_pptp = walk.number(1, 1) & 7 == 1  # its key is the payload's length, which is no name, and the call
            seen.tunnel = ("gre", walk.number(at + 2, 2) if is_pptp else walk.number(at, 4))
    if protocol == 115 and walk.has(4):
        seen.tunnel = ("l2tp", walk.number(0, 4))


def _over_udp(walk: Walk, ports: set[int]) -> tuple[str, int] | None:
    first = walk.number(8, 1)
    if ports & {2152, 2123}:
        version = first >> 5
        if (version == 1 and first & 0x10) or (version == 2 and first & 0x08):
            return "gtp", walk.number(12, 4)
    if 4789 in ports and first & 0x08:
        return "vxlan", walk.number(12, 3)
    if 6081 in ports:
        return "geneve", walk.number(12, 3)
    if 1701 in ports and not first & 0x80 and walk.number(9, 1) & 15 == 2:
        return "l2tp", walk.number(12, 4) if first & 0x40 else walk.number(10, 4)
    return None
