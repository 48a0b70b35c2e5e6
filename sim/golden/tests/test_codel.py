# SPDX-License-Identifier: Apache-2.0
"""The integer model of CoDel, which judges one packet at a time, against the RFC's dequeue over a whole queue."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from sluice_golden.blocks.arithmetic.inverse_root import inverse_root, scaled
from sluice_golden.codel import NO_THRESHOLD, Codel
from sluice_golden.codel_reference import CodelReference, Waiting
from sluice_golden.core import Head

TRACES = 4000


class QueueOfHeads:
    """The model behind a queue: each packet that the link asks for is judged until one is sent."""

    def __init__(self, model: Codel) -> None:
        self.model = model
        self.queue: list[Waiting] = []
        self.fates: list[tuple[int, str]] = []

    def dequeue(self, now_ns: int) -> None:
        while self.queue:
            packet = self.queue.pop(0)
            behind = sum(waiting.size for waiting in self.queue)
            verdict = self.model.head(
                Head(now_ns, 0, packet.size, queue_bytes=behind, is_ect=packet.is_ect, queued_ns=packet.queued_ns)
            )
            self.fates.append((packet.number, verdict.reason))
            if verdict.action != "drop":
                return
        self.model.found_empty(now_ns)


def trace(rng: random.Random) -> tuple[Codel, CodelReference, QueueOfHeads]:
    """Both over the same arrivals and dequeues, with delays that cross the target and come back."""
    interval = rng.choice((1, 3, 20, 100, 1000))
    target = rng.choice((0, 1, interval // 20, interval))
    min_bytes = rng.choice((0, 99, 100, 1500))
    ecn, ce_threshold = rng.random() < 0.5, rng.choice((NO_THRESHOLD, 0, target, 2 * interval))
    model = Codel()
    own = {"target": target, "interval": interval, "min_bytes": min_bytes, "ecn": ecn, "ce_threshold": ce_threshold}
    model.apply(own | {"mark_most": 255})
    limit = math.inf if ce_threshold == NO_THRESHOLD else ce_threshold
    reference = CodelReference(target, interval, min_bytes, marks=ecn, ce_threshold_ns=limit, step=scaled)
    heads = QueueOfHeads(model)
    now, number, load = 0, 0, 1.0
    ect_share = rng.choice((0.0, 0.5, 1.0))
    for _ in range(rng.choice((50, 300))):
        now += rng.choice((0, 1, rng.randrange(1 + interval // 3), rng.randrange(1 + 4 * interval)))
        if rng.random() < 0.05:
            load = rng.choice((0.3, 1.0, 1.5, 6.0))
        while rng.random() < load / (1 + load) and len(heads.queue) < 60:
            number += 1
            packet = Waiting(number, now, rng.choice((100, 100, 1500)), rng.random() < ect_share)
            reference.enqueue(packet)
            heads.queue.append(packet)
        reference.dequeue(now)
        heads.dequeue(now)
    return model, reference, heads


def test_one_packet_at_a_time_is_the_dequeue_of_the_rfc() -> None:
    """Every packet has the same fate, and the same state is left."""
    rng = random.Random(1)
    seen: Counter[str] = Counter()
    left_by_a_drop = 0
    for _ in range(TRACES):
        model, reference, heads = trace(rng)
        assert heads.fates == reference.fates
        assert (model.count, model.last_count) == (reference.count, reference.last_count)
        assert model.settled_drop_next_ns == reference.drop_next_ns
        assert (math.inf if model.first_above_ns is None else model.first_above_ns) == reference.first_above_ns
        if heads.queue:
            assert model.dropping == reference.dropping
        seen.update(reason for _, reason in reference.fates)
        left_by_a_drop += model.settled_drop_next_ns != model.drop_next_ns
    assert min(seen[reason.reason] for reason in Codel.head_reasons) > 5_000
    assert left_by_a_drop > 100


@pytest.mark.parametrize("interval", [1_000_000, 100_000_000, (1 << 32) - 1])
def test_steps_are_those_of_the_control_law(interval: int) -> None:
    """interval / sqrt(count) within the rounding of the table up to count = 1,023, and at most 0.1 % too long beyond."""
    rng = random.Random(2)
    for count in [*range(1, 5000), *(rng.getrandbits(rng.randint(12, 32)) | 1 << 11 for _ in range(5000))]:
        exact = interval / math.sqrt(count)
        error = scaled(interval, count) - exact
        assert -1 - exact * 2**-17 <= error <= exact * (2**-17 if count < 1024 else 2**-10)
    assert scaled(interval, 1) == scaled(interval, 0) == interval


def test_a_root_is_normalized() -> None:
    assert inverse_root(1) == (1 << 17, 0)
    assert inverse_root(4) == (1 << 17, 1)
    assert inverse_root((1 << 32) - 1) == (round(2**17 / math.sqrt(2 * (1 + 511 / 512))), 15)


def test_a_standing_queue_loses_packets_ever_sooner() -> None:
    """With a delay that stays above the target, gaps of interval / sqrt(n), counted from the first drop on (RFC 8289, 5.3)."""
    model, interval = Codel(), 100_000_000
    drops = []
    for now in range(1_000_000, 3_000_000_000, 1_000_000):
        if model.head(Head(now, 0, 1500, queue_bytes=30_000, queued_ns=now - 10**6 * 20 * (now > 10**8))).restart:
            drops.append(now)
            model.head(Head(now, 0, 1500, queue_bytes=30_000, queued_ns=now - 20_000_000))
    due, expected = float(drops[0]), []
    while due < 3_000_000_000:
        expected.append(due)
        due += interval / math.sqrt(len(expected))
    assert len(drops) == len(expected) > 200
    assert all(0 <= seen - exact <= 1_000_001 for seen, exact in zip(drops, expected, strict=True))
