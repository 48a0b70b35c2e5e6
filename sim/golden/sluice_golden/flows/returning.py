# SPDX-License-Identifier: Apache-2.0
"""Flows that come again, for the walks of models that keep something for each flow: an entry that is written wrongly, or in
another's place, or that is of before a reset, shows only when it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.core import Arrival, Departed, Reset

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sized

BUCKETS = (7, 0x155, 0x2AA, 0x3FF)


def returning(rng: random.Random, bits: int, count: int) -> list[int]:
    """The ids of so many flows: all of one of a few buckets, always the same ones, or of its neighbours by one bit. A flow's
    bucket is the low bits of its id."""
    bucket = rng.choice(BUCKETS) % (1 << bits)
    beside = [rng.choice((0, 1 << rng.randrange(bits))) for _ in range(count)]
    return [rng.getrandbits(32 - bits) << bits | bucket ^ bit for bit in beside]


def filling(
    rng: random.Random, now_ns: int, bits: int, queued: Sized, once: int, level: int
) -> Iterator[Arrival | Departed | Reset]:
    """A few such flows that fill the queue, as fast as some leave it: the first arrival finds `once` packets, a hundred more find
    `level`. Packets leave while the model has some in `queued`; now and then a reset ends it."""
    flows = returning(rng, bits, rng.randint(1, 8))
    leaving = rng.choice((0, 0.5, 1))
    for packets in (once, *(level for _ in range(100))):
        draw = rng.getrandbits(32)
        yield Arrival(now_ns, rng.choice(flows), 1000, rng.randrange(4), packets, 1000 * packets, (draw,))
        if queued and rng.random() < leaving:
            yield Departed(now_ns, 0, 0, queue_packets=level)
    if rng.random() < 0.2:
        yield Reset()
