# SPDX-License-Identifier: Apache-2.0
"""The integer models of SRED against the paper's rules in floating point, and what the rules amount to."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from sluice_golden import Arrival, models
from sluice_golden.flows.sred import Sred, flows
from sluice_golden.flows.sred_reference import Form, SredReference

_ONE = 1 << 31
_WORDS = 1 << 32
_FORMS: dict[str, Form] = {"sred": "plain", "sred-full": "full", "sred-simple": "simple"}
_BUFFER = 1_000_000


def made(name: str, **raw: int) -> Sred:
    model = models()[name]()
    assert isinstance(model, Sred)
    model.apply(model.parameters | raw)
    return model


def arrival(flow: int, queue_bytes: int, words: tuple[int, int, int]) -> Arrival:
    return Arrival(0, flow, 1000, 0, queue_bytes // 1000, queue_bytes, words)


def probability(model: Sred, flow: int, queue_bytes: int, place: int, overwrite: int) -> float:
    """With which the model drops this packet now: the first draw that passes."""
    low, high = 0, _WORDS
    while low < high:
        draw = (low + high) // 2
        if model.fork().arrive(arrival(flow, queue_bytes, (place, overwrite, draw))).action == "drop":
            low = draw + 1
        else:
            high = draw
    return low / _WORDS


@pytest.mark.parametrize("name", _FORMS)
@pytest.mark.parametrize("senders", [2, 30, 400])
def test_every_probability_is_the_papers(name: str, senders: int) -> None:
    """Within 0.3 %: 0.05 % of it are P's rounding in its worst case and 0.1 % the table's, which is squared. P itself is at most
    2^(10 - 31) too high."""
    rng = random.Random(senders)
    model = made(name)
    reference = SredReference(_FORMS[name], model.zombies_kept, _BUFFER, alpha=2.0**-10)
    seen: Counter[bool] = Counter()
    for number in range(4_000):
        flow = rng.randrange(senders) if rng.random() < 0.8 else 0
        place, overwrite = rng.getrandbits(32), rng.getrandbits(32)
        queue_bytes = rng.choice(
            (_BUFFER // 6, _BUFFER // 6 + 1, _BUFFER // 3, _BUFFER // 3 + 1, rng.randrange(_BUFFER))
        )
        if number % 4 == 0:
            ours = probability(model, flow, queue_bytes, place, overwrite)
        model.arrive(arrival(flow, queue_bytes, (place, overwrite, rng.getrandbits(32))))
        theirs = reference.arrive(flow, queue_bytes, place / _WORDS, overwrite / _WORDS)
        assert model.zombies == reference.zombies
        assert -(2.0**-30) <= model.hit_frequency / _ONE - reference.hit_frequency <= 2.0**-21
        if number % 4 == 0:
            assert ours == pytest.approx(theirs, rel=3e-3, abs=2.0**-29)
            seen[theirs > 0] += 1
    assert min(seen[True], seen[False]) > 100


def test_the_number_of_flows_is_the_inverse_of_the_hit_frequency() -> None:
    """Over all of P's range, to 2^-11 of it, the entry's rounding and a unit of 2^-10; and there is a most."""
    rng = random.Random(1)
    for _ in range(50_000):
        hit_frequency = min(_ONE, rng.getrandbits(rng.randint(1, 32)) or 1)
        exact = _ONE / hit_frequency
        if exact < 60_000:
            assert abs(flows(hit_frequency) / 1024 - exact) <= exact * (2.0**-11 + 2.0**-18) + 2.0**-10
        elif exact > 70_000:
            assert flows(hit_frequency) == (1 << 26) - 1


@pytest.mark.parametrize("name", _FORMS)
def test_nobody_is_dropped_while_the_list_fills(name: str) -> None:
    """However full the buffer and however certain the drop; P stands still meanwhile at one in as many as there are zombies."""
    model = made(name, max_probability=_ONE)
    for _ in range(model.zombies_kept):
        assert model.arrive(arrival(1, _BUFFER, (0, 0, 0))).action == "pass"
        assert model.hit_frequency == round(_ONE / model.zombies_kept)
    model.arrive(arrival(1, _BUFFER, (0, 0, 0)))
    assert model.hit_frequency > round(_ONE / model.zombies_kept)


@pytest.mark.parametrize(("flow_count", "name", "factor"), [(16, "sred-simple", 1 / 256), (512, "sred-simple", 1)])
def test_few_flows_are_dropped_less(flow_count: int, name: str, factor: float) -> None:
    """By the square of their number over 256, and no more than that."""
    model = made(name)
    model.zombies = [flow % flow_count for flow in range(model.zombies_kept)]
    model.hit_frequency = round(_ONE / flow_count)
    ours = probability(model, _WORDS - 1, _BUFFER, 0, _WORDS - 1)
    assert ours == pytest.approx(0.15 * factor, rel=4e-3)
