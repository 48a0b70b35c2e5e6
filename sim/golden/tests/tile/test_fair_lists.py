# SPDX-License-Identifier: Apache-2.0
"""The cycle model of many queues with CoDel at their heads against RFC 8290's dequeue, for a link that asks for one packet at a
time."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from sluice_golden.blocks.arithmetic.inverse_root import scaled
from sluice_golden.codel_of_each import FqCodel1k
from sluice_golden.codel_reference import CodelReference, Waiting
from sluice_golden.tile.many_queues.fair_lists import FairLists
from sluice_golden.tile.many_queues.fair_reference import FairReference
from sluice_golden.tile.queue import Limits, Queued

QUEUES = 16
LATENCY = 15
TRACES = 150


class Slow:
    """The cycle model, in which each step is over before the next one begins."""

    def __init__(self, core: FqCodel1k, quantum: int) -> None:
        self.lists = FairLists(core, LATENCY, QUEUES)
        self.lists.limits = [Limits(0, 0, quantum)] * QUEUES
        self.fates: list[tuple[int, str]] = []
        self.cycle = 0

    def run(self, now_ns: int, packet: Queued | None = None, *, asks: bool = False) -> None:
        """Until nothing is under way."""
        if packet is not None:
            self.lists.push(self.cycle + 1, packet)
        calm = 0
        while calm < 60:
            left = 0
            if self.lists.leaving:
                gone = self.lists.leave()
                self.fates.append((gone.packet.flow, gone.reason))
                left = 1
            self.lists.fetch(self.cycle, left, asks=asks)
            self.lists.finish(self.cycle, now_ns)
            self.cycle += 1
            asks = False
            calm = 0 if left or self.lists.has_turns else calm + 1


@pytest.mark.parametrize("seed", range(4))
def test_a_slow_link_sees_the_rfc(seed: int) -> None:
    """Whose packet is sent, dropped or marked, in which order, with bursts to few and to many queues."""
    rng = random.Random(seed)
    fates: Counter[str] = Counter()
    for _ in range(TRACES // 4):
        interval = rng.choice((20, 100, 1000))
        target, min_bytes = rng.choice((1, interval // 20, interval // 2)), rng.choice((0, 100, 1500))
        quantum, ecn = rng.choice((64, 300, 1514, 9000)), rng.getrandbits(1)
        core = FqCodel1k()
        own = {"target": target, "interval": interval, "min_bytes": min_bytes, "ecn": ecn, "mark_most": 255}
        core.apply(core.defaults() | own)

        def codel(
            target: int = target, interval: int = interval, min_bytes: int = min_bytes, ecn: int = ecn
        ) -> CodelReference:
            return CodelReference(target, interval, min_bytes, marks=bool(ecn), ce_threshold_ns=math.inf, step=scaled)

        model, reference = Slow(core, quantum), FairReference(quantum, codel)
        now, number, is_owed = 0, 0, False
        busy = rng.choice((1, 3, QUEUES))
        for _ in range(120):
            now += rng.choice((0, 1, rng.randrange(1 + interval // 3), rng.randrange(1 + 2 * interval)))
            for _ in range(rng.choice((0, 0, 1, 2, 12))):
                number += 1
                queue, size = rng.randrange(busy), rng.choice((64, 576, 1500, 9600))
                is_ect = rng.random() < 0.5
                reference.enqueue(queue, Waiting(number, now, size, is_ect))
                model.run(now, Queued(number, size, False, 0, is_ect=is_ect, queued_ns=now, queue=queue))
                if is_owed:
                    is_owed = not reference.dequeue(now)
            if not is_owed and rng.random() < 0.7:
                model.run(now, asks=True)
                is_owed = not reference.dequeue(now)
            assert model.fates == reference.fates
        fates.update(reason for _, reason in model.fates)
    assert fates["Target exceeded drop"] > 100
    assert fates["Target exceeded mark"] > 100
    assert fates[""] > 500
