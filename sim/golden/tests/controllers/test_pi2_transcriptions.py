# SPDX-License-Identifier: Apache-2.0
"""How far p' is from others' of the same delays: from RFC 9332's in rational numbers, and from what Linux computes. Prints the
rows that docs/algorithms/pi2.md has (`-n0 -s`), and fails where that has others."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import linux_dualpi2
import pytest
import rfc9332

from sluice_golden import Departed
from sluice_golden.controllers.pi_family.pi2 import Pi2
from sluice_golden.controllers.pi_family.pi2_reference import Pi2Reference

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[4] / "docs/algorithms/pi2.md"
ONE, NS = 1 << 40, 10**9
TICKS, SEEDS = 20_000, 4
Numbers = Callable[[Pi2], tuple[float, Fraction]]
Pair = Callable[[Pi2], Numbers]
LINUX_GAINS = {"alpha": 41 << 8, "beta": 819 << 8}
"""41 and 819 of 256 Hz, in the registers' format."""


def settled_at(model: Pi2, queue_bytes: int) -> Pi2:
    """After a tick that found so many bytes queued."""
    model.departed(Departed(0, 1, 1000, queue_bytes=queue_bytes))
    model.tick("update", 0)
    model.settle("update")
    return model


def ticks(seed: int, load: str, raw: dict[str, int]) -> Iterator[Pi2]:
    """The integer model after each tick, beside senders that give way as p' rises: it stays below 0.05, or goes from 0 to 1
    with `bursts` and pauses."""
    rng, model, queue = random.Random(seed), Pi2(), 0.0
    model.apply(model.parameters | {"max_base": 1 << 31} | raw)
    for _ in range(TICKS):
        noise, wanted = (3000, 0.15) if load == "bursts" else (60, 0.02)
        queue = max(0.0, queue + rng.gauss(0, noise) + 4000 * (wanted - model.p / ONE))
        if load == "bursts" and rng.random() < 0.02:
            queue = rng.choice((0.0, 200_000.0, 300_000.0))
        yield settled_at(model, round(queue))


def as_registers_hold(model: Pi2) -> rfc9332.BasePi:
    """RFC 9332's with the same parameters, to the last bit."""
    p = model.parameters
    gains = {name: Fraction(p[name], 1 << 16) for name in ("alpha", "beta")}
    return rfc9332.BasePi(rfc9332.Params(Fraction(p["target"], NS), **gains))


def farthest(pair: Pair, load: str, raw: dict[str, int]) -> float:
    """The largest distance of two numbers over all seeds: `pair` makes of a new model what gives both after each tick."""
    distances, here = [], []
    for seed in range(SEEDS):
        fresh = Pi2()
        fresh.apply(fresh.parameters | raw)
        numbers = pair(fresh)
        for model in ticks(seed, load, raw):
            first, second = numbers(model)
            distances.append(abs(Fraction(first) - second))
            here.append(first)
    assert min(here) == 0.0
    assert max(here) == 1.0 if load == "bursts" else 0.02 < max(here) < 0.05
    return float(max(distances))


def reference_and_rfc(model: Pi2) -> Numbers:
    """`base` of both; and of the reference what it makes of it."""
    p, rfc = model.parameters, as_registers_hold(model)
    reference = Pi2Reference(p["target"] / NS, p["alpha"] / 2**16, p["beta"] / 2**16)

    def numbers(after: Pi2) -> tuple[float, Fraction]:
        reference.update(after.delay_ns / NS)
        rfc.update(Fraction(after.delay_ns, NS))
        assert abs(reference.p_c - rfc.p_c) <= 2e-9
        assert abs(reference.p_cl - rfc.p_cl) <= 2e-9
        return reference.base, rfc.base

    return numbers


def model_and(rfc: rfc9332.BasePi) -> Numbers:
    def numbers(after: Pi2) -> tuple[float, Fraction]:
        rfc.update(Fraction(after.delay_ns, NS))
        return after.p / ONE, rfc.base

    return numbers


def model_and_rfc(model: Pi2) -> Numbers:
    return model_and(as_registers_hold(model))


def model_and_meant(_: Pi2) -> Numbers:
    return model_and(rfc9332.BasePi(rfc9332.Params(alpha=Fraction(16, 100), beta=Fraction(32, 10))))


def model_and_linux(model: Pi2) -> Numbers:
    linux = linux_dualpi2.BasePi(target_ns=model.parameters["target"])

    def numbers(after: Pi2) -> tuple[float, Fraction]:
        linux.update(after.delay_ns)
        return after.p / ONE, Fraction(linux.prob, linux_dualpi2.MAX_PROB)

    return numbers


ROWS = (
    ("floating point, from RFC 9332", reference_and_rfc, "bursts", {}, 1e-9),
    ("integers, from RFC 9332 with the same gains", model_and_rfc, "bursts", {}, 1e-6),
    ("integers, from RFC 9332 with gains of 0.16 and 3.2", model_and_meant, "bursts", {}, 5e-5),
    ("integers with Linux' gains, from Linux, p' to 1", model_and_linux, "bursts", LINUX_GAINS, 6e-4),
    ("integers with Linux' gains, from Linux, p' below 0.05", model_and_linux, "even", LINUX_GAINS, 2.3e-5),
)


@pytest.mark.parametrize(("what", "pair", "load", "raw", "bound"), ROWS, ids=[row[0] for row in ROWS])
def test_p_is_near(what: str, pair: Pair, load: str, raw: dict[str, int], bound: float) -> None:
    """At each tick."""
    distance = farthest(pair, load, raw)
    row = f"| {what} | {distance:.1e} |"
    print(row)
    assert distance <= bound
    assert row in PAGE.read_text(encoding="utf-8"), f"{PAGE.name} lacks: {row}"


def test_the_gains_of_linux() -> None:
    """44 and 879 of 274.88 in a Hz, which are 0.05 % below what they are meant to be."""
    held = [linux_dualpi2.scaled(gain) for gain in (41, 819)]
    assert held == [44, 879]
    per_hz = 2**32 * 64 / NS
    assert [raw / per_hz / (gain / 256) - 1 for raw, gain in zip(held, (41, 819), strict=True)] == pytest.approx(
        [-5e-4, -4e-4], abs=1e-4
    )


def test_the_gains_of_the_rfc() -> None:
    """For the longest round-trip time of 100 ms its figure 2 says an update in 15 ms, 0.15 and 3. Its text has 16 ms, as Linux,
    and then 0.16 and 3.2, of which the second is a sixteenth too high ("due to rounding"): the defaults here."""
    assert (rfc9332.Params().tupdate, rfc9332.Params().alpha) == (Fraction(15, 1000), Fraction(15, 100))
    params = rfc9332.Params(tupdate=Fraction(Pi2().parameters["tupdate"], NS))
    assert params.alpha == Fraction(16, 100)
    assert params.beta == Fraction(32, 10) * Fraction(15, 16)


def test_linux_forgets_a_step_of_more_than_one() -> None:
    """Its difference wraps: after 400 ms, which came by and by, an empty queue leaves p' where it was, and here it is 0."""
    linux, model = linux_dualpi2.BasePi(), Pi2()
    model.apply(model.parameters | LINUX_GAINS | {"max_base": 1 << 31})
    for delay_ms in (*range(0, 401, 16), 400, 0):
        linux.update(delay_ms * 1_000_000)
        settled_at(model, round(delay_ms * 1250))
    assert model.p == 0
    assert linux.prob / linux_dualpi2.MAX_PROB > 0.7
