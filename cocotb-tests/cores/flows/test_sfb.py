# SPDX-License-Identifier: Apache-2.0
"""SFB's corners: when a bin is full, what a draw makes of a probability, what the penalty box lets through, what a change of the
salt changes. The bench compares every verdict, bin and probability with the model; what they must amount to stands here."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival
from sluice_golden.flows.sfb import Sfb
from sluice_golden.flows.sfb_bins import CERTAIN

MS = 1_000_000
CALM = 0xFFFFFFFF  # a draw that takes nothing
UNRESPONSIVE = 0xDEADBEEF


def bench_with(config: str, **raw: int) -> CoreBench:
    """A core in which the given raw parameters are in force."""
    bench = CoreBench(config)
    bench.apply(bench.model.defaults() | raw)
    return bench


def arrive(bench: CoreBench, flow: int, now_ns: int = 0, draw: int = CALM, ecn: int = 2) -> str:
    """A packet, which is queued if it is not dropped; the reason of its verdict."""
    bench.step(Cycle(Arrival(now_ns, flow, 1000, ecn, 0, 0, (draw,))))
    bench.idle(bench.latency + 2)
    return bench.judged[-1].verdict.reason


def depart(bench: CoreBench, packets: int = 1) -> None:
    for _ in range(packets):
        bench.step(Cycle(departed=bench.oldest(bench.now_ns)))


def tick(bench: CoreBench) -> None:
    bench.tick("warmup", bench.now_ns)
    bench.idle(bench.latency)


def least(bench: CoreBench, flow: int) -> int:
    """The least probability of a flow's bins in the set in force."""
    bins = model_of(bench).sets[model_of(bench).active]
    return min(bins.probabilities[place] for place in bins.places(bins.number(flow)))


def model_of(bench: CoreBench) -> Sfb:
    assert isinstance(bench.golden, Sfb)
    return bench.golden


def test_a_full_bin() -> None:
    """By Linux' rule the probability rises from bin_size packets on, and from bin_max on none comes in; by the paper's both begin
    beyond bin_size."""
    for config, first_rise, first_drop in (("sfb", 4, 6), ("sfb-paper", 5, 5)):
        maximum = {"bin_max": 6} if config == "sfb" else {}
        bench = bench_with(config, bin_size=4, increment=100, **maximum)
        for queued in range(first_drop):
            assert arrive(bench, UNRESPONSIVE) == ""
            assert least(bench, UNRESPONSIVE) == 100 * max(0, queued + 1 - first_rise)
        assert arrive(bench, UNRESPONSIVE) == "Bucket drop"
        assert least(bench, UNRESPONSIVE) == 100 * (first_drop + 1 - first_rise)
        depart(bench)
        bench.idle(bench.latency)
        assert arrive(bench, UNRESPONSIVE) == ""
        bench.check()


def test_all_bins_of_a_packet_must_be_full_for_linux_and_one_for_the_paper() -> None:
    for config, expected in (("sfb", ""), ("sfb-paper", "Bucket drop")):
        bench = bench_with(config, bin_size=2, **({"bin_max": 2} if config == "sfb" else {}))
        bins = model_of(bench).sets[0]
        own = bins.places(bins.number(UNRESPONSIVE))
        sharing = next(
            flow for flow in range(10_000) if len(set(own) & set(bins.places(bins.number(flow)))) == 1
        )  # one bin
        for _ in range(3):
            arrive(bench, UNRESPONSIVE)
        assert arrive(bench, sharing) == expected
        bench.check()


def test_one_draw_drops_more_and_more_of_what_it_takes() -> None:
    """Between p - 1/2 doubled and p it marks; the paper's rule marks all below p."""
    for config, drops_at in (("sfb", True), ("sfb-paper", False)):
        bench = bench_with(config, bin_size=0, increment=0xC000, decrement=0, ecn=1)
        arrive(bench, UNRESPONSIVE)
        if config == "sfb":
            bench.apply(bench.model.defaults() | {"bin_size": 1, "bin_max": 100, "increment": 0xC000, "ecn": 1})
        arrive(bench, UNRESPONSIVE)
        bench.apply(bench.model.defaults() | {"decrement": 0, "ecn": 1, "bin_size": 1000})
        assert least(bench, UNRESPONSIVE) == 0xC000
        for draw, ecn, expected in (
            (0xC000_0000, 2, ""),
            (0xBFFF_FFFF, 2, "Unforced mark"),
            (0xBFFF_FFFF, 0, "Unforced drop"),
            (0x8002_0000, 2, "Unforced mark"),
            (0x8001_FFFF, 2, "Unforced drop" if drops_at else "Unforced mark"),
            (0, 2, "Unforced drop" if drops_at else "Unforced mark"),
        ):
            assert arrive(bench, UNRESPONSIVE, draw=draw, ecn=ecn) == expected, f"{config}, {draw:#x}"
        bench.check()


def in_the_penalty_box(config: str, rate: int, burst: int, rehash: int = 0) -> CoreBench:
    """A core in which the bins of the unresponsive flow stand at 1."""
    bench = bench_with(config, bin_size=0, increment=CERTAIN, penalty_burst=0)
    arrive(bench, UNRESPONSIVE)
    arrive(bench, UNRESPONSIVE)
    assert least(bench, UNRESPONSIVE) == CERTAIN
    depart(bench, len(bench.queued))
    calm = {"decrement": 0, "bin_size": 100} | ({"bin_max": 100} if config == "sfb" else {})
    bench.apply(bench.model.defaults() | calm | {"penalty_rate": rate, "penalty_burst": burst, "rehash": rehash})
    return bench


@pytest.mark.parametrize("config", ["sfb", "sfb-paper"])
@pytest.mark.parametrize(("rate", "burst", "offered"), [(10, 20, 1000), (20, 1, 5000), (4000, 255, 1_000_000)])
def test_the_penalty_box_lets_its_rate_through(config: str, rate: int, burst: int, offered: int) -> None:
    """Whatever is offered beyond it, and after a pause a burst more."""
    bench, rng = in_the_penalty_box(config, rate, burst), random.Random(1)
    bench.verdicts.clear()
    now, interval = 10**9, 10**9 // offered
    begin = now
    for _ in range(20_000):
        now += rng.randrange(2 * interval)
        bench.step(Cycle(Arrival(now, UNRESPONSIVE, 1000, 0, 0, 0, (0,))))
        while bench.queued:
            depart(bench)
    assert set(bench.verdicts) == {"pass", "Penalty drop"}
    let_through = bench.verdicts["pass"] - burst
    assert abs(let_through / ((now - begin) * rate / 1e9) - 1) < 0.01 + 1 / max(1, (now - begin) * rate // 10**9)
    bench.check()


def test_a_bucket_of_nothing_and_a_rate_of_nothing() -> None:
    for rate, burst, passes in ((10, 0, 0), (0, 3, 3)):
        bench = in_the_penalty_box("sfb", rate, burst)
        bench.verdicts.clear()
        for i in range(10):
            arrive(bench, UNRESPONSIVE, now_ns=10**9 * (i + 1))
        assert bench.verdicts == Counter({"pass": passes, "Penalty drop": 10 - passes}) + Counter()
        bench.check()


def sharing_flow(bench: CoreBench) -> int:
    """Another flow of which all bins are the unresponsive one's, with the first salt."""
    bins = model_of(bench).sets[0]
    number = bins.number(UNRESPONSIVE)
    return next(flow for flow in range(100_000) if bins.number(flow) == number)


def test_flows_that_share_all_bins_do_not_stay_so() -> None:
    """A calm flow is in the penalty box with another, and out of it with the next salt; the other one is not, since its new bins
    were warmed up."""
    bench = in_the_penalty_box("sfb-paper", rate=0, burst=6, rehash=2)
    calm = sharing_flow(bench)
    bench.apply(bench.golden.parameters | {"bin_size": 5, "increment": CERTAIN})
    tick(bench)  # the next set is warmed up from here on
    assert Counter(arrive(bench, UNRESPONSIVE) for _ in range(8)) == {"": 6, "Bucket drop": 2}
    depart(bench, len(bench.queued))
    bench.idle(bench.latency)
    assert [arrive(bench, flow, draw=0) for flow in (UNRESPONSIVE, calm)] == ["Penalty drop", "Penalty drop"]
    arrive(bench, UNRESPONSIVE, draw=0xC0FF_EE42)  # the salt is made of the last draws
    tick(bench)
    assert [arrive(bench, flow, draw=0) for flow in (UNRESPONSIVE, calm)] == ["Penalty drop", ""]
    bench.check()


def test_what_departs_counts_in_the_bins_in_which_it_was_counted() -> None:
    """Packets queued before a change of the salt, or before two, leave no bin anything but empty."""
    bench, rng = (
        bench_with("sfb", rehash=1, bin_size=0, increment=CERTAIN, penalty_burst=200, bin_max=4000),
        random.Random(1),
    )
    tick(bench)
    for _ in range(8):
        for _ in range(20):
            arrive(bench, UNRESPONSIVE, draw=rng.getrandbits(32))
        tick(bench)
        depart(bench, 7)
    counted_twice = sum(packet.tag >> 32 > 0 and packet.tag & 0xFFFFFFFF > 0 for packet in bench.queued)
    assert counted_twice > 10
    depart(bench, len(bench.queued))
    assert all(count == 0 for bins in model_of(bench).sets for count in bins.counts)
    for _ in range(30):
        arrive(bench, UNRESPONSIVE, draw=rng.getrandbits(32))
        if bench.queued:
            depart(bench)
    bench.check()
