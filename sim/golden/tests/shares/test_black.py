# SPDX-License-Identifier: Apache-2.0
"""The integer model of BLACK against its description in floating point, and what its cache of flows amounts to."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from sluice_golden import Arrival, models
from sluice_golden.blocks.hbf_cache import REST, HbfCache, Period, Replacement
from sluice_golden.shares.black import Black
from sluice_golden.shares.black_reference import BlackReference

_DRAWS = 1 << 18
_REPLACEMENTS: tuple[Replacement, ...] = ("fewest", "lru")


def arrival(flow: int, sample: int | None, draw: int = 0, queue: int = 1) -> Arrival:
    """The draw is one of 2^18."""
    return Arrival(0, flow, 1000, 0, queue, 1000 * queue, (draw << 14,), samples=(sample,))


def made(name: str = "black", **raw: int) -> Black:
    model = models()[name]()
    assert isinstance(model, Black)
    model.apply({"threshold": 0, "period": 1000} | raw)
    return model


def probability(model: Black, flow: int, sample: int) -> float:
    """With which the model drops this packet now: the first draw that passes."""
    low, high = 0, _DRAWS
    while low < high:
        draw = (low + high) // 2
        if model.fork().arrive(arrival(flow, sample, draw)).action == "drop":
            low = draw + 1
        else:
            high = draw
    return low / _DRAWS


@pytest.mark.parametrize("name", ["black", "black-200"])
@pytest.mark.parametrize(("senders", "period"), [(2, 500), (10, 1000), (40, 3000)])
def test_every_probability_is_the_descriptions(name: str, senders: int, period: int) -> None:
    """Once all flows have entered, which the description does not make wait: to a draw, for S, M, h and d are counted."""
    rng = random.Random(senders)
    model, reference = made(name, period=period), BlackReference(period)
    seen: Counter[str] = Counter()
    for number in range(8 * period):
        flow, sample = (0 if rng.random() < 0.1 else rng.randrange(senders) for _ in range(2))
        is_asked = number > 3 * period and rng.random() < 0.1
        ours = probability(model, flow, sample) if is_asked else 0.0
        model.arrive(arrival(flow, sample, rng.randrange(_DRAWS)))
        theirs = reference.arrive(flow, sample)
        assert model.before_sampled / model.before_matched == pytest.approx(reference.flows)
        if is_asked:
            assert ours == pytest.approx(theirs, abs=1.001 / _DRAWS, rel=1e-9)
            seen["none" if theirs == 0 else "some" if theirs < 1 else "all"] += 1
    assert min(seen["none"], seen["some"]) > 20


def test_twice_the_share_is_dropped_for_certain() -> None:
    """Three flows, of which one has as many packets as both others together: N is 1 / (1/4 + 1/16 + 1/16) = 2.67, so it has 1.33
    shares and is dropped with a third; and the others have 0.67."""
    rng = random.Random(5)
    model = made(period=20_000)
    seen, dropped = Counter[int](), Counter[int]()
    for number in range(200_000):
        flow, sample = (rng.choice((0, 0, 1, 2)) for _ in range(2))
        verdict = model.arrive(arrival(flow, sample, rng.randrange(_DRAWS)))
        if number >= 40_000:
            seen[flow] += 1
            dropped[flow] += verdict.action == "drop"
    assert dropped[0] / seen[0] == pytest.approx(1 / 3, abs=0.03)
    assert dropped[1] + dropped[2] < 0.002 * (seen[1] + seen[2])


def test_nobody_is_dropped_before_a_period_is_over() -> None:
    """Nothing is known of N before, and 1 is the least that it can be."""
    model = made(period=300)
    assert all(model.arrive(arrival(0, 0)).action == "pass" for _ in range(299))


@pytest.mark.parametrize("queue", [0, 20, 21])
def test_beyond_the_threshold_alone(queue: int) -> None:
    """Neither sampled nor dropped up to it; and a period without a sample does not count."""
    model = made(threshold=20, period=100)
    for number in range(400):  # two flows, and then the first alone: it has nearly all hits
        flow = number % 2 if number < 200 else 0
        model.arrive(arrival(flow, 0 if number % 4 else 1, queue=30))
    before = model.status(), model.sampled
    actions = {model.arrive(arrival(0, 0, queue=queue)).action for _ in range(1000)}
    assert (("drop" in actions), (model.status(), model.sampled) != before) == ((queue > 20,) * 2)


@pytest.mark.parametrize("replacement", _REPLACEMENTS)
def test_heavy_flows_find_a_place_among_many(replacement: Replacement) -> None:
    """Ten flows with three times the share of each of 490 others, of which half pass for heavy ones in a period. With 50 entries
    at least seven of the ten are in after fifteen periods, and one in ten of the others."""
    rng = random.Random(7)
    heavy, light = range(10), range(10, 500)
    cache = HbfCache(50, replacement)
    for number in range(15):
        for stamp in range(1, 5001):
            flow = rng.choice(heavy if rng.random() < 30 / 520 else light)
            cache.sample(flow, Period(number, least=10), stamp)
    assert sum(cache.look_up(flow, Period(14, 10)) is not None for flow in heavy) >= 7


def full(replacement: Replacement, hits: int) -> HbfCache:
    """A cache of flows 0 to 63 with so many hits each, in the order of their last ones."""
    cache, period = HbfCache(64, replacement), Period(0, 1)
    for flow in range(64):
        while flow not in cache.places:
            cache.sample(flow, period, 0)
    for flow in range(64):
        while cache.words[cache.places[flow]].hits < hits:
            cache.sample(flow, period, 1 + flow)
    return cache


@pytest.mark.parametrize("replacement", _REPLACEMENTS)
def test_the_least_goes(replacement: Replacement) -> None:
    """All entries but one are hit once more: a newcomer that is sampled for a round takes that one's place."""
    cache, few, newcomer = full(replacement, hits=20), 40, 1000
    for flow in [f for f in range(64) if f != few] + 100 * [newcomer]:
        cache.sample(flow, Period(0, 1), 100)
    assert set(range(64)) ^ set(cache.flows) == {few, newcomer}


@pytest.mark.parametrize("replacement", _REPLACEMENTS)
def test_who_had_too_few_hits_goes_first(replacement: Replacement) -> None:
    """An entry that the period's end frees goes before all that it keeps, which have no hit since; and its flow begins anew if it
    comes back before anybody took its place."""
    cache = full(replacement, hits=20)
    for flow in range(64):
        if flow not in (10, 50):
            cache.sample(flow, Period(0, 1), 100)
    period = Period(1, least=21)
    assert {flow for flow in range(64) if cache.look_up(flow, period) is None} == {10, 50}
    cache.sample(50, period, 1)
    entry = cache.look_up(50, period)
    assert entry is not None
    assert (entry.hits, entry.previous) == (1, 0)
    while 1000 not in cache.places:
        cache.sample(1000, period, 2)
    assert set(range(64)) ^ set(cache.flows) == {10, 1000}


@pytest.mark.parametrize("replacement", _REPLACEMENTS)
def test_flows_enter_one_after_the_other(replacement: Replacement) -> None:
    """Of new flows in every sample each sixteenth enters, as long as there is room."""
    cache = HbfCache(50, replacement)
    for flow in range(160):
        cache.sample(flow, Period(0, 1), 1)
    assert cache.flows == list(range(0, 160, REST))
