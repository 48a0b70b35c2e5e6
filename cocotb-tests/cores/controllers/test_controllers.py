# SPDX-License-Identifier: Apache-2.0
"""Corners of REM, PI and AVQ: what a tick or a packet moves, by how much, and what becomes of a packet then. The bench
compares every verdict and the whole state with the model; what they must amount to stands here."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival, Head

ONE = 1 << 31
NEVER = 0xFFFFFFFF  # a draw that takes only what is certain


def bench_with(config: str, **raw: int) -> CoreBench:
    """A core in which the given raw parameters are in force."""
    bench = CoreBench(config)
    bench.apply(bench.model.defaults() | raw)
    return bench


def arrive(bench: CoreBench, now_ns: int = 0, queue: int = 0, size: int = 1000, ecn: int = 0, draw: int = NEVER) -> str:
    """The verdict on a packet that finds so many packets of 1,000 bytes queued, which is what a tick finds next."""
    words = (draw,) * bench.model.random_words
    bench.step(Cycle(Arrival(now_ns, 1, size, ecn, queue, 1000 * queue, words)))
    bench.idle(bench.latency + 2)
    return bench.judged[-1].verdict.action


def tick(bench: CoreBench, now_ns: int = 0) -> None:
    bench.tick("update", now_ns)


def share(bench: CoreBench, reason: str, packets: int, sizes: tuple[int, ...] = (1000,), ecn: int = 0) -> float:
    """The part of so many packets that has a reason."""
    rng = random.Random(1)
    before = bench.verdicts[reason]
    for _ in range(packets):
        arrival = Arrival(bench.now_ns, 1, rng.choice(sizes), ecn, 0, 0, (rng.getrandbits(32),))
        bench.step(Cycle(arrival))
    return (bench.verdicts[reason] - before) / packets


def test_rem_price_follows_queue_and_load() -> None:
    """gain (alpha (b - b*) + x - c) a tick, and never below 0. Here gain is 2^-11, alpha 1/4, b* 20 and c 3."""
    bench = bench_with("rem", gain=1 << 31, alpha=1 << 16, target=20, capacity=3 << 14)
    unit = 1 << 25  # a packet of mismatch, in the price
    price = 0
    moves = ((3, 20, 0), (4, 20, 1), (3, 24, 1), (3, 60, 10), (1, 20, -2), (9, 0, 1), (1, 8, -5))
    for arrivals, queue, mismatch in moves:
        for _ in range(arrivals):
            arrive(bench, queue=queue)
        tick(bench)
        price += mismatch * unit
        assert bench.golden.price.price == price
    for _ in range(2):
        tick(bench)  # nothing has come: the load is 3 too small, and the queue 12 too short
        price = max(0, price - 6 * unit)
        assert bench.golden.price.price == price
    assert price == 0
    bench.check()


def test_rem_counts_what_it_drops() -> None:
    """Arrivals make the price, whatever becomes of them; and at the highest price everything goes that has a draw below
    1 - 2^-16."""
    bench = bench_with("rem", gain=NEVER, alpha=0, capacity=0)
    for _ in range(17_000):
        bench.step(Cycle(Arrival(0, 1, 1000, 0, 0, 0, (0,))))
    tick(bench)
    assert bench.golden.price.price == (1 << 40) - 1
    assert bench.golden.probability == ONE - (1 << 15)
    assert [arrive(bench, draw=draw) for draw in (0, NEVER - (1 << 16), NEVER)] == ["drop", "drop", "pass"]
    assert bench.golden.price.counted == 3 * 256
    bench.check()


def test_rem_counts_64_mib_at_most() -> None:
    """From there on an interval is as if no more had come."""
    bench = bench_with("rem", byte_mode=1, alpha=0, capacity=0)
    for _ in range(1_100):
        bench.step(Cycle(Arrival(0, 1, 65_535, 0, 0, 0, (NEVER,))))
    assert bench.golden.price.counted == (1 << 26) - 1
    tick(bench)
    arrive(bench)
    bench.check()


@pytest.mark.parametrize("config", ["rem", "pi"])
def test_a_packet_is_taken_by_its_size(config: str) -> None:
    """In byte mode in proportion to bytes / avpkt; else all alike."""
    for byte_mode in (0, 1):
        own = {"gain": 1 << 31, "alpha": 1 << 17, "capacity": 0} if config == "rem" else {"a": NEVER, "b": 0}
        bench = bench_with(config, byte_mode=byte_mode, target=0, ecn=1, **own)
        arrive(bench, queue=60)
        tick(bench)
        p = bench.golden.probability / ONE
        assert 0.002 < p < 0.5
        for size in (500, 1000, 2000):
            factor = size / 1000 if byte_mode else 1
            assert share(bench, "Unforced drop", 30_000, (size,)) == pytest.approx(p * factor, rel=0.15)
            assert share(bench, "Unforced mark", 30_000, (size,), ecn=1) == pytest.approx(p * factor, rel=0.15)
        bench.check()


@pytest.mark.parametrize("config", ["rem", "rem-head", "pi"])
def test_what_is_beyond_mark_most_is_dropped(config: str) -> None:
    """At `mark_most` a packet that can be marked is marked, at the head as well; above it it is dropped, and so when it comes."""
    own = {"a": NEVER, "b": 0} if config == "pi" else {"gain": 1 << 31, "alpha": 1 << 17, "capacity": 0}
    bench = bench_with(config, target=0, ecn=1, **own)
    arrive(bench, queue=60)
    tick(bench)
    p = bench.golden.probability
    assert p > 1
    for most, action in ((p, "pass" if config == "rem-head" else "mark"), (p - 1, "drop")):
        bench.apply(bench.golden.parameters | {"mark_most": most})
        assert arrive(bench, ecn=1, draw=0) == action
    bench.check()


def test_rem_marks_at_the_head_by_the_draw_of_the_arrival() -> None:
    """What can be marked passes, and is marked when it leaves, by the probability of then; what cannot is dropped when it
    comes."""
    bench = bench_with("rem-head", gain=1 << 31, alpha=0, capacity=0, ecn=1)
    assert arrive(bench, ecn=1, draw=0) == "pass"
    tag = bench.judged[-1].verdict.tag
    head = Head(0, 1, 1000, tag=tag, is_ect=True)
    verdicts = []
    for _ in range(2):
        bench.step(Cycle(head=head))
        bench.step(Cycle(head=replace(head, is_ect=False)))
        bench.step(Cycle(head=replace(head, tag=NEVER)))
        verdicts.append([judged.verdict.action for judged in bench.heads[-3:]])
        arrive(bench)
        tick(bench)
    assert verdicts == [["pass"] * 3, ["mark", "pass", "pass"]]
    assert arrive(bench, ecn=0, draw=0) == "drop"
    bench.check()


def test_pi_moves_until_the_queue_is_as_wanted() -> None:
    """At a constant queue by (a - b) (q - q_ref) a tick, at the wanted one by nothing, from 0 to 1 and no further."""
    bench = bench_with("pi", a=3 << 20, b=2 << 20, target=50)
    unit = 1 << 20  # a packet of distance, in p

    def moves(queue: int) -> int:
        before = bench.golden.p
        arrive(bench, queue=queue)
        tick(bench)
        return (bench.golden.p - before) // unit

    assert [moves(queue) for queue in (50, 50)] == [100, 0]  # at first the queue before counts as empty
    assert [moves(queue) for queue in (60, 60, 60)] == [30, 10, 10]
    assert [moves(queue) for queue in (50, 50, 49, 49)] == [-20, 0, -3, -1]
    while moves(queue=60_000):
        pass
    assert bench.golden.probability == ONE
    assert arrive(bench, draw=NEVER) == "drop"
    while moves(queue=0):
        pass
    assert bench.golden.probability == 0
    assert arrive(bench, draw=0) == "pass"
    bench.check()


RATE = 1 << 22  # of the link: a byte in 16 ns


def test_avq_takes_what_just_fills_the_virtual_queue() -> None:
    """And a byte more not; it takes as much again as the virtual capacity of 0.8 of the rate has served."""
    bench = bench_with("avq", rate=RATE, buffer=5000, alpha=0)
    assert [arrive(bench, size=size) for size in (3000, 2000, 1)] == ["pass", "pass", "drop"]
    served = 1600 * 0.8  # in 16 ns each
    sizes = (int(served) + 1, int(served) - 1, 2)
    assert [arrive(bench, now_ns=25_600, size=size) for size in sizes] == ["drop", "pass", "drop"]
    assert arrive(bench, now_ns=1 << 60, size=5000) == "pass"
    bench.check()


def test_avq_capacity_follows_what_is_let_in() -> None:
    """Each packet that is not dropped takes alpha times its bytes, and the time gives alpha gamma times what the link sends."""
    alpha = 1 << 18  # 1/4 a second
    bench = bench_with("avq", rate=RATE, buffer=10_000, alpha=alpha, gamma=1 << 17)
    capacity = 0.8
    assert bench.golden.capacity / 2**40 == pytest.approx(capacity, abs=1e-5)
    second = 10**9
    for now, size, is_let_in in ((0, 4000, True), (0, 7000, False), (second, 10_000, True), (3 * second, 10, True)):
        assert (arrive(bench, now_ns=now, size=size) == "pass") == is_let_in
        capacity -= 0.25 * size * 16e-9 * is_let_in
        capacity += {second: 0.25 * 0.5, 3 * second: 2 * 0.25 * 0.5}.get(now, 0)
        capacity = min(capacity, 1.0)
        assert bench.golden.capacity / 2**40 == pytest.approx(capacity, abs=1e-5)
    assert capacity == 1.0
    bench.check()


def test_avq_begins_anew_with_a_new_rate() -> None:
    """At 0.8 of it; another buffer leaves the capacity alone."""
    bench = bench_with("avq", rate=RATE)
    arrive(bench)
    arrive(bench, now_ns=20 * 10**9)
    assert bench.golden.capacity / 2**40 == pytest.approx(1.0, abs=1e-5)
    for raw, capacity in (({"rate": RATE, "buffer": 100}, 1.0), ({"rate": 10 * RATE, "buffer": 100}, 8.0)):
        bench.apply(bench.model.defaults() | raw)
        assert bench.golden.capacity / 2**40 == pytest.approx(capacity, abs=1e-4)
        arrive(bench, now_ns=20 * 10**9)
    bench.check()


@pytest.mark.parametrize(("ecn", "mark_most"), [(0, 1), (1, 1), (1, 0.25)])
def test_avq_keeps_the_load_below_the_rate(ecn: int, mark_most: float) -> None:
    """A load of twice the rate that does not give way: drops let gamma of the rate in, also of who could be marked while the
    capacity is below 1 - `mark_most`; with marks alone the capacity goes to 0, and everything is marked."""
    most = round(mark_most * (1 << 18))
    bench = bench_with("avq", rate=RATE, buffer=200_000, alpha=(1 << 22) - 1, ecn=ecn, mark_most=most)
    for i in range(10_000):
        arrive(bench, now_ns=i * 480_000, size=60_000, ecn=ecn)
    let_in = (10_000 - bench.verdicts["Virtual queue drop"]) * 60_000 / (10_000 * 480_000 / 16)
    is_marked = bool(ecn) and mark_most == 1
    assert let_in == pytest.approx(2.0 if is_marked else 0.98, abs=0.02)
    assert (bench.golden.capacity == 0) == is_marked
    if is_marked:
        assert bench.verdicts["Virtual queue mark"] > 9_000
    bench.check()
