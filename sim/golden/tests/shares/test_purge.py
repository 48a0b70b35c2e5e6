# SPDX-License-Identifier: Apache-2.0
"""The integer model of Purge against its formulas in floating point, and what is done to whom."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from sluice_golden import Arrival, Settled
from sluice_golden.controllers.rem_reference import RemReference
from sluice_golden.shares.purge import Purge
from sluice_golden.shares.purge_reference import PurgeReference

_WORDS = 1 << 32
_TARGET, _BUFFER, _CAPACITY, _LOAD_CAPACITY = 20, 100, 2.5, 62.5
_RULES = {"Unforced mark": "rem", "Unforced drop": "rem", "Unfair mark": "mark", "Unfair drop": "drop"}


def arrival(flow: int, sample: int | None, word: int = _WORDS - 1, queue: int = 30, ecn: int = 1) -> Arrival:
    return Arrival(0, flow, 1000, ecn, queue, 1000 * queue, (word,), samples=(sample,))


def made(**raw: int) -> Purge:
    """Marks where it can, and its price moves a thousand times as fast."""
    model = Purge()
    gain = round(math.log2(1.001) * 2**42)
    model.apply(model.defaults() | {"target": _TARGET, "buffer": _BUFFER, "gain": gain, "ecn": 1} | raw)
    return model


def tick(model: Purge, kind: str) -> None:
    model.tick(kind, 0)
    model.settle(kind)


def probability(model: Purge, flow: int, sample: int | None) -> tuple[str, float]:
    """By which rule the model acts on this packet now, and with which probability: the first word that passes."""
    rule = _RULES.get(model.fork().arrive(arrival(flow, sample, 0)).reason, "none")
    low, high = 0, _WORDS
    while low < high:
        word = (low + high) // 2
        if model.fork().arrive(arrival(flow, sample, word)).action != "pass":
            low = word + 1
        else:
            high = word
    return rule, low / _WORDS


@pytest.mark.parametrize("saturation", [1, 2, 3, 4])
@pytest.mark.parametrize("senders", [3, 10, 40])
def test_every_probability_is_the_formulas(saturation: int, senders: int) -> None:
    """With flows that all have an entry, one of which sends two fifths more than its part: within 2^-12 of it, for s has 17
    bits and g up to 2, and N 4 behind the point. The rule is the same but where a flow has just theta shares."""
    rng = random.Random(senders)
    flows = [rng.getrandbits(32) for _ in range(senders)]
    model = made(saturation=saturation, step=round(0.1 * 2**18))
    rem = RemReference(_CAPACITY, gamma=0.1, alpha=0.1, phi=1.001**10, target=_TARGET)
    reference = PurgeReference(rem, _LOAD_CAPACITY, _BUFFER, saturation)
    seen: Counter[str] = Counter()
    for number in range(20_000):
        flow, sample = (flows[0] if rng.random() < 0.4 else rng.choice(flows) for _ in range(2))
        is_asked = number > 6_000 and rng.random() < 0.05
        ours = probability(model, flow, sample) if is_asked else ("", 0.0)
        model.arrive(arrival(flow, sample))
        theirs = reference.arrive(flow, sample, 30)
        if is_asked and abs(reference.flows * reference.seen.share(flow) - 1.5) > 0.01:
            assert ours[1] == pytest.approx(theirs[1], abs=2**-12, rel=0.01)
            if ours[1] > 0:
                assert ours[0] == theirs[0]
                seen[ours[0]] += 1
        queue = rng.randrange(15, 80)
        model.settled(Settled(0, flow, 1000, queue_packets=queue, fate="accepted" if number % 3 else "refused"))
        rem.count(1 if number % 3 else 0)
        if rng.random() < 0.5:
            tick(model, "price")
            rem.tick(queue)
        if number % rng.choice((60, 62, 70)) == 0:
            tick(model, "load")
            reference.load_tick(queue)
        if number % 3000 == 2999:
            tick(model, "window")
            reference.window_tick()
            assert model.flows / 16 == pytest.approx(reference.flows, abs=0.1, rel=1e-4)
    assert model.probability / 2**31 == pytest.approx(rem.probability, abs=1e-4)
    assert all(seen[rule] > 10 for rule in ("rem", "mark", "drop")), seen


def heavy_of_ten(**raw: int) -> Purge:
    """Flow 1 has half of the queue, nine others the rest; a window is over, the load was twice what the link sends, twice."""
    rng, model = random.Random(1), made(**raw)
    ids = [1, *(rng.getrandbits(32) for _ in range(9))]
    for _ in range(2):
        for number in range(125):
            model.arrive(arrival(ids[number % 10], 1 if number % 2 else ids[number % 10]))
        model.settled(Settled(0, 1, 1000, queue_packets=30))
        tick(model, "load")
    for number in range(1000):
        model.arrive(arrival(ids[number % 10], 1 if number % 2 else ids[number % 10]))
    tick(model, "window")
    return model


@pytest.mark.parametrize("persistence", [2, 3])
@pytest.mark.parametrize("ecn", [0, 1])
@pytest.mark.parametrize("ect", [0, 1])
def test_dropped_only_while_overload_lasts(persistence: int, ecn: int, ect: int) -> None:
    """Otherwise marked, or let pass where no mark can be had."""
    model = heavy_of_ten(persistence=persistence, ecn=ecn)
    verdict = model.arrive(arrival(1, None, word=0, ecn=ect))
    expected = "Unfair drop" if persistence == 2 else "Unfair mark" if ecn and ect else ""
    assert verdict.reason == expected


def test_a_flow_of_theta_shares_is_left_alone() -> None:
    """Ten flows: the heavy one has half of the packets in the queue and a fifth of the others, 6 shares."""
    shares = 6.0
    for theta, is_dropped in ((1.0, True), (shares - 0.1, True), (shares + 0.1, False)):
        model = heavy_of_ten(theta=round(theta * 256))
        assert (model.arrive(arrival(1, None, word=0)).reason == "Unfair drop") == is_dropped


def test_who_is_dropped_does_not_raise_the_price() -> None:
    """Only what is accepted counts; all that arrives counts as load."""
    model = made()
    for number in range(100):
        model.arrive(arrival(number, None))
        model.settled(Settled(0, 1, 1000, queue_packets=_TARGET, fate="refused" if number % 2 else "over the limit"))
    tick(model, "price")
    assert model.price.price == 0
    tick(model, "load")
    assert (model.congestion.is_there, model.congestion.run) == (True, 1)


def test_nobody_is_judged_by_shares_before_a_window_is_over() -> None:
    model = made(theta=256, persistence=1)
    for _ in range(3):
        for _ in range(200):
            assert model.arrive(arrival(1, 1, word=0)).action == "pass"
        tick(model, "load")


def test_beyond_the_target_alone_it_samples() -> None:
    model = made()
    for queue in (_TARGET - 1, _TARGET, _TARGET + 1):
        model.arrive(arrival(1, 1, queue=queue))
    assert model.sampled == 1


def test_samples_end_before_a_count_overflows() -> None:
    """After 2^19 in a window, which the model is told to have seen."""
    model = made()
    model.sampled = (1 << 19) - 2
    for _ in range(5):
        model.arrive(arrival(1, 1))
    assert model.sampled == 1 << 19
    assert model.cache.words[0].hits == 2
