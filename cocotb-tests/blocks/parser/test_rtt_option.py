# SPDX-License-Identifier: Apache-2.0
"""The parser with the option of the round-trip time: a frame in every clock, as scapy made it or damaged."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from datapath.frames import tshark_options
from datapath.frames.rtt_options import WINDOW, Made, damaged, made
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.packets.frame_parser import parse
from sluice_golden.packets.rtt_option import MOST_US, RttSeen, read

SOURCE = RTL / "blocks" / "sluice_block_rtt_option.sv"
OUTCOMES = ("none", "good", "bad", "beyond")
LATENCY = 40
FRAMES = 4_000
SHORTEST_SIGHT = 14 + 8 + 44
"""Bytes that are looked at behind a protocol field of PPP of one byte; of other frames WINDOW."""


def seen(player: Player, frames: list[bytes]) -> list[RttSeen]:
    """What the RTL says of frames that come one per clock; what is behind their end is anything."""
    rng = random.Random(0)
    windows = [frame[:WINDOW] + rng.randbytes(max(0, WINDOW - len(frame))) for frame in frames]
    rows = np.frombuffer(b"".join(windows), dtype="<u8").reshape(len(frames), -1)
    rows = np.concatenate([rows, np.zeros((LATENCY, rows.shape[1]), np.uint64)])
    given = {f"io_window_{i}": rows[:, i] for i in range(rows.shape[1])}
    given["io_bytes"] = np.array([*map(len, frames), *[0] * LATENCY], dtype=np.uint16)
    answers = player.play(given)
    return [
        RttSeen(OUTCOMES[outcome], us)
        for outcome, us in zip(
            answers["io_seen_outcome"][LATENCY:], answers["io_seen_us"][LATENCY:].tolist(), strict=True
        )
    ]


@pytest.fixture(scope="module")
def player() -> Player:
    """The parser alone."""
    return Player(SOURCE)


def is_as_made(one: Made, answer: RttSeen) -> bool:
    """Whether the answer is what scapy has put in. An option out of sight is said to be, and so is the whole IP header."""
    if answer.outcome == "beyond":
        return len(one.frame) > SHORTEST_SIGHT
    if parse(one.frame).version is None:
        return answer == RttSeen("none") and parse(one.frame).outcome == "deep"
    return answer == (RttSeen("none") if one.us is None else RttSeen("good", min(one.us, MOST_US)))


def test_frames_of_scapy(player: Player) -> None:
    """The time of every frame, wherever the option stands."""
    rng = random.Random(1)
    given = [made(rng) for _ in range(FRAMES)]
    answers = seen(player, [one.frame for one in given])
    for one, answer in zip(given, answers, strict=True):
        assert is_as_made(one, answer), (one.frame.hex(), one.us, answer)
        assert answer == read(one.frame), one.frame.hex()
    counts = Counter(answer.outcome for answer in answers)
    assert counts["good"] > 0.6 * FRAMES
    assert 0 < counts["beyond"] < 0.1 * FRAMES


def test_damaged_frames(player: Player) -> None:
    """The same as the model says of each, and of the whole frame in the next clock."""
    rng = random.Random(2)
    whole = made(rng)
    frames = [frame for _ in range(FRAMES) for frame in (damaged(rng), whole.frame)]
    answers = seen(player, frames)
    for frame, answer in zip(frames, answers, strict=True):
        assert answer == read(frame), frame.hex()
    assert all(is_as_made(whole, answer) for answer in answers[1::2])
    counts = Counter(answer.outcome for answer in answers[::2])
    assert min(counts[outcome] for outcome in OUTCOMES) > 100, counts


def test_frames_that_end_among_their_options(player: Player) -> None:
    """An IPv4 header that the frame cuts behind its first 20 bytes is bad, whatever is still there of its options, and no time of
    it counts; one of which less is there has none."""
    rng = random.Random(4)
    options = [b"\x9e\x08\x51\xce" + (1234).to_bytes(4, "big"), b"\x01" * 4, b"\x00" * 4, b"\x07\x0b\x04" + bytes(9)]
    frames, expected = [], []
    for _ in range(300):
        behind = b"".join(rng.sample(options, rng.randrange(1, 4)))
        head = bytes([0x45 + len(behind) // 4]) + bytes(8) + b"\x11" + bytes(10) + behind
        link = bytes(12) + rng.choice((b"", b"\x81\x00\x00\x05")) + b"\x08\x00"
        there = rng.randrange(len(head))
        frames.append(link + head[:there])
        expected.append(RttSeen("bad" if there // 4 * 4 >= 20 else "none"))
    assert [read(frame) for frame in frames] == expected
    assert seen(player, frames) == expected
    assert expected.count(RttSeen("bad")) > 50


@pytest.mark.skipif(not tshark_options.TSHARK, reason="tshark is not installed")
def test_frames_to_tshark(player: Player, tmp_path: Path) -> None:
    """What the RTL reads of a frame of scapy's is what tshark shows of it."""
    rng = random.Random(3)
    frames = [made(rng).frame for _ in range(FRAMES // 2)]
    answers = seen(player, frames)
    compared = 0
    for frame, answer, us in zip(frames, answers, tshark_options.round_trips(frames, tmp_path), strict=True):
        is_in_sight = answer.outcome != "beyond" and parse(frame).outcome != "deep"
        compared += is_in_sight
        should = RttSeen("none") if us is None else RttSeen("good", min(us, MOST_US))
        assert answer == should or not is_in_sight, frame.hex()
    assert compared > 0.85 * len(frames)
