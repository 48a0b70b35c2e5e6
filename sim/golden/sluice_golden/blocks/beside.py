# SPDX-License-Identifier: Apache-2.0
"""Numbers beside one with which they are compared, for tests: a fault in any bit of either turns the comparison for one
of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random


def beside(rng: random.Random, value: int, most: int) -> int:
    """A number itself, one that is one less or more, or, mostly, one that is off it, or off the one below it, in one
    bit."""
    bit = 1 << rng.randrange(most.bit_length())
    number = rng.choice((value + rng.randint(-1, 1), value ^ bit, value ^ bit, (value - 1) ^ bit, (value - 1) ^ bit))
    return min(max(0, number), most)
