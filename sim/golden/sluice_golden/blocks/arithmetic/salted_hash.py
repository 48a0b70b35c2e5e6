# SPDX-License-Identifier: Apache-2.0
"""A hash of 32 bits that a salt of 64 bits chooses."""

from __future__ import annotations

_ROUNDS = 4
_HALF = (1 << 16) - 1


def salted_hash(flow: int, salt: int) -> int:
    """A Feistel network, each round with 16 bits of the salt from the lowest on: the right half times `1 salt 1`, of which bits 9
    to 24 go into the left one. So no two flows have one hash, and which ones look alike in a part of it is another matter with
    each salt."""
    left, right = flow >> 16, flow & _HALF
    for number in range(_ROUNDS):
        factor = 1 << 17 | (salt >> (16 * number) & _HALF) << 1 | 1
        left, right = right, left ^ (right * factor >> 9 & _HALF)
    return left << 16 | right
