# SPDX-License-Identifier: Apache-2.0
"""The integer model of WRED against the rule in floating point, and what the rule amounts to."""

from __future__ import annotations

import random

import pytest

from sluice_golden import Arrival
from sluice_golden.wred.wred import DROP, MARK, MOST_WEIGHT, Wred, Wred1kQueues
from sluice_golden.wred.wred_reference import Average, probability

_ONE = 1 << 31
_WORDS = 1 << 32


def arrival(queued: int, ecn: int, word: int, queue: int = 0, profile: int = 0) -> Arrival:
    return Arrival(0, 1, 1000, ecn, queued // 1000, queued, (word,), queue=queue, profile=profile)


def border(model: Wred, queued: int, ecn: int) -> int:
    """How many words hit a packet that finds so much: the lowest ones."""
    low, high = 0, _WORDS
    while low < high:
        word = (low + high) // 2
        if model.fork().arrive(arrival(queued, ecn, word)).action == "pass":
            high = word
        else:
            low = word + 1
    return low


def test_probabilities_are_the_ramps() -> None:
    """Within a draw's own step, 2^-32, and what floating point rounds."""
    rng = random.Random(1)
    for _ in range(2000):
        low = rng.getrandbits(rng.randint(1, 25))
        high = low + rng.getrandbits(rng.randint(1, 25))
        names = ("ecn_min_threshold", "ecn_max_threshold", "ecn_mark_probability")
        raw = dict(zip(names, (max(low, 1), max(high, 1), rng.getrandbits(31)), strict=True))
        model = Wred()
        model.apply(Wred.defaults() | raw | {"ecn": 1})
        for queued in (low, high, rng.randint(low, high), rng.getrandbits(26)):
            share = probability(queued, raw[names[0]], raw[names[1]], raw[names[2]] / _ONE)
            assert abs(border(model, queued, 2) / _WORDS - share) <= 2**-32 + 1e-12


@pytest.mark.parametrize("weight", range(MOST_WEIGHT + 1))
def test_the_average_is_within_its_rounding(weight: int) -> None:
    """2^weight units of which there are 1,024 in a byte; none without a weight."""
    rng, model, average = random.Random(weight), Wred(), Average(weight)
    model.apply(Wred.defaults() | {"weight": weight})
    level = 0
    for i in range(20_000):
        if i % 500 == 0:
            level = rng.getrandbits(rng.randint(0, 25))
        queued = rng.randint(0, level)
        model.arrive(arrival(queued, 0, 0))
        assert abs(model.view()["average"] / 1024 - average.sample(queued)) <= (2**weight / 1024 if weight else 0)


def test_a_set_is_the_profile_of_its_number() -> None:
    """The others stay; and of a queue that is judged by another profile the average goes on."""
    model = Wred1kQueues()
    drops = {"min_threshold": 1, "max_threshold": 1}
    model.apply(Wred1kQueues.defaults() | drops | {"profile": 3})
    model.apply(Wred1kQueues.defaults() | {"profile": 4, "weight": 2})
    assert [model.arrive(arrival(5000, 0, 0, 7, number)) for number in (2, 3, 4)][1] == DROP
    assert model.view()["average"] == 5000 << 10
    model.arrive(arrival(1000, 0, 0, 7, 4))
    assert model.view()["average"] == 4000 << 10
    marks = {"ecn": 1, "ecn_min_threshold": 1, "ecn_max_threshold": 1}
    model.apply(Wred1kQueues.defaults() | marks | {"profile": 15})
    assert [model.arrive(arrival(1, ecn, 0, 8, 15)).action for ecn in range(4)] == ["pass", *["mark"] * 3]
    assert model.arrive(arrival(1, 1, 0, 8, 15)) == MARK
