# SPDX-License-Identifier: Apache-2.0
"""One over the square root: of numbers of every length, at both ends of each, and of every entry of the table."""

from __future__ import annotations

import numpy as np
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.arithmetic.inverse_root import ROOTS, inverse_root

LATENCY = 4


def test_inverse_root() -> None:
    """A number in each clock."""
    ROOTS.forget()
    rng = np.random.default_rng(1)
    ends = [value for bit in range(32) for value in ((1 << bit) - 1, 1 << bit, (1 << bit) + 1)]
    any_length = [int(rng.integers(0, 1 << int(rng.integers(1, 33)))) for _ in range(20_000)]
    values = [*ends, *range(2048), *any_length, (1 << 32) - 1]
    rows = len(values) + LATENCY
    given = np.resize(np.array(values, dtype=np.uint64), rows)
    inputs = {"io_value_payload": given, "io_value_valid": np.arange(rows) < len(values)}
    seen = Player(RTL / "blocks" / "sluice_block_inverse_root.sv").play(inputs)
    assert np.flatnonzero(seen["io_root_valid"]).tolist() == list(range(LATENCY, rows))
    roots = zip(seen["io_root_payload"][LATENCY:].tolist(), seen["io_halvings"][LATENCY:].tolist(), strict=True)
    for value, root in zip(values, roots, strict=True):
        assert root == inverse_root(value), value
    assert min(ROOTS.reads) > 0
