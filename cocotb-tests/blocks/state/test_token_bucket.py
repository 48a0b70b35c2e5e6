# SPDX-License-Identifier: Apache-2.0
"""The token bucket: what passes, to the last unit, and that it is never more than the bucket holds and the rate brings."""

from __future__ import annotations

import numpy as np
import pytest
from lib.broken import Fault
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.token_bucket import PACKET, TokenBucket

SOURCE = RTL / "blocks" / "sluice_block_token_bucket.sv"
LATENCY, RATE_AT, ROWS = 9, 2, 30_000
FAULT = Fault("token_bucket", "bucket-of-a-packet-more", r"(_zz_b <= \(io_packets) - 8'h01\)", r"\1)", within=ROWS)


def stimulus(rng: np.random.Generator, rate: int, packets: int, duty: float, pause_bits: int) -> dict[str, np.ndarray]:
    """Arrivals that ask or not, pauses of any length up to so many bits, and a rate that changes now and then."""
    pauses = rng.integers(0, 1 << 62, ROWS) >> (62 - rng.integers(0, pause_bits + 1, ROWS))
    rates = np.where(rng.random(ROWS) < 0.5, rate, rng.integers(0, rate + 1, ROWS))
    return {
        "io_arrival_valid": rng.random(ROWS) < duty,
        "io_arrival_payload": rng.random(ROWS) < 0.9,
        "io_nowNs": np.cumsum(pauses),
        "io_rate": np.repeat(rates[::1000], 1000),
        "io_packets": np.full(ROWS, packets),
    }


def played(player: Player, given: dict[str, np.ndarray]) -> list[tuple[int, int, int]]:
    """For each arrival: the time since the one before in 512 ns, its rate, and whether it takes a token. What the bucket lacks
    must be the model's, and so must each answer."""
    seen = player.play(given)
    rows = np.flatnonzero(given["io_arrival_valid"][: -LATENCY - RATE_AT])
    assert (np.flatnonzero(seen["io_isTaken_valid"][: ROWS - RATE_AT]) == rows + LATENCY).all()
    bucket, answers = TokenBucket(), []
    for row in rows.tolist():
        before = bucket.last
        rate, packets = int(given["io_rate"][row + RATE_AT]), int(given["io_packets"][row])
        bucket.fill(int(given["io_nowNs"][row]), rate)
        assert seen["io_lacks"][row + LATENCY] == bucket.lacks, row
        is_taken = bool(given["io_arrival_payload"][row]) and bucket.takes(packets)
        assert seen["io_isTaken_payload"][row + LATENCY] == is_taken, row
        answers.append((bucket.last - before, rate, is_taken))
    return answers


@pytest.mark.parametrize(
    ("rate", "packets", "duty", "pause_bits"),
    [(10, 20, 1.0, 26), (65_535, 1, 1.0, 16), (65_535, 255, 0.5, 14), (1, 2, 0.9, 36), (1000, 1, 0.3, 22)],
)
def test_tokens(rate: int, packets: int, duty: float, pause_bits: int) -> None:
    """Over any time at most what the bucket holds and what came meanwhile: one that is full at the beginning is never short."""
    answers = played(Player(SOURCE), stimulus(np.random.default_rng(rate), rate, packets, duty, pause_bits))
    taken = np.array([is_taken for _, _, is_taken in answers])
    assert 0.02 < taken.mean() < 0.98
    room = packets * PACKET
    for passed, of_rate, is_taken in answers:
        room = min(packets * PACKET, room + passed * of_rate) - PACKET * is_taken
        assert room >= 0


def test_a_fault_is_noticed() -> None:
    with pytest.raises(AssertionError):
        played(FAULT.player(SOURCE), stimulus(np.random.default_rng(1), 10, 20, 1.0, 26))
