# SPDX-License-Identifier: Apache-2.0
"""Whose packet is next, of a thousand queues: sequences in which what a tile keeps of each is wanted soon again, or late."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

QUEUES = 1024
WAYS = range(5)


def choose_queue(rng: random.Random, way: int, clock: int) -> int:
    """Of all, of few, of one, of all in their order, of two in turn."""
    if way == 0:
        return rng.randrange(QUEUES)
    if way == 1:
        return rng.randrange(12) * 85
    if way == 2:
        return QUEUES - 1
    if way == 3:
        return clock % QUEUES
    return clock & 1
