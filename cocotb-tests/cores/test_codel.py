# SPDX-License-Identifier: Apache-2.0
"""CoDel's corners, from RFC 8289 and Linux. The bench compares every verdict with the model; what the verdicts must amount to
stands here."""

from __future__ import annotations

import math

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Head
from sluice_golden.codel import Codel

MS = 1_000_000
EPOCH_NS = 1 << 42
DROP, MARK, CE_MARK = (verdict.reason for verdict in Codel.head_reasons)


def bench_with(**raw: int) -> CoreBench:
    """A core in which the given parameters are in force."""
    bench = CoreBench("codel")
    bench.apply(Codel.defaults() | raw)
    return bench


def head(now_ns: int, delay_ns: int, behind: int = 30_000, *, is_ect: bool = False) -> Cycle:
    """A head some time after an epoch that is longer ago than any delay."""
    now_ns += EPOCH_NS
    return Cycle(head=Head(now_ns, 1, 1000, queue_bytes=behind, is_ect=is_ect, queued_ns=now_ns - delay_ns))


def ask(bench: CoreBench, cycle: Cycle) -> str:
    """The reason of a head's verdict, when the ones behind it may come."""
    bench.step(cycle)
    if bench.heads[-1].verdict.restart:
        bench.idle(bench.head_latency)
    return bench.heads[-1].verdict.reason


def test_nothing_before_the_interval_is_over() -> None:
    """At its very end a packet still passes, 1 ns later it goes; and just as it goes, the next one stays."""
    bench = bench_with()
    for now, reason in ((10 * MS, ""), (60 * MS, ""), (110 * MS, ""), (110 * MS + 1, DROP), (110 * MS + 1, "")):
        assert ask(bench, head(now, 5 * MS)) == reason
    bench.check()


def test_one_good_packet_ends_it() -> None:
    """A delay 1 ns below the target, or no more than `min_bytes` behind a packet: the interval begins anew."""
    for delay, behind in ((5 * MS - 1, 30_000), (50 * MS, 1500)):
        bench = bench_with()
        for now in range(10, 109):
            bench.step(head(now * MS, 5 * MS, behind=1501))
        bench.step(head(109 * MS, delay, behind))
        assert [ask(bench, head(now * MS, 5 * MS)) for now in range(110, 212)] == [""] * 101 + [DROP]
        bench.check()


def test_an_empty_queue_ends_it() -> None:
    bench = bench_with()
    bench.step(head(10 * MS, 5 * MS))
    bench.idle(bench.head_latency)
    bench.step(Cycle(found_empty_ns=EPOCH_NS + 11 * MS))
    bench.step(head(200 * MS, 5 * MS))
    bench.step(head(300 * MS, 5 * MS))
    assert set(bench.verdicts) == {"head pass"}
    bench.check()


def test_the_gaps_shrink_with_the_root_of_the_count() -> None:
    """1,023 drops, for which the table has a root each: none before the sum of the interval / sqrt(n), and one right after."""
    bench = bench_with(interval=100 * MS)
    bench.step(head(0, 20 * MS))
    due = 100 * MS + 1.0
    assert ask(bench, head(math.ceil(due), 20 * MS)) == DROP
    bench.step(head(math.ceil(due), 20 * MS))  # sent, because the first one was dropped
    for count in range(1, 1023):
        due += 100 * MS / math.sqrt(count)
        rounding = count + due * 2**-17
        assert ask(bench, head(math.floor(due - rounding), 20 * MS)) == ""
        assert ask(bench, head(math.ceil(due + rounding), 20 * MS)) == DROP
    assert bench.golden.count == 1023
    bench.check()


def test_packets_of_a_backlog_go_at_once() -> None:
    """After a pause of many gaps the heads that follow a drop are dropped as well, until the next is due in the future."""
    bench = bench_with(interval=100 * MS)
    bench.step(head(10 * MS, 20 * MS))
    assert ask(bench, head(111 * MS, 20 * MS)) == DROP
    assert ask(bench, head(111 * MS, 20 * MS)) == ""
    reasons = [ask(bench, head(500 * MS, 20 * MS)) for _ in range(8)]
    assert reasons == [DROP] * 6 + [""] * 2  # due at 211, 281.7, 339.4, 389.4, 434.2, 475 and 512.8 ms
    bench.check()


@pytest.mark.parametrize("is_ect", [False, True])
@pytest.mark.parametrize(("early", "count"), [(1, 5), (0, 1)])
def test_a_rate_that_was_right_is_taken_up_again(early: int, count: int, *, is_ect: bool) -> None:
    """Less than 16 intervals after the next drop was due the count goes on where it was, less what it began with; later it begins
    with 1. A drop behind which the delay is good again has not moved that time, a mark has."""
    bench = bench_with(ecn=1)
    now, due = 0, 0
    while bench.golden.count < 6:
        now += MS
        due = bench.golden.drop_next_ns - EPOCH_NS
        ask(bench, head(now, 20 * MS, is_ect=is_ect))
    if is_ect:
        due = bench.golden.drop_next_ns - EPOCH_NS
    bench.step(head(now, 1 * MS))
    again = due + 1600 * MS - early
    bench.step(head(again - 101 * MS, 20 * MS))
    assert ask(bench, head(again, 20 * MS)) == DROP
    assert bench.golden.count == count
    bench.check()


def test_marks_what_is_capable() -> None:
    """With ECN the packet is marked and sent, and the count goes on as after a drop; others are dropped."""
    bench = bench_with(ecn=1)
    bench.step(head(10 * MS, 20 * MS, is_ect=True))
    assert ask(bench, head(111 * MS, 20 * MS, is_ect=True)) == MARK
    assert ask(bench, head(211 * MS, 20 * MS, is_ect=False)) == DROP
    assert bench.golden.count == 2
    bench.check()


@pytest.mark.parametrize(
    ("most", "delay", "reason"),
    [
        (0, 5 * MS, DROP),
        (1, 5 * MS, MARK),
        (1, 5 * MS + 1, DROP),
        (254, 1270 * MS, MARK),
        (254, 1270 * MS + 1, DROP),
        (254, 1 << 33, DROP),
        (255, 1 << 40, MARK),
    ],
)
def test_what_has_waited_beyond_mark_most_is_dropped(most: int, delay: int, reason: str) -> None:
    """A packet that could be marked, so many times the target: 5 ms."""
    bench = bench_with(ecn=1, mark_most=most)
    bench.step(head(10 * MS, 20 * MS, is_ect=True))
    assert ask(bench, head(111 * MS, delay, is_ect=True)) == reason
    bench.check()


def test_the_ce_threshold_marks_beside_the_law() -> None:
    """Above it, not at it, every ECN-capable packet, with `ecn` off as well; and the law does not hear of it."""
    bench = bench_with(ce_threshold=MS)
    for delay, is_ect, reason in (
        (MS, True, ""),
        (MS + 1, True, CE_MARK),
        (MS + 1, False, ""),
        (1 << 40, True, CE_MARK),
    ):
        assert ask(bench, head(0, delay, is_ect=is_ect)) == reason
    assert ask(bench, head(101 * MS, 20 * MS, is_ect=True)) == DROP
    bench.check()


def test_heads_behind_a_drop_do_not_count() -> None:
    """They come again: presented in every clock, one in 17 is judged while a drop is due all the time."""
    bench = bench_with(interval=1)
    bench.step(head(10 * MS, 20 * MS))
    assert ask(bench, head(11 * MS, 20 * MS)) == DROP
    assert ask(bench, head(20 * MS, 20 * MS)) == ""
    bench.verdicts.clear()
    bench.play([head(20 * MS, 20 * MS)] * (bench.head_latency + 1) * 40)
    assert bench.verdicts == {DROP: 40}
    bench.check()
