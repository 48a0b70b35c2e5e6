# SPDX-License-Identifier: Apache-2.0
"""Logarithms to base 2 and powers of 2 by a table each of 1,024 entries, as the hardware has them.

A logarithm is Q6.11. Both are off by at most one part in 1,600: the numbers that share an entry, and the rounding of a logarithm.
"""

from __future__ import annotations

import math

FRACTION = 11
_ENTRIES = 1024
_ONE = 1 << FRACTION
_LOGARITHMS = [round(math.log2(1 + (i + 0.5) / _ENTRIES) * _ONE) for i in range(_ENTRIES)]
_POWERS = [round(2 ** ((i + 0.5) / _ENTRIES) * 2**17) for i in range(_ENTRIES)]  # Q1.17


def logarithm(value: int) -> int:
    """Of a number of up to 48 bits; of 0 that of 1."""
    exponent = max(value, 1).bit_length() - 1
    mantissa = (max(value, 1) << 10 >> exponent) - _ENTRIES
    return (exponent << FRACTION) + _LOGARITHMS[mantissa]


def power(exponent: int) -> int:
    """2^exponent, rounded down, where it is at least 1 and fits 32 bits; 0 below, all ones above."""
    whole = exponent >> FRACTION
    if whole < 0:
        return 0
    return _POWERS[(exponent >> 1) % _ENTRIES] << 14 >> (31 - whole) if whole < 32 else (1 << 32) - 1
