# SPDX-License-Identifier: Apache-2.0
"""BLUE's corners: which losses and idle times move the probability, by how much, and which do not. The bench compares every
verdict and the probability with the model; what they must amount to stands here."""

from __future__ import annotations

import random

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival
from sluice_golden.blue import Blue

ONE = 1 << 31
MS = 1_000_000
UP, DOWN = Blue.defaults()["increment"], Blue.defaults()["decrement"]


def bench_with(**raw: int) -> CoreBench:
    """A core in which the given raw parameters are in force."""
    bench = CoreBench("blue")
    bench.apply(Blue.defaults() | raw)
    return bench


def arrive(bench: CoreBench, now_ns: int, packets: int = 0, is_over: bool = False, draw: int = 0xFFFFFFFF) -> None:
    """A packet, and its fate."""
    bench.step(Cycle(Arrival(now_ns, 1, 1000, 2, packets, 1000 * packets, (draw,)), is_over=is_over))
    bench.idle(bench.latency + 2)


def lose(bench: CoreBench, now_ns: int) -> None:
    arrive(bench, now_ns, is_over=True)


def ask_in_vain(bench: CoreBench, now_ns: int) -> None:
    bench.step(Cycle(found_empty_ns=now_ns))


def test_losses_and_idle_times() -> None:
    """The defaults: d1 = 0.0025 up, d2 = 0.00025 down, at most once in 100 ms, and d2 for each 100 ms of a long idle time."""
    bench = bench_with()
    trace = [
        (lose, 200 * MS, UP),
        (lose, 250 * MS, UP),  # frozen
        (lose, 300 * MS, UP),  # not more than 100 ms later
        (lose, 300 * MS + 1, 2 * UP),
        (ask_in_vain, 350 * MS, 2 * UP),  # frozen
        (arrive, 400 * MS + 1, 2 * UP),  # still
        (ask_in_vain, 450 * MS, 2 * UP - DOWN),
        (arrive, 549 * MS, 2 * UP - DOWN),  # frozen by the beginning of the idle time
        (ask_in_vain, 600 * MS, 2 * UP - 2 * DOWN),
        (ask_in_vain, 800 * MS, 2 * UP - 2 * DOWN),  # counts when the idle time is over
        (arrive, 1_250 * MS, 2 * UP - 8 * DOWN),  # six times 100 ms, and a rest
        (lose, 1_350 * MS, 2 * UP - 8 * DOWN),  # frozen by the end of the idle time
        (ask_in_vain, 1_350 * MS + 1, 2 * UP - 9 * DOWN),
        (arrive, 1_450 * MS + 1, 2 * UP - 9 * DOWN),  # not more than 100 ms later
        (lose, 1_450 * MS + 2, 3 * UP - 9 * DOWN),
        (ask_in_vain, 1_500 * MS, 3 * UP - 9 * DOWN),  # frozen
        (arrive, 1_550 * MS + 3, 3 * UP - 10 * DOWN),  # over in the idle time
        (ask_in_vain, 2_000 * MS, 3 * UP - 11 * DOWN),
        (arrive, 20_000 * MS, 0),
    ]
    for happens, now_ns, expected in trace:
        happens(bench, now_ns)
        assert bench.golden.status()["probability_now"] == expected, f"at {now_ns} ns"
        arrive(bench, now_ns) if happens is lose else None  # on which the hardware shows it
    bench.check()


def test_the_probability_stays_between_0_and_1() -> None:
    bench = bench_with(increment=ONE // 2 + 1, decrement=ONE // 2, freeze_time=1)
    for now_ns, expected in ((10, ONE // 2 + 1), (20, ONE)):
        lose(bench, now_ns)
        assert bench.golden.status()["probability_now"] == expected
    bench.verdicts.clear()
    arrive(bench, 30)
    assert bench.verdicts == {"Unforced drop": 1}
    bench.verdicts.clear()
    for now_ns, expected in ((50, ONE // 2), (60, 0), (70, 0)):
        ask_in_vain(bench, now_ns)
        arrive(bench, now_ns)
        assert bench.golden.status()["probability_now"] == expected
    assert bench.verdicts == {"pass": 3}
    bench.check()


def test_a_refused_packet_is_no_loss() -> None:
    bench = bench_with(increment=ONE, freeze_time=1)
    lose(bench, 10)
    for now_ns in range(20, 100, 10):
        arrive(bench, now_ns, is_over=True)
    assert bench.verdicts["Unforced drop"] == 8
    ask_in_vain(bench, 1_000)
    assert bench.golden.status()["probability_now"] == ONE - DOWN
    assert bench.golden.frozen_until_ns == 1_001  # nothing since the loss has frozen it
    bench.check()


def test_a_long_queue_counts_as_a_loss() -> None:
    """From one packet more than the threshold on, before the arrival's own draw; with threshold 0 never."""
    for threshold, packets, verdict in ((20, 20, "pass"), (20, 21, "Unforced drop"), (0, 1000, "pass")):
        bench = bench_with(increment=ONE, threshold=threshold)
        arrive(bench, 10, packets)
        assert bench.verdicts == {verdict: 1}
        bench.check()


@pytest.mark.parametrize("idle_ns", [1, 999, 1_001, 12_345, 65_535_999, 65_536_000, 1 << 60])
def test_an_idle_time_is_as_long_however_it_is_seen(idle_ns: int) -> None:
    """A link that asks in every clock, or once before a jump of the time."""
    seen = []
    for asks in (1, 7, 500):
        bench = bench_with(increment=ONE, decrement=3, freeze_time=1_000)
        lose(bench, 5_000)
        for i in range(asks):
            ask_in_vain(bench, 10_000 + i * idle_ns // asks)
        arrive(bench, 10_000 + idle_ns)
        seen.append(bench.golden.status()["probability_now"])
        bench.check()
    steps = 1 + (idle_ns // 1_000 if idle_ns > 1_000 else 0)
    assert seen == [ONE - 3 * steps if steps <= 65_536 else 0] * 3


def test_drop_rate_is_the_probability() -> None:
    for ecn, reason in ((0, "Unforced drop"), (1, "Unforced mark")):
        bench, rng = bench_with(increment=ONE // 10, ecn=ecn), random.Random(1)
        lose(bench, 10)
        bench.verdicts.clear()
        for _ in range(30_000):
            bench.step(Cycle(Arrival(20, 1, 1000, 2, 5, 5000, (rng.getrandbits(32),))))
        assert set(bench.verdicts) == {"pass", reason}
        assert abs(bench.verdicts[reason] / 3_000 - 1) < 0.05
        bench.check()


def test_what_is_beyond_mark_most_is_dropped() -> None:
    for most, reason in ((ONE // 10, "Unforced mark"), (ONE // 10 - 1, "Unforced drop")):
        bench = bench_with(increment=ONE // 10, ecn=1, mark_most=most)
        lose(bench, 10)
        bench.step(Cycle(Arrival(20, 1, 1000, 2, 5, 5000, (0,))))
        assert bench.judged[-1].verdict.reason == reason
        bench.check()
