# SPDX-License-Identifier: Apache-2.0
"""Exact model of what the datapath of a slow port knows of a frame of 60 bytes or more: its ECN field and its flow key.

IP is right behind the Ethernet header, or behind one tag of 802.1Q. Ports are right behind an IP header without options or
extension headers; where they are not, and in fragments, the key is addresses and protocol, and without IP the Ethernet header.
"""

from __future__ import annotations

from typing import NamedTuple

from sluice_golden.blocks.arithmetic.flow_hash import ADDRESSES, IPV6, LINK, PORTS
from sluice_golden.packets.frame_parser import PORTS as WITH_PORTS


class Outer(NamedTuple):
    """ECN field, 0 where there is no IP, and key bytes and tag as `flow_hash.flow_id` takes them."""

    ecn: int
    key: bytes
    tag: int


def outer(frame: bytes) -> Outer:
    """What is known of a frame without FCS."""
    at = 18 if frame[12:14] == b"\x81\x00" else 14
    ethertype, packet = frame[at - 2 : at], frame[at:]
    if ethertype == b"\x08\x00" and len(packet) >= 20 and packet[0] >> 4 == 4:
        is_fragment = int.from_bytes(packet[6:8], "big") & 0x3FFF != 0
        has_ports = packet[0] & 15 == 5 and not is_fragment
        return _ip(packet[1] & 3, packet[12:20], packet[20:24] if has_ports else b"", packet[9], 0)
    if ethertype == b"\x86\xdd" and len(packet) >= 40 and packet[0] >> 4 == 6:
        return _ip(packet[1] >> 4 & 3, packet[8:40], packet[40:44], packet[6], IPV6)
    return Outer(0, frame[:12] + (ethertype if ethertype >= b"\x06\x00" else bytes(2)), LINK)


def _ip(ecn: int, addresses: bytes, ports: bytes, protocol: int, version: int) -> Outer:
    if protocol in WITH_PORTS and len(ports) == 4:
        return Outer(ecn, addresses + ports, version | protocol << 4 | PORTS)
    return Outer(ecn, addresses, version | protocol << 4 | ADDRESSES)
