# SPDX-License-Identifier: Apache-2.0
"""Logarithms and powers of two: of numbers of every length, at both ends of each, and of every entry of the tables."""

from __future__ import annotations

import numpy as np
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.arithmetic.logarithm import FRACTION, logarithm, power

VALUE_BITS, EXPONENT_BITS = 48, 19
LOGARITHM_LATENCY, POWER_LATENCY = 8, 4


def played(block: str, port: str, values: list[int], latency: int) -> list[int]:
    """What comes out of a block for a value in each clock."""
    given = np.resize(np.array(values, dtype=np.uint64), len(values) + latency)
    seen = Player(RTL / "blocks" / f"sluice_block_{block}.sv").play({f"io_{port}": given})
    return list(seen[f"io_{block.removesuffix('_of_two')}"][latency:].tolist())


def test_logarithm() -> None:
    rng = np.random.default_rng(1)
    ends = [value for bit in range(1, VALUE_BITS + 1) for value in ((1 << bit) - 1, (1 << bit - 1) + 1)]
    any_length = [int(rng.integers(0, 1 << int(rng.integers(1, VALUE_BITS + 1)))) for _ in range(20_000)]
    values = [*ends, *range(2048), *any_length]
    assert played("logarithm", "value", values, LOGARITHM_LATENCY) == [logarithm(value) for value in values]


def test_power() -> None:
    """Over all exponents that there are."""
    exponents = range(-(1 << EXPONENT_BITS - 1), 1 << EXPONENT_BITS - 1)
    given = [exponent % (1 << EXPONENT_BITS) for exponent in exponents]
    assert played("power_of_two", "exponent", given, POWER_LATENCY) == [power(exponent) for exponent in exponents]
    assert all(abs(power(logarithm(x)) / x - 1) < 1 / 800 for x in range(2048, 4096))
    assert power(31 << FRACTION) >> 31 == 1
