# SPDX-License-Identifier: Apache-2.0
"""Flows that come again, for the walks of models that keep something for each flow: an entry that is written wrongly, or in
another's place, or that is of before a reset, shows only when it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.core import Arrival, Departed, Reset

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sized

_BUCKETS = (7, 0x155, 0x2AA, 0x3FF)


def returning(rng: random.Random, bits: int, count: int) -> list[int]:
    """The ids of so many flows: all of one of a few buckets, always the same ones, or of its neighbours by one bit. A flow's
    bucket is the low bits of its id."""
    bucket = rng.choice(_BUCKETS) % (1 << bits)
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


def passing(
    rng: random.Random, now_ns: int, bits: int, queued: Mapping[int, int], level: int
) -> Iterator[Arrival | Departed | tuple[Arrival, Departed]]:
    """A few such flows of which packets come and leave in every clock, so that next to nothing is queued and each packet may be
    its flow's first or last one: what is written of a flow is read again before it is there."""
    flows = returning(rng, bits, rng.choice((1, 1, 2, 3, 5)))
    leaving = rng.choice((0.9, 1))
    for _ in range(5):
        coming = rng.randint(1, 28)  # at most as many as are judged at a time, so that they leave as they are let in
        for number in range(2 * coming):
            found = rng.choice((max(0, sum(queued.values()) - 1), level))
            draw = rng.getrandbits(32)
            arrival = Arrival(now_ns, rng.choice(flows), 1000, rng.randrange(4), found, 1000 * found, (draw,))
            departure = Departed(now_ns, 0, 0, queue_packets=found)
            if number < coming or rng.random() > leaving:
                yield arrival
            else:
                yield departure if number == coming or rng.random() < 0.3 else (arrival, departure)


def lasting(
    rng: random.Random, now_ns: int, bits: int, once: int, level: int
) -> Iterator[Arrival | tuple[Arrival, Departed]]:
    """Thousands of packets of one flow that come as fast as they leave: its totals, and what counts packets, rise that far. The
    first finds `once` packets, the others find `level`."""
    flow = returning(rng, bits, 1)[0]
    yield Arrival(now_ns, flow, 1000, 0, once, 1000 * once, (rng.getrandbits(32),))
    for _ in range(8_200):
        arrival = Arrival(now_ns, flow, 1000, 0, level, 1000 * level, (rng.getrandbits(32),))
        yield arrival, Departed(now_ns, 0, 0, queue_packets=level)


def everybody(rng: random.Random, now_ns: int, bits: int) -> Iterator[Arrival]:
    """A packet of every bucket, in any order, and more of one of them."""
    buckets = list(range(1 << bits))
    rng.shuffle(buckets)
    for bucket in buckets + [buckets[0]] * rng.randint(1, 50):
        yield Arrival(now_ns, rng.getrandbits(32 - bits) << bits | bucket, 1000, 0, 1, 1000, (rng.getrandbits(32),))
