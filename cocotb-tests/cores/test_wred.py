# SPDX-License-Identifier: Apache-2.0
"""Corners of WRED by profile. The bench compares every verdict with the model; what the verdicts must amount to stands here.

`--arrivals 1000000` makes the measurement of the rates of marks longer: so many packets at each length of the queue.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle
from lib.player import Player
from lib.simulation import core_source

from sluice_golden import Arrival, Head
from sluice_golden.step import Step

MOST = (1 << 26) - 1
ONE = 1 << 31
K = 30_000
BOTH = pytest.mark.parametrize("config", ["wred", "wred-1k"])
SHORT = 30_000


def bench_with(config: str, **raw: int) -> CoreBench:
    """A core with one set in force."""
    bench = CoreBench(config)
    bench.idle(1)
    bench.apply(bench.model.defaults() | raw)
    return bench


def arrive(bench: CoreBench, queued: int, ecn: int = 2, word: int = 0, queue: int = 0, profile: int = 0) -> str:
    arrival = Arrival(0, 1, 1000, ecn, queued // 1000, queued, (word,), queue=queue, profile=profile)
    bench.step(Cycle(arrival))
    return bench.judged[-1].verdict.action


@BOTH
def test_a_step_at_k(config: str) -> None:
    """Both thresholds K: a byte below it none is hit, whatever it draws, and at it everything, also with a probability of 0."""
    for probability in (0, ONE):
        bench = bench_with(
            config,
            ecn=1,
            min_threshold=K,
            max_threshold=K,
            drop_probability=probability,
            ecn_min_threshold=2 * K,
            ecn_max_threshold=2 * K,
            ecn_mark_probability=probability,
        )
        for word in (0, MOST, (1 << 32) - 1):
            assert [arrive(bench, queued, 0, word) for queued in (K - 1, K, K + 1)] == ["pass", "drop", "drop"]
            assert [arrive(bench, queued, 1, word) for queued in (2 * K - 1, 2 * K, MOST)] == ["pass", "mark", "mark"]
        bench.check()


@BOTH
def test_what_may_be_marked_is_never_dropped(config: str) -> None:
    """By its own thresholds it passes where others are dropped; without `ecn` it is as others; without `enable` nothing drops."""
    drops = {"min_threshold": K, "max_threshold": K}
    for ecn, enable, capable, other in ((1, 1, "pass", "drop"), (0, 1, "drop", "drop"), (1, 0, "pass", "pass")):
        bench = bench_with(config, ecn=ecn, enable=enable, ecn_min_threshold=MOST, ecn_max_threshold=MOST, **drops)
        assert [arrive(bench, 2 * K, field) for field in range(4)] == [other, capable, capable, capable]
        bench.check()


@BOTH
def test_a_threshold_of_nothing_is_the_highest(config: str) -> None:
    bench = bench_with(config, min_threshold=0, max_threshold=0)
    assert [arrive(bench, queued, 0) for queued in (0, MOST - 1, MOST)] == ["pass", "pass", "drop"]
    bench.check()


@BOTH
def test_a_ramp_is_exact(config: str) -> None:
    """A quarter of the way up to one half: drawn below an eighth is hit, and an eighth is not."""
    bench = bench_with(config, min_threshold=1000, max_threshold=5000, drop_probability=ONE >> 1)
    eighth = 1 << 29
    assert [arrive(bench, 2000, 0, word) for word in (0, eighth - 1, eighth)] == ["drop", "drop", "pass"]
    assert arrive(bench, 1000, 0, 0) == "pass"
    assert [arrive(bench, 4999, 0, word) for word in (1 << 30, (1 << 31) - 1, 1 << 31)] == ["drop", "pass", "pass"]
    bench.check()


@BOTH
def test_step_marks_the_same(config: str) -> None:
    """DCTCP's K is passed at K: K + 1 here."""
    rng, step = random.Random(1), Step()
    step.apply(Step.defaults() | {"threshold_packets": (1 << 18) - 1, "threshold_bytes": K})
    bench = bench_with(config, enable=0, ecn=1, ecn_min_threshold=K + 1, ecn_max_threshold=K + 1)
    for _ in range(3000):
        queued, ecn = K + rng.randint(-3, 3), rng.randrange(4)
        arrival = Arrival(0, 1, 1000, ecn, 1, queued, (rng.getrandbits(32),))
        assert step.arrive(arrival).action == arrive(bench, queued, ecn, arrival.random[0])
    bench.check()


def test_each_queue_has_its_profile_and_its_average() -> None:
    """Of sixteen profiles one drops, whatever the others are; and what one queue is like moves no other's average."""
    bench = bench_with("wred-1k")
    for number in range(16):
        drops = {"min_threshold": K, "max_threshold": K} if number == 9 else {}
        bench.apply(bench.model.defaults() | drops | {"profile": number, "weight": 4 * (number == 9)})
    for number in range(16):
        assert arrive(bench, 2 * K, 0, queue=number, profile=number) == "pass"  # the ninth's average is 2 K / 16
    for _ in range(200):
        arrive(bench, 2 * K, 0, queue=9, profile=9)
    found = {number: arrive(bench, 2 * K, 0, queue=number, profile=9) for number in (8, 9, 10, 700)}
    assert found == {8: "drop", 9: "drop", 10: "drop", 700: "pass"}  # without a weight the average is the queue
    bench.check()


def test_averages_back_to_back() -> None:
    """One queue in every clock, two in turn, and each so many clocks after itself."""
    bench = bench_with("wred-1k", weight=3, min_threshold=20_000, max_threshold=60_000)
    rng = random.Random(3)
    for distance in range(1, 12):
        for i in range(400):
            arrive(bench, rng.randrange(100_000), rng.randrange(4), rng.getrandbits(32), queue=i % distance)
    bench.check()


def test_at_the_head_its_own_bytes_count() -> None:
    """With those behind it, and by the profile that it brings along; its draw too."""
    bench = bench_with("wred-1k-head")

    def leave(behind: int, draw: int, profile: int, *, is_ect: bool) -> str:
        tag = profile << 32 | draw
        bench.step(Cycle(head=Head(0, 1, 1000, tag, queue_bytes=behind, is_ect=is_ect)))
        bench.idle(bench.head_latency)
        return bench.heads[-1].verdict.action

    step = {"min_threshold": K, "max_threshold": K}
    ramp = {"ecn": 1, "ecn_min_threshold": K, "ecn_max_threshold": 3 * K}
    for number, raw in ((3, step), (4, ramp)):
        bench.apply(bench.model.defaults() | raw | {"profile": number})
    behind = K - 1000
    for profile, is_ect, more, actions in (
        (3, False, (-1, 0), "pass drop"),
        (3, True, (-1, 0), "pass drop"),
        (4, False, (0, 2 * K), "pass pass"),
        (4, True, (0, 2 * K), "pass mark"),
        (0, True, (0, 2 * K), "pass pass"),
    ):
        assert [leave(behind + n, 0, profile, is_ect=is_ect) for n in more] == actions.split()
    half = 1 << 31
    assert [leave(behind + K, draw, 4, is_ect=True) for draw in (half - 1, half)] == ["mark", "pass"]
    assert leave(MOST, (1 << 32) - 1, 4, is_ect=True) == "mark"
    bench.check()


@pytest.mark.parametrize("kind", ["drop", "mark"])
def test_rates_on_a_ramp(kind: str, request: pytest.FixtureRequest) -> None:
    """At twenty lengths of the queue the share that is hit is the ramp's, within four standard deviations."""
    count = request.config.getoption("arrivals") or SHORT
    low, high, probability = 10_000, 210_000, 0.3
    names = ("min_threshold", "max_threshold", "drop_probability")
    if kind == "mark":
        names = ("ecn_min_threshold", "ecn_max_threshold", "ecn_mark_probability")
    raw = CoreBench("wred").model.defaults() | {"ecn": 1}
    raw |= dict(zip(names, (low, high, round(probability * ONE)), strict=True))
    player, rng, worst = Player(core_source("wred")), np.random.default_rng(5), 0.0
    for queued in range(low + 5_000, high, 10_000):
        rows = count + 60
        columns = {port.name: np.zeros(rows, port.type) for port in player.inputs}
        for name, value in raw.items():
            columns[f"parameters_{name}"][:] = value
        columns["apply"][0] = 1
        columns["arrival_valid"][40 : 40 + count] = 1
        columns["arrival_packet_ecn"][:] = 2 * (kind == "mark")
        columns["arrival_queue_bytes"][:] = queued
        columns["arrival_random_0"][:] = rng.integers(0, 1 << 32, rows)
        seen = player.play(columns)
        judged = seen["verdict_valid"] == 1
        assert judged.sum() == count
        hit = int((seen["verdict_reason"][judged] == (1 if kind == "drop" else 2)).sum())
        share = probability * (queued - low) / (high - low)
        deviation = (count * share * (1 - share)) ** 0.5
        worst = max(worst, abs(hit - count * share) / deviation)
    print(
        f"wred: {kind}s at 20 lengths of the queue, {count:,} packets each: at most {worst:.2f} standard deviations from the ramp"
    )
    assert worst <= 4
