# SPDX-License-Identifier: Apache-2.0
"""2^-x for x below 16, within 2^-23: a table of 1,024 chords of it from 0 to 1, halved as often as x has wholes."""

from __future__ import annotations

from sluice_golden.blocks.table import Table

FRACTION = 28
"""Bits of x behind the point."""

_INDEX_BITS = 10
_REST_BITS = FRACTION - _INDEX_BITS
POWERS = Table("2^-(i/1024), Q1.31", (round(2 ** (31 - i / 1024)) for i in range(1 << _INDEX_BITS)))
SLOPE = round((1 - 2 ** (-1 / 1024)) * 2**28)
"""By what part of itself the power falls over a chord, Q0.28."""


def inverse_power(x: int) -> int:
    """2^-x, Q1.31, of a Q4.28."""
    halvings, index, rest = x >> FRACTION, x >> _REST_BITS & ((1 << _INDEX_BITS) - 1), x & ((1 << _REST_BITS) - 1)
    power = POWERS.read(index, is_whole=not halvings)
    fallen = rest * SLOPE >> _REST_BITS  # Q0.28
    return power - ((power >> 14) * fallen >> 14) >> halvings
