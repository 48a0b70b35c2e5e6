# SPDX-License-Identifier: Apache-2.0
"""The integer model of BLUE against the paper's algorithm."""

from __future__ import annotations

import random

import pytest

from sluice_golden.blue import Blue
from sluice_golden.blue_reference import BlueReference
from sluice_golden.core import Arrival, Settled

ONE = 1 << 31


def arrival(now_ns: int) -> Arrival:
    return Arrival(now_ns, 1, 1000, 0, 0, 0, (0,))


@pytest.mark.parametrize(("d1", "d2", "freeze_ms"), [(0.0025, 0.00025, 100), (0.02, 0.002, 10), (0.3, 0.001, 1)])
def test_model_follows_the_paper(d1: float, d2: float, freeze_ms: int) -> None:
    """Over losses and idle times in any order; what differs is the rounding of d1 and d2, half a unit for each step taken."""
    rng, blue = random.Random(1), Blue()
    freeze_ns = freeze_ms * 1_000_000
    blue.apply(blue.parameters | {"increment": round(d1 * ONE), "decrement": round(d2 * ONE), "freeze_time": freeze_ns})
    reference = BlueReference(d1, d2, freeze_ns)
    now, steps, most = 0, 0, 0.0
    for _ in range(20_000):
        now += rng.randrange(1, freeze_ns)
        if rng.random() < 0.5:
            blue.settled(Settled(now, 1, 1000, fate="over the limit"))
            reference.loss(now)
            steps += 1
        else:
            blue.found_empty(now)
            reference.link_idle(now)
            idle_ns = rng.randrange(rng.choice((1,) * 20 + (30,)) * freeze_ns)
            now += idle_ns
            blue.arrive(arrival(now))
            reference.arrival_after_idle(now)
            steps += 2 + idle_ns // freeze_ns
        assert abs(blue.probability / ONE - reference.p_m) <= steps * 2.0**-32 + 1e-12
        most = max(most, reference.p_m)
    assert most > 20 * d2


def test_a_long_idle_time_counts_as_one_that_is_looked_at_in_every_ns() -> None:
    """But for one event at most: there the next one comes a ns after the freeze time, here with it."""
    rng = random.Random(1)
    for _ in range(200):
        blue, freeze_ns = Blue(), rng.randint(1_000, 3_000)
        blue.apply(blue.parameters | {"increment": ONE, "freeze_time": freeze_ns})
        reference = BlueReference(1.0, blue.parameters["decrement"] / ONE, freeze_ns)
        blue.settled(Settled(10_000, 1, 1000, fate="over the limit"))
        reference.loss(10_000)
        begin = 10_000 + rng.randrange(5_000)
        end = begin + rng.randrange(20_000)
        blue.found_empty(begin)
        blue.arrive(arrival(end))
        for now in range(begin, end):
            reference.link_idle(now)
        ahead = (reference.p_m - blue.probability / ONE) / reference.decrement
        assert abs(ahead) < 1 + 1e-6
