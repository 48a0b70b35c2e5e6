# SPDX-License-Identifier: Apache-2.0
"""Puts the option of the round-trip time into frames; its format is docs/rtt-option.md. scapy finds the outermost IP header."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, NamedTuple

from scapy.contrib import mpls  # noqa: F401, so that scapy looks behind labels
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1AD, Dot1Q, Dot3, Ether
from scapy.layers.ppp import PPPoE
from scapy.utils import checksum

IPV4_KIND, IPV6_KIND = 0x9E, 0x1E
IDENTIFIER = b"\x51\xce"
SIZE = 8
MOST_US = (1 << 32) - 1

_IPV4_HEAD, _IPV4_MOST = 20, 60
_IPV6_HEAD = 40
_HOP_BY_HOP = 0
_LONGEST = 0xFFFF


class Found(NamedTuple):
    """Where a frame's outermost IP header is; and the lengths in front of it that count its packet."""

    at: int
    version: int
    lengths: list[int]

    def addresses(self, frame: bytes) -> tuple[IPv4Address | IPv6Address, IPv4Address | IPv6Address]:
        """Source and destination."""
        start, size = (12, 4) if self.version == 4 else (8, 16)
        source = self.at + start
        return ip_address(frame[source : source + size]), ip_address(frame[source + size : source + 2 * size])


def find(frame: bytes) -> Found | None:
    """The outermost IP header, if it is there whole."""
    layer: Any = Ether(frame)
    at, lengths = 0, []
    while layer and not isinstance(layer, IP | IPv6):
        if isinstance(layer, Dot3):
            lengths.append(at + 12)
        elif isinstance(layer, Dot1Q | Dot1AD) and layer.type <= 0x5FF:
            lengths.append(at + 2)
        elif isinstance(layer, PPPoE):
            lengths.append(at + 4)
        at += len(layer.raw_packet_cache or b"")
        layer = layer.payload
    if not layer:
        return None
    version = 4 if isinstance(layer, IP) else 6
    head = (frame[at] & 15) * 4 if version == 4 else _IPV6_HEAD
    is_whole = at + head <= len(frame) and head >= _IPV4_HEAD and frame[at] >> 4 == version
    return Found(at, version, lengths) if is_whole else None


def insert(frame: bytes, found: Found, us: int) -> bytes | None:
    """The frame with this time in front of all other options; None where there is no room for it."""
    data = IDENTIFIER + us.to_bytes(4, "big")
    changed = (_into_ipv4 if found.version == 4 else _into_ipv6)(bytearray(frame[found.at :]), data)
    if changed is None:
        return None
    link = bytearray(frame[: found.at])
    grown = len(changed) - (len(frame) - found.at)
    return bytes(link + changed) if all(_add(link, at, grown) for at in found.lengths) else None


def _into_ipv4(packet: bytearray, data: bytes) -> bytearray | None:
    head = (packet[0] & 15) * 4 + SIZE
    if head > _IPV4_MOST or not _add(packet, 2, SIZE):
        return None
    packet[_IPV4_HEAD:_IPV4_HEAD] = bytes([IPV4_KIND, SIZE]) + data
    packet[0] = 0x40 | head // 4
    packet[10:12] = bytes(2)
    packet[10:12] = checksum(bytes(packet[:head])).to_bytes(2, "big")
    return packet


def _into_ipv6(packet: bytearray, data: bytes) -> bytearray | None:
    option = bytes([IPV6_KIND, len(data)]) + data
    if packet[6] == _HOP_BY_HOP:
        if len(packet) < _IPV6_HEAD + SIZE or packet[_IPV6_HEAD + 1] == 0xFF or not _add(packet, 4, SIZE):
            return None
        packet[_IPV6_HEAD + 1] += 1
        packet[_IPV6_HEAD + 2 : _IPV6_HEAD + 2] = option
        return packet
    # Padded in front, so that the time is aligned, and behind, to a multiple of eight bytes.
    header = bytes([packet[6], 1, 1, 0]) + option + bytes([1, 2, 0, 0])
    if not _add(packet, 4, len(header)):
        return None
    packet[6] = _HOP_BY_HOP
    packet[_IPV6_HEAD:_IPV6_HEAD] = header
    return packet


def _add(data: bytearray, at: int, grown: int) -> bool:
    """Raises a length, unless it is 0, which stands for one that is not said; whether it fits."""
    length = int.from_bytes(data[at : at + 2], "big")
    if length + grown > _LONGEST:
        return False
    if length:
        data[at : at + 2] = (length + grown).to_bytes(2, "big")
    return True
