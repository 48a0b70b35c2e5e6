# SPDX-License-Identifier: Apache-2.0
"""What becomes of frames before a slow link: marks behind every kind of header, and drops where the buffer is full.

The model is driven from C++, which also refuses beats that are not full and frames that are torn.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from datapath.frames.made import capture_of
from datapath.frames.packets import MACS, compressed
from datapath.frames.reference import marked
from datapath.replaying import Link, model_of, replay
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.packet import Raw

from sluice.packets.datapath import ACTIONS
from sluice_golden.packets.frame_parser import parse

if TYPE_CHECKING:
    from scapy.packet import Packet

NS_PER_BYTE = 80
LINK = Link(NS_PER_BYTE, overhead_bytes=0, burst_ns=64)
PPP_TYPES = {4: 0x21, 6: 0x57}
COUNTED = (1 << 17) - 1
"""Longest frame that the input can tell."""
ROOM_CELLS = {"red-64": 12768, "red-512": 1582}
"""Beats that the buffer admits."""


def links(version: int) -> dict[str, Packet]:
    """What may stand in front of an IP header."""
    ether = Ether(**MACS)
    return {
        "ethernet": ether,
        "vlan": ether / Dot1Q(vlan=5),
        "qinq": ether / Dot1AD(vlan=6) / Dot1Q(vlan=5),
        "pppoe": ether / PPPoE(sessionid=7) / PPP(proto=PPP_TYPES[version]),
        "compressed": ether / PPPoE(sessionid=7) / compressed(PPP_TYPES[version]),
        "compressed behind tags": ether / Dot1AD(vlan=6) / Dot1Q(vlan=5) / PPPoE() / compressed(PPP_TYPES[version]),
        "mpls": ether / MPLS(label=16, s=0) / MPLS(label=17, s=1),
        "all": ether / Dot1AD(vlan=6) / Dot1Q(vlan=5) / MPLS(label=16, s=0) / MPLS(label=17, s=1),
    }


def frame(rng: random.Random) -> tuple[str, bytes]:
    """A frame of any kind with any ECN field, and the name of its kind."""
    version = rng.choice((4, 6))
    kind, link = rng.choice(list(links(version).items()))
    service = rng.randrange(256)
    network = IP(tos=service, ttl=rng.randrange(256)) if version == 4 else IPv6(tc=service, hlim=rng.randrange(256))
    return kind, bytes(link / network / UDP() / Raw(rng.randbytes(rng.randrange(200))))


@pytest.mark.parametrize("name", ["red-64", "red-512"])
def test_marks(name: str) -> None:
    """Marked frames leave with CE and a right checksum, all others as they came; only ECN-capable ones are marked."""
    rng = random.Random(1)
    kinds, frames = zip(*(frame(rng) for _ in range(1500)), strict=True)
    frames = [bytes(Ether(**MACS) / ARP()) if i % 50 == 0 else data for i, data in enumerate(frames)]
    red = {"ecn": 1, "mark_most": 1, "min": 1, "max": 300, "probability": 0.5, "weight_exponent": 0}
    outcome, left = replay(name, LINK, red, frames, gap_ns=100 * NS_PER_BYTE)
    marks = set()
    for kind, before, after, seen in zip(kinds, frames, left, outcome.seen, strict=True):
        action = ACTIONS[seen["action"]]
        if action == "mark":
            service = parse(before).service
            assert service is not None
            assert service & 3, "only ECN-capable frames"
            marks.add((kind, parse(before).version, service & 3))
        if action != "drop":
            assert after == (marked(before) if action == "mark" else before), before.hex()
    assert marks == {(kind, version, ecn) for version in (4, 6) for kind in links(version) for ecn in (1, 2, 3)}
    assert ACTIONS.index("drop") in outcome.seen["action"], "what may not be marked is dropped"


@pytest.mark.parametrize(("name", "size"), [("red-64", 105), ("red-512", 65)])
def test_the_buffer_full_of_cells(name: str, size: int) -> None:
    """Frames that waste most of their last cell fill the buffer long before its bytes; what finds no room is dropped."""
    rng = random.Random(2)
    frames = [rng.randbytes(size) for _ in range(1000)]
    outcome, left = replay(name, LINK, {"limit": 1008, "min": 2000, "max": 3000}, frames, gap_ns=0)
    kept = outcome.seen["action"] == ACTIONS.index("pass")
    room = ROOM_CELLS[name] // -(-size * 8 // int(name.split("-")[1]))
    leave = int(np.ptp(outcome.entry_ns)) // (size * NS_PER_BYTE) + 2  # and make room for as many
    assert room <= np.count_nonzero(kept) <= room + leave
    assert not kept[-50:].any()
    assert all(after == before for before, after, is_kept in zip(frames, left, kept, strict=True) if is_kept)


@pytest.mark.parametrize("name", ["red-64", "red-512"])
def test_frames_that_never_end(name: str) -> None:
    """Longer than the input can count they are dropped with as many bytes as it can, and what comes behind them passes."""
    rng = random.Random(5)
    long = [65_536, COUNTED - 1, COUNTED, COUNTED + 1, COUNTED + 2, 131_080, 200_000, 262_144, 262_145, 400_001]
    sent = capture_of([rng.randbytes(size) for size in (60, *long, 60)])
    model, driver = model_of(name)
    model.replay(sent, np.zeros(len(sent), np.uint64), lambda _: None)
    counters = driver.snapshot()
    model.close()
    counted = sum(min(size, COUNTED) for size in long)
    assert counters["oversize_frames"] == len(long)
    assert counters["oversize_bytes"] == counted
    assert counters["input_bytes"] == counted + 120
    assert counters["output_bytes"] == 120
