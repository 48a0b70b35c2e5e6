# SPDX-License-Identifier: Apache-2.0
"""Whose packet is next, of a thousand queues: sequences in which what a tile keeps of each is wanted soon again, or late."""

from __future__ import annotations

import random

QUEUES = 1024
ALL = 4080
"""Packets that all lists together may have, and so any of them."""
LIMITS = ("limit", "queue_limit", "queue_limit_bytes", "queue_quantum")
FLOWS = [random.Random(queue).getrandbits(32) for queue in range(QUEUES)]
"""What is a queue's packet elsewhere is this flow's where the queue is its flow's."""
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
