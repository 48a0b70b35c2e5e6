# SPDX-License-Identifier: Apache-2.0
"""Frames for the datapath's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

if TYPE_CHECKING:
    import random

MOST = 9600


def udp(rng: random.Random, size: int, ecn: int = 0, version: int = 4, dscp: int = 0) -> bytes:
    """A UDP or TCP frame of one of a few flows, padded with random bytes to `size`."""
    network = (
        IP(src="10.0.0.1", dst=f"10.1.0.{rng.randrange(8)}", tos=dscp << 2 | ecn)
        if version == 4
        else IPv6(src="2001:db8::1", dst=f"2001:db8:1::{rng.randrange(8):x}", tc=dscp << 2 | ecn)
    )
    transport = (UDP if rng.random() < 0.5 else TCP)(sport=1024 + rng.randrange(8), dport=80)
    head = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / network / transport
    return bytes(head / rng.randbytes(max(0, size - len(head))))


def any_size(rng: random.Random) -> int:
    """A length from one byte to the longest, often an extreme."""
    return rng.choice((1, 13, 14, 60, 64, 65, 127, 128, 129, 1514, MOST, rng.randint(1, 300), rng.randint(1, MOST)))


def random_frame(rng: random.Random) -> bytes:
    """Any length; a real packet where it is long enough, noise otherwise."""
    size = any_size(rng)
    if size < 100 or rng.random() < 0.2:
        return rng.randbytes(size)
    return udp(rng, size, ecn=rng.randrange(4), version=rng.choice((4, 6)))


def beats_of(frame: bytes, lanes: int) -> list[bytes]:
    """A frame cut into the beats of a stream."""
    return [frame[at : at + lanes] for at in range(0, len(frame), lanes)]


def with_null_beats(rng: random.Random, beats: list[bytes], lanes: int) -> tuple[bytes, list[int]]:
    """A frame's beats with some of nothing among them, at times the first and the last: data and `tkeep`, byte by byte."""
    among = [beats[i : i + 1] if rng.random() < 0.7 else [b"", *beats[i : i + 1]] for i in range(len(beats) + 1)]
    whole = [beat for group in among for beat in group] or [b""]
    padded = [beat + rng.randbytes(lanes - len(beat)) for beat in whole]
    keep = [int(lane < len(beat)) for beat in whole for lane in range(lanes)]
    return b"".join(padded), keep
