# SPDX-License-Identifier: Apache-2.0
"""The integer models of the adaptive schemes against the papers' formulas, and their behaviour at the bounds of max_p."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from sluice_golden import models
from sluice_golden.red.adaptive import Adaptive
from sluice_golden.red.adaptive_reference import BAND, AdaptiveReference

ONE = 1 << 31
SCHEMES = sorted(BAND)


def scheme_of(name: str, **raw: int) -> Adaptive:
    model = models()[name]()
    assert isinstance(model, Adaptive)
    model.apply(model.parameters | raw)
    return model


def tick(model: Adaptive, average: float) -> float:
    """max_p after a tick that finds this average."""
    model.average = round(average * 2**18)
    model.tick("adaptation", 0)
    model.settle("adaptation")
    return model.max_p / ONE


def walk(rng: random.Random, ticks: int) -> list[float]:
    """Averages that wander below, within and above the band, on the grid of the fixed-point thresholds."""
    level, averages = 10.0, []
    for i in range(ticks):
        if i % 50 == 0:
            home = rng.choice((3.0, 8.0, 10.0, 12.0, 20.0))
        level = min(40.0, max(0.0, level + 0.2 * (home - level) + rng.gauss(0, 1)))
        averages.append(round(level * 2**14) / 2**14)
        if rng.random() < 0.05:
            averages.append(averages[-1])
    return averages


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize(("low", "high"), [(5, 15), (7, 22)])
def test_every_step_is_the_papers(name: str, low: int, high: int) -> None:
    """5,000 ticks, each from the same max_p as the formula: at most 2^-16 of it apart. Averages within a rounding of an edge
    of the band are left out: there the two may differ on which side they are."""
    model = scheme_of(name, min=low << 14, max=high << 14)
    reference = AdaptiveReference(name, low, high)
    before, ups, downs, stays = 0.0, 0, 0, 0
    for average in walk(random.Random(7), 5_000):
        if min(abs(average - edge) for edge in reference.band) <= 2**-12:
            continue
        start = model.max_p / ONE
        expected = reference.step(start, average, before)
        seen = tick(model, average)
        assert abs(seen - expected) <= start * 2**-16 + 2**-29
        ups, downs, stays = ups + (seen > start), downs + (seen < start), stays + (seen == start)
        before = average
    assert min(ups, downs, stays) > 200


@pytest.mark.parametrize("name", SCHEMES)
def test_errors_do_not_pile_up(name: str) -> None:
    """Model and formula apart for 500 ticks, max_p kept off its bounds: within 0.2 % of each other."""
    model = scheme_of(name, top=ONE, bottom=0)
    reference = AdaptiveReference(name, 5, 15, top=1, bottom=0)
    max_p, before, least, most = 0.1, 0.0, 1.0, 0.0
    rng = random.Random(3)
    for _ in range(500):
        # The loop that the queue closes in real life: a large max_p brings the average down.
        steered = round((rng.uniform(7, 17) + 2 - 30 * max_p) * 2**14) / 2**14
        if min(abs(steered - edge) for edge in reference.band) <= 2**-12:
            continue
        max_p = reference.step(max_p, steered, before)
        before = steered
        assert tick(model, steered) == pytest.approx(max_p, rel=2e-3, abs=1e-6)
        least, most = min(least, max_p), max(most, max_p)
    assert most > 1.2 * least


@pytest.mark.parametrize("name", SCHEMES)
def test_the_test_comes_before_the_step(name: str) -> None:
    """max_p may pass its bounds by one step and no further, and comes back."""
    model = scheme_of(name)
    rising = [tick(model, 15 + i / 100) for i in range(600)]
    assert 0.5 < rising[-1] < 0.5 * (1 + 0.25 * (21 - 11) / 11 + 0.01)
    assert rising[-1] == rising[-2]
    assert all(p <= 0.5 for p in rising[: rising.index(rising[-1])])
    falling = [tick(model, 8 - i / 1000) for i in range(2_000)]
    assert 0.007 < falling[-1] < 0.01
    assert falling[-1] == falling[-2]
    assert all(p >= 0.01 for p in falling[: falling.index(falling[-1])])
    assert tick(model, 16) > falling[-1]


def test_ared_ends_where_the_paper_says() -> None:
    """Additive steps of 0.01 up to 0.51 at most, steps of a tenth down to 0.009 at least."""
    model = scheme_of("ared")
    up = [tick(model, 20) for _ in range(100)]
    assert 0.50 < up[-1] <= 0.5101
    assert all(b - a == pytest.approx(0.01, abs=1e-8) for a, b in pairwise(up) if b != a)
    down = [tick(model, 0) for _ in range(100)]
    assert 0.009 <= down[-1] < 0.01
    small = scheme_of("ared", probability=round(0.02 * ONE))
    assert tick(small, 20) == pytest.approx(0.025)  # a quarter of max_p is less than 0.01


def test_cared_looks_at_the_trend() -> None:
    """The four cases, and nothing when the average stands still; it is remembered at every tick, also within the band."""
    cared = scheme_of("cared")
    assert tick(cared, 22) == pytest.approx(0.1 * (1 + 0.25 * 11 / 11), rel=1e-4)  # rising from 0: cautious
    p = tick(cared, 10)  # within the band
    assert tick(cared, 12) == pytest.approx(p * (1 + 0.25 / 11), rel=1e-4)  # rising from 10, not falling from 22
    p = tick(cared, 11.5)
    assert p == pytest.approx(0.1 * 1.25 * (1 + 0.25 / 11) + 0.01, rel=1e-4)  # falling: ARED's
    assert tick(cared, 11.5) == p
    p = tick(cared, 7)
    assert p == pytest.approx((0.1 * 1.25 * (1 + 0.25 / 11) + 0.01) * (1 - 0.17 * 2 / 4), rel=1e-4)  # falling: cautious
    assert tick(cared, 8) == pytest.approx(0.9 * p, rel=1e-4)  # rising: ARED's
    assert tick(cared, 8) == pytest.approx(0.9 * p, rel=1e-4)


@pytest.mark.parametrize("name", SCHEMES)
def test_extreme_settings_stay_probabilities(name: str) -> None:
    """Bounds at 1 and 0, bands of no width, averages far out: never above 1, never 0 out of something."""
    rng = random.Random(5)
    for _ in range(300):
        low = rng.choice((0, 1, 15 << 14, (1 << 32) - 2, rng.getrandbits(rng.randint(1, 31))))
        high = rng.randrange(low + 1, 1 << 32)
        model = scheme_of(name, min=low, max=rng.choice((high, low + 1)), top=ONE, bottom=0, probability=ONE // 2)
        for _ in range(20):
            p = tick(model, rng.choice((0, 1e-3, 5, 30, 2**17, 2**18 - 1, rng.random() * 20)))
            assert 0 < p <= 1


def test_only_a_new_probability_restarts() -> None:
    model = scheme_of("ared")
    p = tick(model, 20)
    model.apply(model.parameters | {"min": 6 << 14})
    assert model.max_p / ONE == p
    model.apply(model.parameters | {"probability": ONE // 8})
    assert model.max_p == ONE // 8
