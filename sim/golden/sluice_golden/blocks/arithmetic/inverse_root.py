# SPDX-License-Identifier: Apache-2.0
"""1 / sqrt(n) of a 32-bit number, from a table of 1,024 entries: exact to the entry's rounding up to n = 1,023, beyond that at
most 0.1 % too large, because only the ten leading bits of n count. Of 0 it is that of 1.
"""

from __future__ import annotations

import math

from sluice_golden.blocks.table import Table

FRACTION = 17
_INDEX_BITS = 9
_HALF = 1 << _INDEX_BITS
ROOTS = Table(
    "1 / sqrt(1 .. 4), Q1.17",
    (round(2**FRACTION / math.sqrt((1 + i % _HALF / _HALF) * (1 + i // _HALF))) for i in range(2 * _HALF)),
)


def inverse_root(n: int) -> tuple[int, int]:
    """Mantissa, Q1.17 and above 1/2, and how often it is to be halved."""
    n = max(n, 1)
    exponent = n.bit_length() - 1
    leading = (n << 32 >> exponent) - (1 << 32) >> (32 - _INDEX_BITS)
    return ROOTS[exponent % 2 * _HALF + leading], exponent // 2


def scaled(value: int, n: int) -> int:
    """value / sqrt(n), rounded down."""
    mantissa, halvings = inverse_root(n)
    return value * mantissa >> FRACTION >> halvings
