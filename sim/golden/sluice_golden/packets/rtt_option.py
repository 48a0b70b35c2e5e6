# SPDX-License-Identifier: Apache-2.0
"""Exact model of how the datapath reads a packet's round-trip time from its options; the format is docs/rtt-option.md.

The options are those of the outermost IP header: of IPv4 behind its first 20 bytes, of IPv6 in a hop-by-hop header right behind
it (RFC 8200, 4.1). The first round-trip time counts, and what stands behind it is not looked at.
"""

from __future__ import annotations

from typing import NamedTuple

from sluice_golden.packets.frame_parser import walk_through

KIND = {4: 158, 6: 0x1E}
"""Experimental options of RFC 4727: copied into fragments; to be passed over by who does not know it, and not changed."""

IDENTIFIER = 0x51CE
SIZE = 8
"""Bytes of the option: kind, length, identifier, and the time in us as four bytes."""

MOST_US = (1 << 22) - 1
"""What a core is told of any longer time."""

_HOP_BY_HOP = 0


class RttSeen(NamedTuple):
    """What the options say: "none", "good" with a time, "bad", or "beyond" where they leave what the parser sees."""

    outcome: str
    us: int = 0


def read(frame: bytes) -> RttSeen:
    """The round-trip time that a frame carries."""
    seen, walk = walk_through(frame)
    if seen.is_cut_in_options:
        return RttSeen("bad")
    if seen.version is None or seen.l3_offset is None:
        return RttSeen("none")
    start, in_sight = seen.l3_offset, walk.end
    if seen.version == 4:
        begin, end = start + 20, start + (frame[start] & 15) * 4
        return _options(frame, 4, begin, end, end, "bad")
    if frame[start + 6] != _HOP_BY_HOP:
        return RttSeen("none")
    beyond = "beyond" if walk.is_long else "bad"
    header = start + 40
    if header + 2 > in_sight:
        return RttSeen(beyond)
    end = header + (frame[header + 1] + 1) * 8
    return _options(frame, 6, header + 2, end, min(end, in_sight), beyond)


def _options(frame: bytes, version: int, at: int, end: int, in_sight: int, beyond: str) -> RttSeen:
    """Walks from option to option. What is only begun where the sight ends is `beyond`, or bad where the options end there."""
    left = "bad" if in_sight == end else beyond
    while at < in_sight:
        kind = frame[at]
        if version == 4 and kind == 0:  # no more options
            return RttSeen("none")
        if kind == (1 if version == 4 else 0):  # padding of one byte
            at += 1
            continue
        if at + 1 >= in_sight:
            return RttSeen(left)
        size = frame[at + 1] + (0 if version == 4 else 2)
        if size < 2:
            return RttSeen("bad")
        is_ours = kind == KIND[version] and size >= 4 and at + 4 <= in_sight
        if is_ours and int.from_bytes(frame[at + 2 : at + 4], "big") == IDENTIFIER:
            if size != SIZE:
                return RttSeen("bad")
            if at + SIZE <= in_sight:
                return RttSeen("good", min(int.from_bytes(frame[at + 4 : at + SIZE], "big"), MOST_US))
        at += size
        if at > in_sight:
            return RttSeen(left)
    return RttSeen("none" if in_sight == end else beyond)
