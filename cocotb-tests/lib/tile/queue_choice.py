# SPDX-License-Identifier: Apache-2.0
"""Whose packet is next, of a thousand queues: sequences in which what a tile keeps of each is wanted soon again, or late."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice_golden.core import Packet

QUEUES = 1024
ALL = 4080
"""Packets that all lists together may have, and so any of them."""
MEETING = 140_000
"""Clocks until each ask of a link has its packet where packets are dropped at the head: a lone queue that loses all that it has
takes 32 for each."""
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


def stretches(
    rng: random.Random, arrivals: int, packet_of: Callable[[int, int], Packet]
) -> tuple[list[Packet | None], list[bool]]:
    """What is offered in each clock, and whether the link takes a packet: stretches with other queues, loads and rates of the
    link each, until so many packets have come. `packet_of` makes one of a way to choose its queue and the clock."""
    offered: list[Packet | None] = []
    is_ready: list[bool] = []
    count = 0
    while count < arrivals:
        way, load = rng.choice(WAYS), rng.choice((1.0, 1.0, 0.9, 0.5, 0.1))
        rate = rng.choice((1.0, 0.9, 0.5, 0.1, 0.02))
        for _ in range(rng.choice((50, 500, 5000))):
            is_coming = rng.random() < load and count < arrivals
            offered.append(packet_of(way, len(offered)) if is_coming else None)
            count += is_coming
            is_ready.append(rng.random() < rate)
    return offered, is_ready


def draw_size(rng: random.Random) -> int:
    """Bytes of a packet."""
    return rng.choice((64, 64, 576, 1500, 9600))
