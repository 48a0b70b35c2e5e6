# SPDX-License-Identifier: Apache-2.0
"""COBALT's corners, from Linux' sch_cake. The bench compares every verdict with the model; what the verdicts must amount to
stands here."""

from __future__ import annotations

import math

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival, Head
from sluice_golden.cobalt import BLUE_DROP, TARGET_DROP, TARGET_MARK

MS = 1_000_000
EPOCH_NS = 1 << 42
ONE = 1 << 31
NEVER, ALWAYS = 0xFFFFFFFF, 0


def bench_with(**raw: int) -> CoreBench:
    """A core in which the given parameters are in force."""
    bench = CoreBench("cobalt")
    bench.apply(bench.model.defaults() | raw)
    return bench


def head(now_ns: float, delay_ns: int, *, draw: int = NEVER, behind: int = 20, is_ect: bool = False) -> Cycle:
    """A head some time after an epoch that is longer ago than any delay."""
    now = round(now_ns) + EPOCH_NS
    return Cycle(head=Head(now, 1, 1000, draw, queue_packets=behind, is_ect=is_ect, queued_ns=now - delay_ns))


def ask(bench: CoreBench, cycle: Cycle) -> str:
    """The reason of a head's verdict, when the ones behind it may come."""
    bench.step(cycle)
    if bench.heads[-1].verdict.restart:
        bench.idle(bench.head_latency)
    return bench.heads[-1].verdict.reason


def overflow(bench: CoreBench, now_ns: int) -> None:
    """A packet comes that finds no room."""
    bench.step(Cycle(Arrival(now_ns + EPOCH_NS, 1, 1000, 0, 20, 20_000, (0,)), is_over=True))
    bench.idle(bench.latency + 2)


def enter(bench: CoreBench, now_ns: int) -> None:
    """Packets above the target from this time on; the one before it was not long ago."""
    ask(bench, head(now_ns - 1, 0))
    assert ask(bench, head(now_ns, 6 * MS)) == ""


def test_nothing_before_the_interval_is_over() -> None:
    """At its very end the packet goes, 1 ns before it stays; above the target, and not at it."""
    bench = bench_with()
    enter(bench, 10 * MS)
    for now, delay, reason in (
        (60 * MS, 6 * MS, ""),
        (110 * MS - 1, 6 * MS, ""),
        (110 * MS, 5 * MS + 1, TARGET_DROP),
        (110 * MS, 6 * MS, ""),
    ):
        assert ask(bench, head(now, delay)) == reason
    bench.check()


def test_a_target_that_is_met_is_no_reason() -> None:
    bench = bench_with()
    enter(bench, 10 * MS)
    assert ask(bench, head(110 * MS, 5 * MS)) == ""
    assert bench.golden.count == 0  # and what was counted is forgiven
    bench.check()


def test_the_first_packet_after_a_pause_begins_at_once() -> None:
    """More than an interval after the last packet: the one behind it goes. A full interval is not more."""
    for pause, reason in ((100 * MS, ""), (100 * MS + 1, TARGET_DROP)):
        bench = bench_with()
        ask(bench, head(0, 0))
        assert ask(bench, head(pause, 6 * MS)) == ""
        assert ask(bench, head(pause, 6 * MS)) == reason
        bench.check()


def test_the_count_rises_and_falls_by_its_root() -> None:
    """600 drops at the sums of interval / sqrt(n), none a moment before; then as many steps down, none too soon."""
    bench = bench_with()
    enter(bench, 0)
    due, most = 100.0 * MS, 600
    for count in range(2, most + 2):
        assert ask(bench, head(due - 40_000, 6 * MS)) == ""
        assert ask(bench, head(due + 20_000, 6 * MS)) == TARGET_DROP
        assert bench.golden.count == count
        due += 100 * MS / math.sqrt(count)
    for count in range(most, -1, -1):
        ask(bench, head(due - 40_000, 0))
        assert bench.golden.count == count + 1
        ask(bench, head(due + 20_000, 0))
        assert bench.golden.count == count
        due += 100 * MS / math.sqrt(max(1, count))
    bench.check()


def test_a_packet_falls_by_one_step_alone() -> None:
    """However long the pause was: the packets behind it take the other steps."""
    bench = bench_with()
    enter(bench, 0)
    for now in (100, 171, 230):
        assert ask(bench, head(now * MS, 6 * MS)) == TARGET_DROP
    counts = []
    for _ in range(5):
        ask(bench, head(10_000 * MS, 0))
        counts.append(bench.golden.count)
    assert counts == [3, 2, 1, 0, 0]
    bench.check()


def test_marks_what_is_capable() -> None:
    """And one that comes late counts from its own time, where a drop counts from when it was due."""
    bench = bench_with(ecn=1)
    enter(bench, 0)
    assert ask(bench, head(500 * MS, 6 * MS, is_ect=True)) == TARGET_MARK
    assert ask(bench, head(500 * MS, 6 * MS, is_ect=False)) == TARGET_DROP  # due at once, because the mark was late
    assert bench.golden.count == 3
    bench.check()


@pytest.mark.parametrize(("draw", "reason"), [(NEVER, ""), (1 << 24, ""), ((1 << 24) - 1, BLUE_DROP)])
@pytest.mark.parametrize("is_ect", [False, True])
def test_an_overflow_raises_the_probability(draw: int, reason: str, *, is_ect: bool) -> None:
    """From 0 to 1/256; and what is ECN-capable goes as well."""
    bench = bench_with(ecn=1)
    overflow(bench, 0)
    assert ask(bench, head(1, 0, draw=draw, is_ect=is_ect)) == reason
    bench.check()


def test_overflows_of_one_target_are_one() -> None:
    """The next one that counts is later than that; an empty queue lowers the probability, once until a packet comes."""
    bench = bench_with(increment=ONE >> 2, decrement=ONE >> 3)
    wanted = 0
    for now, quarters in ((0, 1), (MS, 1), (5 * MS, 1), (5 * MS + 1, 2), (20 * MS, 3), (30 * MS, 4), (40 * MS, 4)):
        overflow(bench, now)
        wanted = quarters * ONE >> 2
        assert bench.golden.probability == wanted
    for now in (50, 60):
        bench.step(Cycle(found_empty_ns=EPOCH_NS + now * MS))
        assert bench.golden.probability == ONE - (ONE >> 3)
    bench.check()


def test_an_overflow_makes_the_next_packet_due() -> None:
    """If it is above the target."""
    bench = bench_with(increment=0)
    ask(bench, head(0, 0))
    overflow(bench, MS)
    assert ask(bench, head(2 * MS, 6 * MS)) == TARGET_DROP
    overflow(bench, 3 * MS)
    assert ask(bench, head(4 * MS, MS)) == ""
    assert bench.golden.count == 1
    bench.check()


def test_the_last_packet_is_never_dropped() -> None:
    """It may be marked; and the count goes on."""
    for is_ect, draw in ((False, NEVER), (False, ALWAYS), (True, NEVER), (True, ALWAYS)):
        bench = bench_with(ecn=1, increment=ONE)
        ask(bench, head(0, 0))
        overflow(bench, MS)
        assert ask(bench, head(200 * MS, 6 * MS, behind=0, is_ect=is_ect, draw=draw)) == TARGET_MARK * is_ect
        assert bench.golden.count == 2
        assert ask(bench, head(200 * MS, 0, behind=1, is_ect=is_ect, draw=ALWAYS)) == BLUE_DROP
        bench.check()


def test_four_packets_of_a_slow_link_are_accepted() -> None:
    """4 x 12 ms at 1 Mbit/s, whatever the target."""
    bench = bench_with(mtu_time=12 * MS)
    overflow(bench, 0)
    assert ask(bench, head(1 * MS, 48 * MS)) == ""
    overflow(bench, 2 * MS)
    assert ask(bench, head(3 * MS, 48 * MS + 1)) == TARGET_DROP
    bench.check()


def test_heads_behind_a_step_do_not_count() -> None:
    """They come again: presented in every clock, one in 18 is judged while a drop is due all the time."""
    bench = bench_with(interval=1)
    ask(bench, head(0, 0))
    ask(bench, head(10 * MS, 6 * MS))
    bench.verdicts.clear()
    bench.play([head(20 * MS, 6 * MS)] * (bench.head_latency + 1) * 40)
    assert bench.verdicts == {TARGET_DROP: 40}
    bench.check()
