# SPDX-License-Identifier: Apache-2.0
"""Corners of PI2: by how much a tick moves p', which delay it finds, and what becomes of a packet then. The bench compares every
verdict and the whole state with the model; what they must amount to stands here."""

from __future__ import annotations

import random

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival, Head

MS = 1_000_000
ONE = 1 << 40
RATE = 1 << 22  # a byte in 16 ns
EPOCH_NS = 1 << 42
NEVER = (0xFFFFFFFF,) * 2
ALWAYS = (0, 0)


def bench_with(config: str, **raw: int) -> CoreBench:
    """A core in which the given raw parameters are in force; a packet goes however little is queued."""
    bench = CoreBench(config)
    own = {"rate": RATE} if config == "pi2" else {}
    bench.apply(bench.model.defaults() | {"min_bytes": 0} | own | raw)
    return bench


def arrive(bench: CoreBench, queued: int, words: tuple[int, int] = NEVER, ecn: int = 0) -> str:
    """The verdict on a packet that finds so many bytes queued, which is what a tick finds next."""
    bench.step(Cycle(Arrival(0, 1, 1000, ecn, queued // 1000, queued, words)))
    bench.idle(bench.latency + 2)
    return bench.judged[-1].verdict.action


def leave(bench: CoreBench, waited_ns: int, behind: int = 5000, tag: int = 0xFFFFFFFF, *, is_ect: bool = False) -> str:
    head = Head(EPOCH_NS, 1, 1000, tag=tag, queue_bytes=behind, is_ect=is_ect, queued_ns=EPOCH_NS - waited_ns)
    bench.step(Cycle(head=head))
    return bench.heads[-1].verdict.action


def tick(bench: CoreBench) -> float:
    """What p' is then."""
    bench.tick("update", bench.now_ns)
    return float(bench.golden.p) / ONE


def test_a_tick_moves_p_by_the_delay() -> None:
    """By alpha (d - target) + beta (d - d_old), from 0 to `max_base`: here 2 and 8 a second, 10 ms, and 1/4."""
    bench = bench_with("pi2", target=10 * MS, alpha=2 << 16, beta=8 << 16, max_base=1 << 29)
    base, old = 0.0, 0.0
    for delay_ms in (10, 12, 12, 9, 9, 30, 60, 60, 40, 10, 10, 0, 0):
        arrive(bench, delay_ms * MS // 16)
        delay = delay_ms / 1000
        base = min(max(0.0, base + 2 * (delay - 0.010) + 8 * (delay - old)), 0.25)
        old = delay
        assert tick(bench) == pytest.approx(base, abs=1e-6)
        assert bench.golden.delay_ns == delay_ms * MS
    bench.check()


def test_a_delay_is_4_3_s_at_most() -> None:
    """Of 64 MiB and a link of 120 bit/s as well; p' is 1 then."""
    bench = bench_with("pi2", rate=1, max_base=1 << 31)
    arrive(bench, (1 << 26) - 1)
    assert tick(bench) == 1.0
    assert bench.golden.delay_ns == (1 << 32) - 1
    assert arrive(bench, 0) == "drop"
    bench.check()


def test_the_time_that_the_last_packet_waited() -> None:
    """None where nothing is behind it, or since the queue was found empty."""
    bench = bench_with("pi2-head")
    for waited_ns, delay_ns in ((3 * MS, 3 * MS), (1 << 33, (1 << 32) - 1)):
        leave(bench, waited_ns)
        for _ in range(2):
            tick(bench)
            assert bench.golden.delay_ns == delay_ns
    leave(bench, 3 * MS, behind=0)
    tick(bench)
    assert bench.golden.delay_ns == 0
    leave(bench, 3 * MS)
    bench.idle(bench.head_latency + 1)
    bench.step(Cycle(found_empty_ns=EPOCH_NS))
    tick(bench)
    assert bench.golden.delay_ns == 0
    bench.check()


def at_half(config: str, **raw: int) -> CoreBench:
    """A core whose p' has come to its default bound, 1/2."""
    bench = bench_with(config, alpha=0xFFFFFFFF, **raw)
    if config == "pi2":
        arrive(bench, 50 * MS // 16)
    else:
        leave(bench, 50 * MS)
    assert tick(bench) == 0.5
    return bench


def test_both_draws_must_be_below_p() -> None:
    """For a Classic packet; for a scalable one that is coupled the first one below k p'."""
    low, high = 0x7FFFFFFF, 0x80000000
    pairs = ((low, low), (low, high), (high, low), (high, high))
    bench = at_half("pi2", coupling=0)
    for ecn in (0, 1, 2, 3):
        assert [arrive(bench, 5000, pair, ecn) for pair in pairs] == ["drop", "pass", "pass", "pass"]
    bench.check()
    bench = at_half("pi2", coupling=2)  # k is 1
    for ecn, actions in ((0, "drop pass pass pass"), (1, "drop drop pass pass"), (3, "drop drop pass pass")):
        assert [arrive(bench, 5000, pair, ecn) for pair in pairs] == actions.split()
    bench.check()
    bench = at_half("pi2", coupling=4)  # k is 2: p is 1
    assert [arrive(bench, 5000, NEVER, ecn) for ecn in (1, 2)] == ["drop", "pass"]
    bench.check()


def test_the_square_in_numbers() -> None:
    """A quarter of Classic packets goes at p' of 1/2, and half of scalable ones with k of 1; marked where that can be."""
    rng, bench = random.Random(1), at_half("pi2", coupling=2, ecn=1)
    for ecn, reason, share in ((0, "Unforced drop", 0.25), (2, "Unforced mark", 0.25), (1, "Unforced mark", 0.5)):
        before = bench.verdicts[reason]
        for _ in range(10_000):
            words = (rng.getrandbits(32), rng.getrandbits(32))
            bench.step(Cycle(Arrival(bench.now_ns, 1, 1000, ecn, 5, 5000, words)))
        assert (bench.verdicts[reason] - before) / 10_000 == pytest.approx(share, abs=0.02)
    bench.check()


def test_a_short_queue_is_let_alone() -> None:
    """While less than `min_bytes` are queued."""
    bench = at_half("pi2", min_bytes=3028)
    assert [arrive(bench, queued, ALWAYS) for queued in (0, 3027, 3028)] == ["pass", "pass", "drop"]
    bench.check()


def test_the_draw_travels_with_the_packet() -> None:
    """The greater one, or the first one of a packet that is coupled; it is judged by the p' of when it leaves."""
    bench = at_half("pi2-head", coupling=2, ecn=1)
    for ecn, words, tag in ((0, (5, 7), 7), (0, (7, 5), 7), (1, (5, 7), 1 << 32 | 5), (2, (5, 7), 7)):
        assert arrive(bench, 5000, words, ecn) == "pass"
        assert bench.judged[-1].verdict.tag == tag
    low, coupled = 0x7FFFFFFF, 1 << 32
    for tag, action in ((low, "drop"), (low + 1, "pass"), (coupled | low, "drop"), (coupled | low + 1, "pass")):
        assert leave(bench, 0, tag=tag) == action
        assert leave(bench, 0, tag=tag, is_ect=True) == action.replace("drop", "mark")
    bench.check()


def test_a_queue_of_many_makes_up_for_its_ticks() -> None:
    """Of updates that each add 1/1,024 its next head finds none, one, several; of more than 1,024 so many, and of as many as the
    count has numbers, and three, three. The RTL is compared at the end."""
    bench = bench_with("fq-pi2-1k", target=0, alpha=1 << 16, beta=0, max_base=1 << 31)
    step = 976_563  # ns of delay, that one a second makes 1/1,024

    def leave_and_wait(waited_ns: int) -> float:
        leave(bench, waited_ns)
        bench.idle(bench.head_latency)
        return float(bench.golden.p) / ONE

    def after(ticks: int) -> float:
        for _ in range(ticks):
            tick(bench)
        return leave_and_wait(step)

    expected = 0
    leave_and_wait(step)
    for missed in (0, 1, 2, 40, 0, 0, 1, 900, (1 << 16) + 3):
        expected += missed % (1 << 16)
        assert after(missed) == pytest.approx(expected / 1024, abs=1e-6)
    # It falls by as much, then rises and falls by half of it.
    for target, alpha, missed, base in (
        (2 * step, 1 << 16, (1 << 15) + 2, 0.0),
        (0, 1 << 15, 1100, 0.5),
        (2 * step, 1 << 14, 1100, 0.25),
    ):
        bench.apply(bench.model.defaults() | {"target": target, "alpha": alpha, "beta": 0})
        leave_and_wait(step)
        assert after(missed) == pytest.approx(base, abs=1e-6)
    bench.check()
