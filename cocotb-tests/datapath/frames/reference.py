# SPDX-License-Identifier: Apache-2.0
"""What a marked frame must look like, by scapy: CE set, the IPv4 header checksum computed anew, nothing else touched."""

from __future__ import annotations

from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6

from sluice_golden.packets.frame_parser import parse


def marked(frame: bytes) -> bytes:
    """The frame with CE in its outermost IP header."""
    seen = parse(frame)
    at = seen.l3_offset
    assert at is not None
    if seen.version == 6:
        head = IPv6(frame[at : at + 40])
        head.tc |= 3
        return frame[:at] + bytes(head)[:2] + frame[at + 2 :]
    size = (frame[at] & 15) * 4
    head = IP(frame[at : at + size])
    head.tos |= 3
    del head.chksum
    return frame[:at] + bytes(head)[:size] + frame[at + size :]
