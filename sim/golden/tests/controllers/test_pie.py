# SPDX-License-Identifier: Apache-2.0
"""PIE's integer model against RFC 8033 in floating point, and how far apart its drops are."""

from __future__ import annotations

import random
import statistics
from itertools import pairwise

import pytest

from sluice_golden import Arrival, Departed
from sluice_golden.controllers.pi_family.pie import Pie, PieBacklog
from sluice_golden.controllers.pi_family.pie_reference import PieReference

ONE = 1 << 40


def tick_at(model: Pie, queue_bytes: int) -> None:
    """A tick that finds so many bytes queued."""
    model.departed(Departed(0, 1, 1000, queue_bytes=queue_bytes))
    model.tick("update", 0)
    model.settle("update")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("load", [0.02, 0.2, 1.5])
def test_the_model_follows_the_reference(seed: int, load: float) -> None:
    """At each of 20,000 ticks over loads up and down, with bursts and pauses: p within 1e-6, the burst allowance to the ns, and
    of 500,000 packets all verdicts but a few, whose draw is beside p or whose sum is beside a threshold."""
    rng, model, reference, queue = random.Random(seed), PieBacklog(), PieReference(), 0.0
    others = taken = 0
    for _ in range(20_000):
        queue = max(0.0, queue + rng.gauss(0, 2000) + 9000 * (load * rng.random() - reference.drop_prob))
        queue = rng.choice((0.0, 200_000.0)) if rng.random() < 0.005 else queue
        tick_at(model, round(queue))
        reference.update(model.delay_ns / 1e9)
        assert model.p / ONE == pytest.approx(reference.drop_prob, abs=1e-6)
        if (model.p == 0) != (reference.drop_prob == 0):
            reference.drop_prob = model.p / ONE
            reference.burst_allowance = model.burst_ns / 1e9
        assert model.burst_ns / 1e9 == pytest.approx(reference.burst_allowance, abs=1e-9)
        for _ in range(25):
            word = rng.getrandbits(32)
            is_taken = model.arrive(Arrival(0, 1, 1000, 0, 5, round(queue), (word,))).action == "drop"
            others += is_taken != reference.drops(word / 2**32, round(queue))
            reference.accu_prob = model.sum / 2**31
            taken += is_taken
    assert taken > 1_000
    assert others <= 5


def gaps(model: Pie, rng: random.Random, packets: int) -> list[int]:
    """Packets from one that is taken to the next."""
    hits = [
        i
        for i in range(packets)
        if model.arrive(Arrival(0, 1, 1000, 0, 5, 5000, (rng.getrandbits(32),))).action == "drop"
    ]
    return [b - a for a, b in pairwise(hits)]


def test_drops_are_evenly_spaced() -> None:
    """With a p of 1/20 none comes before the 17th packet nor after the 170th, and the mean gap is 16 + 20; without
    derandomisation it is 20, and gaps are of any length."""
    rng, model = random.Random(1), Pie()
    model.p = ONE // 20 + (1 << 12)
    spaced = gaps(model, rng, 200_000)
    assert min(spaced) == 17
    assert max(spaced) <= 170
    assert statistics.mean(spaced) == pytest.approx(36, rel=0.03)
    model.apply(model.parameters | {"derandomise": 0})
    plain = gaps(model, rng, 200_000)
    assert min(plain) == 1
    assert statistics.mean(plain) == pytest.approx(20, rel=0.03)
