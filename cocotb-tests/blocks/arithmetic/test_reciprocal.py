# SPDX-License-Identifier: Apache-2.0
"""The sequential reciprocal: mantissa, reciprocal and leading zeros of numbers of every length and of those at their ends."""

from __future__ import annotations

import numpy as np
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.red.red import Reciprocal

CYCLES = 50
FIELDS = {"mantissa": "mantissa", "reciprocal": "reciprocal", "leadingZeros": "zeros"}


def test_reciprocal() -> None:
    """One after the other, each as soon as the one before is done."""
    rng = np.random.default_rng(1)
    ends = [value for bit in range(32) for value in ((1 << bit) - 1, 1 << bit, (1 << bit) + 1)]
    values = [*ends, *(int(rng.integers(0, 1 << int(rng.integers(1, 33)))) for _ in range(4_000))]
    period = CYCLES + 2
    given = {
        "io_start": np.tile(np.arange(period) == 0, len(values)),
        "io_value": np.repeat(np.array(values, dtype=np.uint64), period),
    }
    seen = Player(RTL / "blocks" / "sluice_block_sequential_reciprocal.sv").play(given)
    done = np.flatnonzero(seen["io_done"])
    assert done.tolist() == [period * i + CYCLES + 1 for i in range(len(values))]
    for i, value in enumerate(values):
        expected = Reciprocal.of(value)
        for field, name in FIELDS.items():
            if value or field != "reciprocal":
                assert seen[f"io_result_{field}"][done[i]] == getattr(expected, name), f"{field} of {value}"
