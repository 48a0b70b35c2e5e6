# SPDX-License-Identifier: Apache-2.0
"""PI2's integer model against RFC 9332's pseudocode in floating point, and what its draws amount to."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from sluice_golden import Arrival, Departed
from sluice_golden.controllers.delay import MOST_NS, backlog_ns, seconds
from sluice_golden.controllers.pi_family.pi2 import Pi2
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
