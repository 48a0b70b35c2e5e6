# SPDX-License-Identifier: Apache-2.0
"""Corners of step marking. The bench compares every verdict with the model; what the verdicts must amount to stands here."""

from __future__ import annotations

import random

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival, Head
from sluice_golden.red.red import Red

MS = 1_000_000
OFF = {"threshold_packets": (1 << 18) - 1, "threshold_bytes": (1 << 26) - 1}


def bench_with(config: str, **raw: int) -> CoreBench:
    """A core in which only the given thresholds are in force."""
    bench = CoreBench(config)
    bench.apply(bench.model.defaults() | OFF | raw)
    return bench


def arrive(bench: CoreBench, packets: int, size: int, ecn: int = 2) -> str:
    bench.step(Cycle(Arrival(0, 1, 1000, ecn, packets, size)))
    return bench.judged[-1].verdict.action


def leave(bench: CoreBench, packets: int, size: int, waited_ns: int = 0, *, is_ect: bool = True) -> str:
    now_ns = 1 << 42
    head = Head(now_ns, 1, 1000, queue_packets=packets, queue_bytes=size, is_ect=is_ect, queued_ns=now_ns - waited_ns)
    bench.step(Cycle(head=head))
    return bench.heads[-1].verdict.action


BEYOND = pytest.mark.parametrize(
    ("raw", "at", "beyond"),
    [
        ({"threshold_packets": 5}, (5, (1 << 26) - 1), (6, 0)),
        ({"threshold_bytes": 5000}, ((1 << 18) - 1, 5000), (0, 5001)),
    ],
)


@BEYOND
def test_everything_beyond_a_threshold(raw: dict[str, int], at: tuple[int, int], beyond: tuple[int, int]) -> None:
    """At it nothing, a packet or a byte beyond it everything; without a threshold no queue is too long."""
    bench = bench_with("step", **raw)
    assert [arrive(bench, *queue) for queue in (at, beyond)] == ["pass", "mark"]
    bench.apply(bench.model.defaults() | OFF)
    assert [arrive(bench, *queue) for queue in (at, beyond)] == ["pass", "pass"]
    bench.check()


@BEYOND
def test_everything_that_leaves_more_behind(raw: dict[str, int], at: tuple[int, int], beyond: tuple[int, int]) -> None:
    bench = bench_with("step-head", **raw)
    assert [leave(bench, *queue) for queue in (at, beyond)] == ["pass", "mark"]
    bench.check()


def test_what_waited_for_longer_than_the_threshold() -> None:
    """By a ns, or by more than 32 bits hold; and without a threshold however long."""
    bench = bench_with("step-head", threshold_ns=MS)
    waits = (0, MS, MS + 1, 1 << 32, 1 << 41)
    assert [leave(bench, 0, 0, waited) for waited in waits] == ["pass", "pass", "mark", "mark", "mark"]
    bench.apply(bench.model.defaults() | OFF)
    assert [leave(bench, 0, 0, waited) for waited in waits] == ["pass"] * 5
    bench.check()


NOT_ECT = pytest.mark.parametrize(("drop_not_ect", "action"), [(0, "pass"), (1, "drop")])


@NOT_ECT
def test_what_cannot_be_marked(drop_not_ect: int, action: str) -> None:
    """Passes, or is dropped if that is wanted."""
    bench = bench_with("step", threshold_packets=5, drop_not_ect=drop_not_ect)
    assert [arrive(bench, 6, 6000, ecn) for ecn in range(4)] == [action, "mark", "mark", "mark"]
    bench.check()


@NOT_ECT
def test_what_cannot_be_marked_when_it_leaves(drop_not_ect: int, action: str) -> None:
    bench = bench_with("step-head", threshold_packets=5, drop_not_ect=drop_not_ect)
    assert [leave(bench, 6, 6000, is_ect=is_ect) for is_ect in (False, True)] == [action, "mark"]
    bench.check()


def test_red_without_an_average_is_the_same() -> None:
    """As data centres set it: `min` K, `max` K + 1, weight 1. It marks what step marks."""
    rng, red, bench = random.Random(1), Red(), bench_with("step", threshold_packets=20)
    raw = {"min": 20 << 14, "max": 21 << 14, "probability": 1 << 31, "ecn": 1, "wait": 0, "gentle": 0, "hard_drop": 0}
    red.apply(Red.defaults() | raw | {"weight_exponent": 0})
    for i in range(5_000):
        packets = rng.randint(0, 45)
        arrival = Arrival(1000 * i, 1, 1000, 2, packets, 1000 * packets, (rng.getrandbits(32),))
        assert red.arrive(arrival).action == arrive(bench, packets, 1000 * packets)
    assert bench.verdicts["Forced mark"] > 2_000
    bench.check()
