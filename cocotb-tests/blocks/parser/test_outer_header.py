# SPDX-License-Identifier: Apache-2.0
"""ECN and flow of frames at a slow port against their model, and against the parser of the fast datapaths."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from datapath.frames.packets import random_packet
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.arithmetic.flow_hash import ADDRESSES, LINK, PORTS, flow_id, flow_key
from sluice_golden.packets.frame_parser import Seen, parse
from sluice_golden.packets.outer_header import outer

SOURCE = RTL / "blocks" / "sluice_block_outer_header.sv"
FRAMES = 4_000
LEAST = 60
SPACING = 38
"""Clocks from one frame to the next; two of 60 bytes are 60 apart at least."""
HEADER = 4
LATENCY = 47
WINDOW = 128


@pytest.fixture(scope="module")
def player() -> Player:
    """The header and the hash alone."""
    return Player(SOURCE)


def frames_of(seed: int) -> list[bytes]:
    """Packets of every kind, padded as Ethernet does; every eighth has a few bytes changed."""
    rng = random.Random(seed)
    frames = [bytearray(random_packet(rng).ljust(LEAST, b"\0")) for _ in range(FRAMES)]
    for frame in frames[::8]:
        for _ in range(3):
            frame[rng.randrange(12, 62) % len(frame)] = rng.choice((0, 4, 6, 8, 0x45, 0x81, 0xFF, rng.randrange(256)))
    return [bytes(frame) for frame in frames]


def seen(player: Player, frames: list[bytes], secret: bytes) -> tuple[np.ndarray, np.ndarray]:
    """ECN and flow ids; what is behind a frame's end is anything."""
    rng = random.Random(0)
    windows = [frame[:WINDOW] + rng.randbytes(max(0, WINDOW - len(frame))) for frame in frames]
    rows = np.frombuffer(b"".join(windows), dtype="<u8").reshape(len(frames), -1)
    cycles = len(frames) * SPACING + LATENCY
    starts = np.arange(len(frames)) * SPACING
    given = {f"io_secret_{i}": np.full(cycles, word) for i, word in enumerate(np.frombuffer(secret, dtype=">u4"))}
    given["io_valid"] = np.zeros(cycles, np.uint8)
    given["io_valid"][starts] = 1
    given["io_bytes"] = np.zeros(cycles, np.uint16)
    given["io_bytes"][starts] = [*map(len, frames)]
    for i in range(rows.shape[1]):  # in all other clocks the window is anything
        given[f"io_window_{i}"] = np.frombuffer(rng.randbytes(8 * cycles), dtype="<u8").copy()
        given[f"io_window_{i}"][starts] = rows[:, i]
    answers = player.play(given)
    assert np.array_equal(np.flatnonzero(answers["io_flow_valid"]), starts + LATENCY)
    return answers["io_ecn"][starts + HEADER], answers["io_flow_payload"][starts + LATENCY]


def test_ecn_and_flow_of_every_frame(player: Player) -> None:
    """As the model has them, under a secret."""
    secret = random.Random(1).randbytes(40)
    frames = frames_of(1)
    kinds: Counter[int] = Counter()
    for frame, ecn, flow in zip(frames, *seen(player, frames, secret), strict=True):
        should = outer(frame)
        kinds[should.tag & 15] += 1
        assert (ecn, flow) == (should.ecn, flow_id(secret, should.key, should.tag)), frame.hex()
    assert min(kinds[kind] for kind in (PORTS, ADDRESSES, LINK)) > 100, kinds


def is_plain(frame: bytes, seen: Seen) -> bool:
    """Whether IP is at most one tag of 802.1Q away, and its ports, if it has any, right behind its header."""
    at = 18 if frame[12:14] == b"\x81\x00" else 14
    if seen.version is None:
        return seen.outcome == "not_ip" and len(seen.vlan_ids) == (at - 14) // 4
    is_near = seen.l3_offset == at and frame[at - 2 : at] in {b"\x08\x00", b"\x86\xdd"}
    return is_near and (not seen.ports or seen.l4_offset == at + (20 if seen.version == 4 else 40))


def test_a_plain_frame_is_of_the_flow_that_the_parser_gives_it() -> None:
    """A host that reads both kinds of datapaths finds one flow under one number."""
    compared: Counter[int] = Counter()
    for frame in frames_of(2):
        header = parse(frame)
        if is_plain(frame, header) and header.outcome in {"whole", "not_ip"}:
            key, tag = flow_key(frame, header, "five_tuple")
            assert outer(frame)[1:] == (key, tag), frame.hex()
            compared[tag & 15] += 1
    assert compared[PORTS] > 200, compared
    assert compared[LINK] > 100, compared
