# SPDX-License-Identifier: Apache-2.0
"""BLACK on the RTL: whom it drops and how much, and the corners of its cache. The bench compares every verdict, the places of the
sampled flows and what the test weighs with the model; what they must amount to stands here."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival, models
from sluice_golden.blocks.hbf_cache import REST
from sluice_golden.shares.black import Black

CONFIGS = ("black", "black-200")
DRAWS = 1 << 18
NEVER = DRAWS - 1


def bench_with(config: str, **raw: int) -> CoreBench:
    """A core in which the given raw parameters are in force."""
    bench = CoreBench(config)
    bench.apply(bench.model.defaults() | {"threshold": 0} | raw)
    return bench


def arrive(bench: CoreBench, flow: int, sample: int | None, draw: int = NEVER, queue: int = 1) -> dict[str, int]:
    """What the arrival was judged by, and whether it was dropped. The draw is one of 2^18."""
    bench.step(Cycle(Arrival(0, flow, 1000, 0, queue, 1000 * queue, (draw << 14,), samples=(sample,))))
    judged = bench.judged[-1]
    return judged.view | {"is_dropped": int(judged.verdict.action == "drop")}


def entries_of(config: str) -> int:
    model = models()[config]
    assert issubclass(model, Black)
    return model.entries


def fill(bench: CoreBench, flows: int) -> list[int]:
    """Lets so many flows enter, one place after the other; their ids."""
    ids = list(range(1000, 1000 + flows))
    for flow in ids:
        while not arrive(bench, 0, flow)["is_held"]:
            pass
    return ids


@pytest.mark.parametrize("config", CONFIGS)
def test_who_has_more_than_a_share_is_dropped_by_what_it_has_more(config: str) -> None:
    """Three flows, one with half of all packets, which meet each other as they are sent: N is 1 / (1/4 + 1/16 + 1/16) = 8/3. So
    it has 4/3 of a share and is dropped with a third, where the others have 2/3 and are not."""
    rng, bench = random.Random(1), bench_with(config, period=20_000)
    seen, dropped = Counter[int](), Counter[int]()
    for number in range(150_000):
        flow, sample = (rng.choice((0, 0, 1, 2)) for _ in range(2))
        judged = arrive(bench, flow, sample, rng.randrange(DRAWS))
        if number >= 40_000:
            seen[flow] += 1
            dropped[flow] += judged["is_dropped"]
    bench.check()
    assert dropped[0] / seen[0] == pytest.approx(1 / 3, abs=0.03)
    assert dropped[1] + dropped[2] < 0.002 * (seen[1] + seen[2])


@pytest.mark.parametrize("config", CONFIGS)
def test_twice_a_share_is_dropped_whole(config: str) -> None:
    """Ten flows by their matches, one with a quarter of the queue: 2.5 shares. Not even the last draw passes."""
    rng, bench = random.Random(2), bench_with(config, period=5_000)
    for number in range(20_000):
        flow = rng.randrange(10)
        others = [f for f in range(1, 10) if f != flow]
        sample = flow if number % 10 == 0 else 0 if flow and rng.random() < 0.3 else rng.choice(others)
        judged = arrive(bench, flow, sample)
        if number > 10_000 and flow == 0:
            assert judged["is_dropped"]
    bench.check()


@pytest.mark.parametrize("gap", [0, 1, 2, 3, 5, 15, 30])
@pytest.mark.parametrize("config", CONFIGS)
def test_a_flow_that_enters_is_known_at_once(config: str, gap: int) -> None:
    """By its own arrival and by the next one, so many clocks later; and one that differs in a bit is not, nor does it enter."""
    bench = bench_with(config)
    for flow in range(1 << 8, 1 << 13, 1 << 8):
        while not (judged := arrive(bench, flow, flow))["is_held"]:
            bench.idle(gap)
        assert judged["is_known"]
        bench.idle(gap)
        assert not arrive(bench, flow ^ 1 << 31, flow ^ 1 << 31)["is_known"]
        bench.idle(gap)
        assert (judged := arrive(bench, flow, flow))["is_held"]
        assert judged["is_known"]
    bench.check()


@pytest.mark.parametrize("gap", [0, 1, 2, 5, 20])
@pytest.mark.parametrize("config", CONFIGS)
def test_a_flow_that_loses_its_place_is_known_no_more(config: str, gap: int) -> None:
    """All entries are hit twice but one; a newcomer takes its place, and the next arrival does not find it."""
    bench = bench_with(config, period=60_000)
    ids = fill(bench, entries_of(config))
    few = ids[len(ids) // 3]
    for flow in 20 * [f for f in ids if f != few]:
        arrive(bench, 0, flow)
    newcomer = 1
    while not arrive(bench, few, newcomer)["is_held"]:
        bench.idle(gap)
    assert not bench.judged[-1].view["is_known"]
    bench.idle(gap)
    assert not arrive(bench, few, few)["is_known"]
    bench.idle(gap)
    assert arrive(bench, newcomer, newcomer)["is_known"]
    assert arrive(bench, newcomer, None)["is_known"]
    bench.check()


@pytest.mark.parametrize("config", CONFIGS)
def test_every_place_holds_a_flow(config: str) -> None:
    """One after the other; and each is told from a flow that differs from it in a single bit."""
    bench = bench_with(config, period=60_000)
    ids = fill(bench, entries_of(config))
    for place, flow in enumerate(ids):
        judged = arrive(bench, flow, flow)
        assert (judged["is_known"], judged["place"]) == (1, place)
    for flow in ids:
        assert arrive(bench, flow ^ 1 << (16 + flow % 16), None)["is_known"] == 0
    bench.check()


@pytest.mark.parametrize("config", CONFIGS)
def test_hits_count_in_clock_after_clock(config: str) -> None:
    """Of one entry and of two by turns, over the ends of periods. With periods of three arrivals that all sample one flow, which
    is not theirs, S is 3, M is 1, and the entry stays with its three hits: after the first of the next period it has 4 of 4."""
    bench = bench_with(config, period=3)
    for _ in range(300):
        arrive(bench, 9, 5)
    judged = arrive(bench, 5, 5)
    assert (bench.judged[-1].status["samples"], bench.judged[-1].status["matches"]) == (3, 1)
    assert (judged["share"], judged["excess"]) == (4, 3 * 4 - 4)
    for number in range(100):
        arrive(bench, 9, 5 + number % 2)
        bench.idle(number % 4)
    bench.check()


@pytest.mark.parametrize("config", CONFIGS)
def test_a_reset_empties_it(config: str) -> None:
    bench = bench_with(config, period=1)
    ids = fill(bench, 10)
    assert arrive(bench, ids[0], ids[0])["is_known"]
    bench.step(Cycle(reset=True))
    for flow in ids:
        assert not arrive(bench, flow, None, queue=1000)["is_known"]
    bench.check()


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("queue", [19, 20, 21])
def test_beyond_the_threshold_alone(config: str, queue: int) -> None:
    """Nobody is sampled or dropped up to it."""
    bench = bench_with(config, threshold=20, period=100)
    for number in range(400):  # two flows, and then the first alone
        arrive(bench, number % 2 if number < 200 else 0, 0 if number % 4 else 1, queue=30)
    dropped = sum(arrive(bench, 0, 0, draw=0, queue=queue)["is_dropped"] for _ in range(50))
    assert dropped == (50 if queue > 20 else 0)
    bench.check()


def test_few_enter() -> None:
    """Each sixteenth of new flows, in clock after clock, as long as there is room."""
    bench = bench_with("black")
    held = [flow for flow in range(REST * 50) if arrive(bench, 0, flow)["is_held"]]
    assert held == list(range(0, REST * 50, REST))
    bench.check()
