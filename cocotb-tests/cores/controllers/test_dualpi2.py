# SPDX-License-Identifier: Apache-2.0
"""Corners of DualPI2: whose delay moves p', and what becomes of a packet of either queue then. The bench compares every verdict
and the whole state with the model; what they must amount to stands here."""

from __future__ import annotations

import random

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival
from sluice_golden.controllers.pi_family.dualpi2 import C, L

US, MS = 1_000, 1_000_000
ONE = 1 << 40
NEVER = (0xFFFFFFFF,) * 2
ALWAYS = (0, 0)
LOW, HIGH = 0x7FFFFFFF, 0x80000000
NOT_ECT, ECT1, ECT0, CE = range(4)


def bench_with(**raw: int) -> CoreBench:
    """A core in which the given raw parameters are in force; a packet goes however little is queued."""
    bench = CoreBench("dualpi2")
    bench.apply(bench.model.defaults() | {"min_bytes": 0} | raw)
    return bench


def arrive(bench: CoreBench, ecn: int, words: tuple[int, int] = NEVER, queued: int = 5, **moment: int) -> str:
    """The verdict on a packet that finds so many of 1,000 bytes in its queue: its reason, or that it passed."""
    queue = L if ecn & 1 else C
    now_ns = moment.get("now_ns", bench.now_ns)
    bench.step(Cycle(Arrival(now_ns, 1, 1000, ecn, queued, queued * 1000, words, queue=queue)))
    return bench.judged[-1].verdict.reason or "pass"


def wait(bench: CoreBench, queue: int, waited_ns: int, behind: int = 5) -> None:
    """A packet of a queue arrives, and leaves after so long, with so many behind it."""
    while bench.queued:
        bench.step(Cycle(departed=bench.oldest(bench.now_ns)))
    arrive(bench, ECT1 if queue == L else ECT0, queued=0)
    while not bench.queued:
        bench.idle(1)
    bench.step(Cycle(departed=bench.oldest(bench.now_ns + waited_ns, behind)))


def tick(bench: CoreBench) -> float:
    """What p' is then."""
    bench.tick("update", bench.now_ns)
    return float(bench.golden.p) / ONE


def at(base: float, **raw: int) -> CoreBench:
    """A core whose p' is at its bound, and L's own delay is none."""
    bench = bench_with(alpha=0xFFFFFFFF, max_base=round(base * 2**31), **raw)
    wait(bench, C, 50 * MS)
    assert tick(bench) == pytest.approx(base, abs=1e-9)
    return bench


def test_a_tick_moves_p_by_the_longer_delay() -> None:
    """By alpha (d - target) + beta (d - d_old), from 0 to 1: here 2 and 8 a second, and 10 ms."""
    bench = bench_with(target=10 * MS, alpha=2 << 16, beta=8 << 16)
    base, old, delays = 0.0, 0.0, [0, 0]
    for queue, delay_ms in ((C, 20), (L, 5), (L, 30), (C, 12), (L, 1), (C, 0), (L, 0), (C, 40), (C, 11)):
        wait(bench, queue, delay_ms * MS)
        delays[queue] = delay_ms
        delay = max(delays) / 1000
        base = min(max(0.0, base + 2 * (delay - 0.010) + 8 * (delay - old)), 1.0)
        old = delay
        assert tick(bench) == pytest.approx(base, abs=1e-6)
        assert bench.golden.waited_ns == tuple(delay * MS for delay in delays)
    bench.check()


def test_who_leaves_nothing_behind_has_not_waited() -> None:
    """And the other queue's delay stays; a delay is 4.3 s at most, and after 18 minutes the time begins anew."""
    bench = bench_with()
    wait(bench, C, 20 * MS)
    wait(bench, L, 3 * MS)
    wait(bench, L, 4 * MS, behind=0)
    assert bench.golden.waited_ns == (0, 20 * MS)
    wait(bench, C, (1 << 40) - 1)
    assert bench.golden.waited_ns == (0, (1 << 32) - 1)
    wait(bench, C, (1 << 40) + 7)
    assert bench.golden.waited_ns == (0, 7)
    arrive(bench, ECT0)
    bench.check()


def test_c_goes_with_the_square_and_l_with_a_multiple() -> None:
    """At p' of 1/2 and k of 1: both draws below it, or the first one."""
    bench = at(0.5, coupling=2)
    pairs = ((LOW, LOW), (LOW, HIGH), (HIGH, LOW), (HIGH, HIGH))
    for ecn, taken, number in (
        (NOT_ECT, "Classic drop", 1),
        (ECT0, "Classic mark", 1),
        (ECT1, "Coupled mark", 2),
        (CE, "Coupled mark", 2),
    ):
        assert [arrive(bench, ecn, pair) for pair in pairs] == [taken] * number + ["pass"] * (4 - number)
    bench.check()


def test_overload_drops_both() -> None:
    """At p' of 3/4 and k of 2 packets of either queue go with 9/16, whatever their ECN field; what stays of L is marked."""
    bench = at(0.75)
    below, above = round(0.75 * 2**32) - 1, round(0.75 * 2**32)
    for ecn in (NOT_ECT, ECT1, ECT0, CE):
        stays = "Coupled mark" if ecn & 1 else "pass"
        pairs = ((below, below), (below, above), (above, below), NEVER)
        assert [arrive(bench, ecn, pair) for pair in pairs] == ["Overload drop", stays, stays, stays]
    bench.check()


def test_l_is_not_dropped_at_one_over_k() -> None:
    """k p' is 1: all of L is marked, and C marked and dropped with a quarter."""
    bench = at(0.5)
    assert [arrive(bench, ECT1, pair) for pair in (ALWAYS, NEVER)] == ["Coupled mark"] * 2
    assert [arrive(bench, ecn, ALWAYS) for ecn in (NOT_ECT, ECT0)] == ["Classic drop", "Classic mark"]
    bench.check()


def test_a_step() -> None:
    """Above the threshold all of L is marked; C is not, however long L's delay is."""
    bench = bench_with()
    for waited_ns, verdict in ((MS - 1, "pass"), (MS, "pass"), (MS + 1, "Step mark"), (1 << 33, "Step mark")):
        wait(bench, L, waited_ns)
        assert arrive(bench, ECT1) == verdict
        assert arrive(bench, ECT1, queued=0) == "pass"  # fewer than `min_qlen_step`
        assert arrive(bench, ECT0, ALWAYS) == "pass"
    wait(bench, L, 5 * MS, behind=0)
    assert arrive(bench, ECT1) == "pass"
    bench.check()


def test_a_ramp() -> None:
    """From 800 us on, with 2^19 ns to its end."""
    bench = bench_with(step_thresh=800 * US, ramp_bits=19)
    for beyond, below in ((0, 0), (1, 1 << 13), (1 << 18, 1 << 31), ((1 << 19) - 1, (1 << 32) - (1 << 13))):
        wait(bench, L, 800 * US + beyond)
        draws = [max(0, below - 1), min(below, (1 << 32) - 1)]
        assert [arrive(bench, ECT1, (draw, draw)) for draw in draws] == ["Step mark" if below else "pass", "pass"]
    wait(bench, L, 800 * US + (1 << 19))
    assert arrive(bench, ECT1, NEVER) == "Step mark"
    bench.check()


def test_the_greater_probability_counts_of_both() -> None:
    """One draw for both: with k p' of 1/2 and a ramp at 3/4, a quarter is the ramp's."""
    rng, bench = random.Random(1), at(0.25, step_thresh=0, ramp_bits=20)
    wait(bench, L, 3 << 18)
    for _ in range(10_000):
        arrive(bench, ECT1, (rng.getrandbits(32), rng.getrandbits(32)))
    assert bench.verdicts["Coupled mark"] / 10_000 == pytest.approx(0.5, abs=0.02)
    assert bench.verdicts["Step mark"] / 10_000 == pytest.approx(0.25, abs=0.02)
    bench.check()


def test_a_step_in_packets() -> None:
    """L is marked where more are queued, at once."""
    bench = bench_with(step_packets=20)
    assert [arrive(bench, ECT1, queued=queued) for queued in (20, 21, 200)] == ["pass", "Step mark", "Step mark"]
    assert arrive(bench, ECT0, queued=200) == "pass"
    bench.check()


def test_a_short_classic_queue_is_let_alone() -> None:
    """While less than `min_bytes` are queued in it; L is marked all the same, for C's delay."""
    bench = at(0.5, min_bytes=3028)
    assert [arrive(bench, ECT0, ALWAYS, queued=queued) for queued in (0, 3, 4)] == ["pass", "pass", "Classic mark"]
    assert arrive(bench, ECT1, ALWAYS, queued=0) == "Coupled mark"
    bench.check()
