# SPDX-License-Identifier: Apache-2.0
"""The integer model of COBALT, which judges one packet at a time, against Cake's dequeue over a whole queue."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field

import pytest

from sluice_golden.blocks.arithmetic.inverse_root import scaled
from sluice_golden.cobalt import BLUE_DROP, TARGET_DROP, TARGET_MARK, Cobalt
from sluice_golden.cobalt_reference import CobaltReference, Waiting, control_law
from sluice_golden.core import Arrival, Head, Settled

MS = 1_000_000
WORDS = 1 << 32
TRACES = 4000


@dataclass
class QueueOfHeads:
    """The model behind a queue of at most `limit` packets: each that the link asks for is judged until one is sent."""

    model: Cobalt
    limit: int
    queue: list[tuple[Waiting, int]] = field(default_factory=list)
    fates: list[tuple[int, str]] = field(default_factory=list)

    def enqueue(self, packet: Waiting, now_ns: int) -> None:
        word = int(packet.draw * WORDS)
        tag = self.model.arrive(Arrival(now_ns, 0, 1000, 0, len(self.queue), 1000 * len(self.queue), (word,))).tag
        if len(self.queue) < self.limit:
            self.queue.append((packet, tag))
        else:
            self.model.settled(Settled(now_ns, 0, 1000, fate="over the limit"))

    def dequeue(self, now_ns: int) -> None:
        while self.queue:
            packet, tag = self.queue.pop(0)
            behind = {"queue_packets": len(self.queue), "queue_bytes": 1000 * len(self.queue)}
            verdict = self.model.head(
                Head(now_ns, 0, 1000, tag, is_ect=packet.is_ect, queued_ns=packet.queued_ns, **behind)
            )
            self.fates.append((packet.number, verdict.reason))
            if verdict.action != "drop":
                return
        self.model.found_empty(now_ns)


def pair(limit: int, **raw: int) -> tuple[CobaltReference, QueueOfHeads]:
    """Both with the same settings; the reference takes the model's roots."""
    model = Cobalt()
    model.apply(model.parameters | raw)
    p = model.parameters
    increment, decrement = (p[name] / 2**31 for name in ("increment", "decrement"))
    reference = CobaltReference(
        p["target"], p["interval"], p["mtu_time"], increment, decrement, bool(p["ecn"]), limit, step=scaled
    )
    return reference, QueueOfHeads(model, limit)


def trace(rng: random.Random) -> tuple[CobaltReference, QueueOfHeads]:
    """The same arrivals and dequeues for both, with delays that cross the target and come back."""
    interval = rng.choice((20, 100, 1000, 100_000))
    reference, heads = pair(
        rng.choice((5, 60)),
        interval=interval,
        target=rng.choice((1, interval // 20, interval)),
        mtu_time=rng.choice((0, 0, interval // 20)),
        increment=rng.choice((1 << 23, 1 << 29)),
        decrement=rng.choice((1 << 19, 1 << 28)),
        ecn=rng.getrandbits(1),
    )
    now, number, load, is_awake = 1, 0, 1.0, True
    ect_share = rng.choice((0.0, 0.5, 1.0))
    pause = rng.choice((interval // 20, interval // 3, 4 * interval))
    for _ in range(rng.choice((50, 300))):
        now += rng.choice((0, 1, rng.randrange(1 + interval // 9), rng.randrange(1 + pause)))
        if rng.random() < 0.05:
            load = rng.choice((0.3, 1.0, 1.5, 6.0))
        while rng.random() < load / (1 + load):
            number += 1
            packet = Waiting(number, now, rng.random() < ect_share, rng.getrandbits(32) / WORDS)
            reference.enqueue(packet, now)
            heads.enqueue(packet, now)
            is_awake = True
        if is_awake:  # Linux asks an empty queue once
            is_awake = bool(reference.queue)
            reference.dequeue(now)
        heads.dequeue(now)
        if reference.ahead:
            break  # from here on they go their own ways
    return reference, heads


def test_one_packet_at_a_time_is_the_dequeue_of_cake() -> None:
    """Every packet has the same fate, and the same state is left, while no two steps of the falling count come together."""
    rng = random.Random(1)
    seen: Counter[str] = Counter()
    fell = 0
    for _ in range(TRACES):
        reference, heads = trace(rng)
        model = heads.model
        if reference.ahead:
            continue
        assert heads.fates == reference.fates
        assert (model.count, model.drop_next_ns) == (reference.count, reference.drop_next_ns)
        assert model.dropping == reference.dropping
        assert model.probability == reference.p_drop * 2**31
        seen.update(reason for _, reason in reference.fates)
        fell += reference.count < sum(reason == TARGET_DROP for _, reason in reference.fates)
    assert min(seen[reason] for reason in ("", TARGET_DROP, TARGET_MARK, BLUE_DROP)) > 2_000
    assert fell > 100


def on_and_off(seed: int, low: float) -> tuple[CobaltReference, QueueOfHeads]:
    """A minute of a link that sends a packet in each ms: for a while 1.5 packets come in each, then `low`, and so on."""
    rng = random.Random(seed)
    reference, heads = pair(200)
    reference.step = control_law
    number, is_on, until, is_awake = 0, False, 0, False
    for now_ms in range(1, 60_000):
        if now_ms >= until:
            is_on = not is_on
            until = now_ms + rng.randint(50, 2500)
        for _ in range(rng.choice((0, 1, 2, 3)) if is_on else rng.random() < low):
            number += 1
            packet = Waiting(number, now_ms * MS, rng.random() < 0.5, rng.getrandbits(32) / WORDS)
            reference.enqueue(packet, now_ms * MS)
            heads.enqueue(packet, now_ms * MS)
            is_awake = True
        if is_awake:
            is_awake = bool(reference.queue)
            reference.dequeue(now_ms * MS)
        heads.dequeue(now_ms * MS)
    return reference, heads


@pytest.mark.parametrize(("low", "most"), [(0.5, 0.01), (0.1, 0.1)])
def test_a_count_that_falls_by_one_a_packet_drops_about_as_many(low: float, most: float) -> None:
    """Cake takes all steps that are due at once, and one where it finds the queue empty. Over ten minutes of load that comes and
    goes the drops of both differ by less than 1 % where the link is half busy in between, and by less than 10 % where it is
    nearly idle, as then fewer packets come than steps are due."""
    pairs = [on_and_off(seed, low) for seed in range(10)]
    cake, ours = (sum(bool(reason) for each in pairs for _, reason in each[i].fates) for i in (0, 1))
    assert sum(reference.ahead for reference, _ in pairs) > 1_000
    assert ours == pytest.approx(cake, rel=most)


def test_a_count_rises_and_falls_with_its_root() -> None:
    """While packets stay above the target, as many steps as CoDel takes; then as many down, in about the same time."""
    model, interval, now = Cobalt(), 100 * MS, 1000 * MS

    def heads_for(duration_ns: int, *, is_over: bool) -> None:
        nonlocal now
        end = now + duration_ns
        while now < end:
            now += MS
            model.head(Head(now, 0, 1000, WORDS - 1, queue_packets=9, queued_ns=now - 6 * MS * is_over))

    heads_for(MS, is_over=False)
    heads_for(3000 * MS, is_over=True)
    steps = sum(interval / math.sqrt(i) for i in range(1, model.count))  # the next one is due after one more
    assert steps == pytest.approx(3000 * MS, rel=0.02)
    heads_for(2700 * MS, is_over=False)
    assert 0 < model.count < 10
    heads_for(400 * MS, is_over=False)
    assert model.count == 0
