# SPDX-License-Identifier: Apache-2.0
"""2^-x: of every entry of the table with every number of halvings, at both ends of a chord and anywhere on it."""

from __future__ import annotations

import numpy as np
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.controllers.inverse_power import POWERS, inverse_power

STANDS = 8
"""Clocks for which each argument stands, and more than the block takes."""


def test_inverse_power() -> None:
    POWERS.forget()
    rng = np.random.default_rng(1)
    rests = np.array([0, (1 << 18) - 1])
    ends = (np.arange(1 << 14)[:, None] << 18 | rests).reshape(-1)
    values = np.concatenate([ends[rng.permutation(ends.size)], rng.integers(0, 1 << 32, 10_000)])
    seen = Player(RTL / "blocks" / "sluice_block_inverse_power.sv").play({"io_x": np.repeat(values, STANDS)})
    powers = seen["io_power"][STANDS - 1 :: STANDS].tolist()
    assert powers == [inverse_power(int(value)) for value in values]
    assert min(POWERS.reads) > 0
