# SPDX-License-Identifier: Apache-2.0
"""Colours of packets by their DSCP, and the profile that a queue has for each."""

from __future__ import annotations

GREEN, YELLOW, RED = range(3)
_CODES = (GREEN, YELLOW, RED, RED)


def colour_of(dscp: int, table: int) -> int:
    """Out of a table with two bits for each of the 64 DSCPs, the first one lowest: 0 green, 1 yellow, 2 and 3 red."""
    return _CODES[table >> 2 * dscp & 3]


def profile_of(numbers: int, colour: int, profiles: int) -> int:
    """The number for a colour out of a queue's word of three, that for green packets lowest, where there are so many profiles."""
    width = (profiles - 1).bit_length()
    return numbers >> width * colour & (1 << width) - 1
