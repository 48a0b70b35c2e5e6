# SPDX-License-Identifier: Apache-2.0
"""PI2's integer model against RFC 9332's pseudocode in floating point, and what its draws amount to."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

from sluice_golden import Arrival, Departed, Head
from sluice_golden.controllers.delay import MOST_NS, backlog_ns, seconds
from sluice_golden.controllers.pi_family.pi2 import Pi2, Pi2Head
from sluice_golden.controllers.pi_family.pi2_of_each import FqPi2Of1k
from sluice_golden.controllers.pi_family.pi2_reference import Pi2Reference

ONE = 1 << 40


def tick_at(model: Pi2, queue_bytes: int) -> None:
    """A tick that finds so many bytes queued."""
    model.departed(Departed(0, 1, 1000, queue_bytes=queue_bytes))
    model.tick("update", 0)
    model.settle("update")


def closed_loop(rng: random.Random, base: float, queue: float) -> float:
    """The next queue, in bytes, of senders that give way as p' rises, with bursts and pauses."""
    moved = queue + rng.gauss(0, 3000) + 4000 * (0.15 - base)
    return rng.choice((0.0, 400_000.0)) if rng.random() < 0.01 else max(0.0, moved)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("most", [0.5, 1.0])
def test_the_model_follows_the_reference(seed: int, most: float) -> None:
    """At each of 20,000 ticks: within 1e-6 of one with the gains that the registers hold, and within 5e-5 of one with those that
    were meant."""
    rng, model, queue = random.Random(seed), Pi2(), 0.0
    model.apply(model.parameters | {"max_base": round(most * 2**31)})
    p = model.parameters
    exact = Pi2Reference(p["target"] / 1e9, p["alpha"] / 2**16, p["beta"] / 2**16, most=most)
    meant = Pi2Reference(most=most)
    bases = []
    for _ in range(20_000):
        queue = closed_loop(rng, exact.base, queue)
        tick_at(model, round(queue))
        for reference, bound in ((exact, 1e-6), (meant, 5e-5)):
            reference.update(model.delay_ns / 1e9)
            assert model.p / ONE == pytest.approx(reference.base, abs=bound)
        bases.append(exact.base)
    assert min(bases) == 0.0
    assert max(bases) == most


def test_seconds_are_a_little_less() -> None:
    """By 2^-29 s at most."""
    rng = random.Random(1)
    for _ in range(100_000):
        ns = rng.getrandbits(rng.randint(0, 32))
        assert 0 <= Fraction(ns, 10**9) - Fraction(seconds(ns), 1 << 30) < Fraction(1, 1 << 29)


def test_the_delay_is_what_the_link_takes() -> None:
    """In whole ns, and 4.29 s at most."""
    rng = random.Random(1)
    for _ in range(20_000):
        size, rate = rng.getrandbits(rng.randint(0, 26)), 1 + rng.getrandbits(rng.randint(0, 31))
        assert backlog_ns(size, rate) == min(Fraction(16 * size, 1) / Fraction(rate, 1 << 22) // 1, MOST_NS)


def test_two_draws_are_the_square() -> None:
    """Classic packets go with p'^2, those of scalable senders with k p', and with certainty from 1 on."""
    rng, model = random.Random(1), Pi2()
    reference = Pi2Reference()
    for base, coupling in ((0.1, 4), (0.3, 4), (0.3, 0), (0.45, 15)):
        model.apply(model.parameters | {"coupling": coupling})
        model.p = round(base * ONE)
        reference.base, reference.k = base, coupling / 2
        for ecn in (0, 1, 2, 3):
            wanted = reference.p_cl if ecn & 1 and coupling else reference.p_c
            words = ((rng.getrandbits(32), rng.getrandbits(32)) for _ in range(20_000))
            taken = sum(model.arrive(Arrival(0, 1, 1000, ecn, 5, 5000, word)).action != "pass" for word in words)
            assert taken / 20_000 == pytest.approx(wanted, abs=0.012)


@pytest.mark.parametrize("seed", range(4))
def test_each_of_many_queues_is_as_if_alone(seed: int) -> None:
    """Beside one model for each queue that hears of every tick at its time: p' and the verdict at each of 20,000 heads, of queues
    that have many between two ticks, and of some that have none for a hundred."""
    rng = random.Random(seed)
    many, alone = FqPi2Of1k(), [Pi2Head() for _ in range(6)]
    gains = {"alpha": rng.choice((10_486, 1 << 20)), "beta": rng.choice((209_715, 1 << 18))}
    own = many.defaults() | gains | {"max_base": rng.choice((1 << 30, 1 << 31)), "coupling": 4, "ecn": 1}
    for model in (many, *alone):
        model.apply(own)
    how_often = [rng.choice((1, 1, 10, 100, 200)) for _ in alone]
    now_ns, verdicts, bases = 1 << 40, Counter[str](), set[int]()
    for _ in range(20_000):
        now_ns += 1_000_000
        if rng.random() < 0.4:
            for model in (many, *alone):
                model.tick("update", now_ns)
                model.settle("update")
        queue = rng.choices(range(len(alone)), [1 / n for n in how_often])[0]
        waited_ns = round(abs(rng.gauss(15e6, 20e6)) * rng.choice((1, 1, 1, 1000)))
        behind, tag = rng.choice((0, 9000, 9000, 9000)), rng.getrandbits(1) << 32 | rng.getrandbits(32)
        is_ect = rng.random() < 0.5
        head = Head(
            now_ns, queue, 1000, tag, queue_bytes=behind, queue=queue, is_ect=is_ect, queued_ns=now_ns - waited_ns
        )
        verdict, its = many.head(head), alone[queue].head(head)
        assert (verdict.action, many.p, many.delay_ns) == (its.action, alone[queue].p, alone[queue].delay_ns)
        verdicts[verdict.action] += 1
        bases.add(many.p)
    assert min(verdicts[action] for action in ("pass", "mark", "drop")) > 500
    assert {0, own["max_base"] << 9} < bases
    assert len(bases) > 100


def test_no_more_than_1024_updates_are_made_up_for() -> None:
    """Of a gain with which each moves p' by the least that it can."""
    many = FqPi2Of1k()
    many.apply(many.defaults() | {"target": 0, "alpha": 1, "beta": 0})
    waited_ns = 60  # of which 1 / 65,536 a second is 1 of 2^-40
    for updates, moved in ((0, 0), (1, 1), (1023, 1023), (1024, 1024), (3000, 1024), (1 << 16, 0)):
        before = many.p
        many.head(Head(waited_ns, 1, 1000, queue_bytes=1))
        for _ in range(updates):
            many.tick("update", 0)
            many.settle("update")
        many.head(Head(waited_ns, 1, 1000, queue_bytes=1))
        assert many.p - before == moved
