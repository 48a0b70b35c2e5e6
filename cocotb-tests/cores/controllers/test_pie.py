# SPDX-License-Identifier: Apache-2.0
"""Corners of PIE: by how much a tick moves the probability, which packets are spared, and how far apart those are that go. The
bench compares every verdict and the whole state with the model; what they must amount to stands here."""

from __future__ import annotations

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival, Head
from sluice_golden.controllers.pi_family.pie_reference import TABLE

MS = 1_000_000
ONE = 1 << 40
RATE = 1 << 22  # a byte in 16 ns
EPOCH_NS = 1 << 42
MISS, HIT = 0xFFFFFFFF, 0
ALWAYS = 5000  # bytes, more than `min_bytes`


def bench_with(config: str, **raw: int) -> CoreBench:
    """A core in which the given raw parameters are in force; without bursts unless they say so."""
    bench = CoreBench(config)
    own = {"rate": RATE} if config == "pie-backlog" else {}
    bench.apply(bench.model.defaults() | {"max_burst": 0} | own | raw)
    return bench


def arrive(bench: CoreBench, queued: int = ALWAYS, word: int = MISS, ecn: int = 0, *, is_over: bool = False) -> str:
    """The verdict on a packet that finds so many bytes queued, which is what a tick finds next."""
    bench.step(Cycle(Arrival(0, 1, 1000, ecn, queued // 1000, queued, (word,)), is_over=is_over))
    bench.idle(bench.latency + 2)
    return bench.judged[-1].verdict.action


def tick(bench: CoreBench) -> float:
    """The probability then."""
    bench.tick("update", bench.now_ns)
    return float(bench.golden.p) / ONE


def tick_after(bench: CoreBench, delay_ms: float) -> float:
    """The same, with so long a delay."""
    if "rate" in bench.golden.parameters:
        arrive(bench, round(delay_ms * MS) // 16)
    else:
        waited = EPOCH_NS - round(delay_ms * MS)
        bench.step(Cycle(head=Head(EPOCH_NS, 1, 1000, queue_bytes=ALWAYS, queued_ns=waited)))
    return tick(bench)


def at(config: str, p: float, **raw: int) -> CoreBench:
    """A core with this probability, or a little more."""
    bench = bench_with(config, alpha=1 << 16, beta=0, **raw)
    while tick_after(bench, 100) < p:
        pass
    return bench


@pytest.mark.parametrize("config", ["pie", "pie-backlog"])
def test_a_tick_moves_p_the_less_the_smaller_it_is(config: str) -> None:
    """alpha (d - target) + beta (d - d_old), here 2 and 0 a second and 10 ms; between 0.001 and 0.01 an eighth of it,
    for instance."""
    bench = bench_with(config, target=10 * MS, alpha=2 << 16, beta=0, max_step=1 << 31)
    p = 0.0
    for delay_ms in (11, 11, 20, 50, 90, 400, 400, 400, 400, 400, 900, 15, 8, 8, 6, 6):
        scale = next((divisor for below, divisor in TABLE if p < below), 1)
        p = min(max(0.0, p + 2 * (delay_ms - 10) / 1000 / scale), 1.0)
        assert tick_after(bench, delay_ms) == pytest.approx(p, abs=1e-7)
    assert p > 0.5
    assert tick_after(bench, 4) == pytest.approx(p - 2 * 0.006, abs=1e-6)
    before = bench.golden.p / ONE
    assert tick_after(bench, 4) == pytest.approx((before - 2 * 0.006) * 63 / 64, abs=1e-6)  # two short delays
    bench.check()


def test_p_rises_by_no_more_than_the_cap_from_a_tenth_on() -> None:
    """Below that by whatever it is; beyond `late_delay` by the cap twice."""
    step = round(0.02 * 2**31)
    bench = bench_with("pie", alpha=1 << 16, beta=0, max_step=step, late_delay=250 * MS)
    while tick_after(bench, 200) < 0.1:
        pass
    before = bench.golden.p
    tick_after(bench, 200)
    assert bench.golden.p - before == step << 9
    tick_after(bench, 250)
    assert bench.golden.p - before == 2 * step << 9
    tick_after(bench, 251)
    assert bench.golden.p - before == 4 * step << 9
    bench.check()


def test_a_decay_only_without_a_delay() -> None:
    """With `decay_empty`; else below half of the target."""
    for decay_empty, delay_ms, decays in ((0, 7, True), (1, 7, False), (1, 0, True), (0, 8, False)):
        bench = at("pie-backlog", 0.1, decay_empty=decay_empty)
        bench.apply(bench.golden.parameters | {"alpha": 0})
        tick_after(bench, delay_ms)
        before = bench.golden.p
        tick_after(bench, delay_ms)
        assert bench.golden.p == before - (before >> 6) * decays
        bench.check()


def test_packets_add_up() -> None:
    """The first ones that are hit stay; those that are missed for too long go."""
    bench = at("pie", 0.1)
    p = bench.golden.probability / 2**31
    soon = -int(-0.85 // p)
    assert [arrive(bench, word=HIT) for _ in range(soon)] == ["pass"] * (soon - 1) + ["drop"]
    overdue = -int(-8.5 // p)
    assert [arrive(bench) for _ in range(overdue)] == ["pass"] * (overdue - 1) + ["drop"]
    bench.check()


def test_what_finds_no_room_begins_the_sum_anew() -> None:
    bench = at("pie", 0.1)
    p = bench.golden.probability / 2**31
    soon = -int(-0.85 // p)
    for _ in range(soon - 1):
        arrive(bench, word=HIT)
    arrive(bench, 0, is_over=True)
    assert [arrive(bench, word=HIT) for _ in range(soon)] == ["pass"] * (soon - 1) + ["drop"]
    bench.check()


def test_without_derandomisation_a_draw_decides() -> None:
    bench = at("pie", 0.1, derandomise=0)
    assert [arrive(bench, word=word) for word in (HIT, HIT, MISS, HIT)] == ["drop", "drop", "pass", "drop"]
    bench.check()


def test_little_is_spared() -> None:
    """A queue below `min_bytes`, and a short delay with a probability below 0.2."""
    bench = at("pie", 0.1, derandomise=0)
    assert [arrive(bench, queued, HIT) for queued in (3027, 3028)] == ["pass", "drop"]
    bench.apply(bench.golden.parameters | {"alpha": 0})
    assert tick_after(bench, 7) < 0.2
    assert arrive(bench, word=HIT) == "pass"
    bench = at("pie", 0.25, derandomise=0)
    bench.apply(bench.golden.parameters | {"alpha": 0})
    assert tick_after(bench, 7) > 0.2
    assert arrive(bench, word=HIT) == "drop"
    bench.check()


def test_a_burst_is_let_in() -> None:
    """For `max_burst` of ticks since the last one that found a short delay and left a probability of 0."""
    bench = bench_with("pie-backlog", max_burst=150 * MS, alpha=100 << 16, derandomise=0)
    tick_after(bench, 0)
    left = []
    for _ in range(10):
        left.append(bench.golden.burst_ns // MS)
        assert arrive(bench, 10 * ALWAYS, HIT) == "pass"
        tick_after(bench, 1000)
    assert left == list(range(150, 0, -15))
    assert bench.golden.burst_ns == 0
    assert arrive(bench, word=HIT) == "drop"
    bench.check()


def test_marks_while_the_probability_is_small() -> None:
    """Up to `mark_most`, and only what can be marked, with `ecn`."""
    for mark_most, ecn_on, actions in (
        (1 << 31, 1, "drop mark mark mark"),
        (1 << 27, 1, "drop " * 4),
        (1 << 31, 0, "drop " * 4),
    ):
        bench = at("pie", 0.1, derandomise=0, mark_most=mark_most, ecn=ecn_on)
        assert [arrive(bench, word=HIT, ecn=ecn) for ecn in range(4)] == actions.split()
        bench.check()
