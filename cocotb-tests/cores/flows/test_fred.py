# SPDX-License-Identifier: Apache-2.0
"""FRED's corners, from the paper's pseudo-code: who is spared, who is limited, who is struck and until when, and what the three
variants do above `max`. The average is the queue here (`weight_exponent` 0), which the tests set with each packet."""

from __future__ import annotations

import random

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival, Departed
from sluice_golden.flows.fred import Fred

NAME = "fred"
OWN, OTHER = 0x8000_0001, 0x0000_0002
SHARING = OWN ^ 1 << 10  # in the bucket of OWN
LAST = 0xFFFF_FFFF  # a draw that hits no packet but one that is hit for sure
FIRST = 0  # one that hits every tested packet


class Queue:
    """A core with parameters in force, and an average that one packet sets."""

    def __init__(self, **raw: int) -> None:
        self.bench = CoreBench(NAME)
        self.bench.apply(Fred.defaults() | {"weight_exponent": 0} | raw)

    def arrive(self, flow: int, average: int | None = None, draw: int = LAST, ecn: int = 0) -> str:
        """Reason of a packet, after which its fate is settled. `average`: what the queue was that it found, if it is accepted."""
        packets = (self.bench.golden.average >> 18) if average is None else average
        self.bench.step(Cycle(Arrival(0, flow, 1000, ecn, packets + 1, 1000, (draw,))))
        self.bench.idle(self.bench.latency + 2)
        return self.bench.judged[-1].verdict.reason

    def fill(self, flow: int, packets: int) -> None:
        """So many of a flow's packets are queued, at an average of 1."""
        for _ in range(packets):
            assert self.arrive(flow, 1) == ""

    def depart(self, left: int = 0) -> None:
        packet = self.bench.queued[0]
        self.bench.step(Cycle(departed=Departed(0, packet.flow, packet.size, queue_packets=left)))

    def set_average(self, average: int) -> None:
        """By a packet of one more flow, which stays."""
        assert self.arrive(OTHER, average) == ""


def test_one_flow_may_not_queue_more_than_min() -> None:
    """Whatever the average; and it is told from no other flow of its bucket."""
    queue = Queue(min=5 << 14)
    queue.fill(OWN, 5)
    assert queue.arrive(OWN) == "Flow limit drop"
    assert queue.arrive(SHARING) == "Flow limit drop"
    assert queue.arrive(OTHER) == ""
    queue.bench.check()


def test_two_strikes_and_a_flow_gets_its_share_until_it_has_nothing_queued() -> None:
    """Six packets of two flows: the share is 3. What is struck once is not limited."""
    for strikes in (1, 2, 3):
        queue = Queue(min=5 << 14)
        queue.fill(OWN, 5)
        queue.fill(OTHER, 1)
        for _ in range(strikes):
            assert queue.arrive(OWN) == "Flow limit drop"
        for left in (4, 3):
            queue.depart(left)
        queue.set_average(6)  # three packets each
        queue.bench.check()
        assert queue.bench.golden.queued[OWN % 1024] == 3
        expected = "Strikes drop" if strikes > 1 else ""
        assert queue.arrive(OWN, 4) == expected
        if strikes > 1:
            queue.depart(5)  # two packets are less than its share of 2.5
            assert queue.bench.golden.average == 5 << 18
            assert queue.arrive(OWN, 5) == ""
        while OWN % 1024 in queue.bench.golden.queued:
            queue.depart(5)
        queue.fill(OWN, 3)
        queue.set_average(6)
        assert queue.arrive(OWN) == ""  # its strikes are forgotten
        queue.bench.check()


@pytest.mark.parametrize("packets", [1, 2, 3, 4])
def test_only_who_has_a_share_and_min_q_is_tested(packets: int) -> None:
    """Two flows and an average of 6: three packets are a share."""
    for min_q in (0, 2, 4):
        for ecn in (0, 2):
            queue = Queue(min=5 << 14, max=15 << 14, probability=1 << 31, min_q=min_q, ecn=1)
            queue.fill(OWN, packets)
            queue.set_average(6)
            hit = "Unforced mark" if ecn else "Unforced drop"
            assert queue.arrive(OWN, 6, draw=FIRST, ecn=ecn) == (hit if packets >= max(3, min_q) else "")
            queue.bench.check()


@pytest.mark.parametrize(
    ("forced", "two_packets", "of_one", "of_two", "of_four", "of_none"),
    [
        (1, 0, "Forced drop", "Forced drop", "Flow limit drop", "Forced drop"),
        (0, 1, "", "Flow limit drop", "Flow limit drop", ""),
        (1, 1, "Forced drop", "Flow limit drop", "Flow limit drop", "Forced drop"),
    ],
    ids=["plain", "many-flows", "both"],
)
def test_above_max(forced: int, two_packets: int, of_one: str, of_two: str, of_four: str, of_none: str) -> None:
    """By the packets that a flow has. With forced drops twice the share of 3/2 is too much."""
    for packets, expected in ((0, of_none), (1, of_one), (2, of_two), (4, of_four)):
        queue = Queue(min=5 << 14, max=6 << 14, forced=forced, two_packets=two_packets)
        if packets:
            queue.fill(OWN, packets)
        for flow in range(16, 19):
            queue.fill(flow, 1)
        queue.set_average(6)
        assert queue.arrive(OWN, 6) == expected
        queue.bench.check()


def test_a_probability_rises_with_every_packet_that_counts_and_not_only_with_those_tested() -> None:
    """p = 0.1 constant, every second packet of a flow without a share: p_a = p / (1 - count * p), so a tenth packet is hit for
    sure, and the flow without a share never."""
    queue = Queue(min=5 << 14, max=15 << 14, probability=round(2**31 / 3), min_q=2)
    queue.fill(OWN, 4)
    queue.set_average(8)
    bench, rng = queue.bench, random.Random(1)
    gap, gaps = 0, []
    for i in range(4000):
        flow = (OWN, 77)[i % 2]
        bench.step(Cycle(Arrival(0, flow, 1000, 0, 9, 1000, (rng.getrandbits(32),)), is_over=True))
        reason = bench.judged[-1].verdict.reason
        assert reason in ({"", "Unforced drop"} if flow == OWN else {""})
        gap += 1
        if reason:
            gaps.append(gap)
            gap = 0
    assert max(gaps) in {9, 10, 11, 12}
    assert sum(gaps) / len(gaps) == pytest.approx(10 / 1.5, rel=0.1)
    bench.check()


def test_the_average_decays_at_every_arrival_that_finds_nothing() -> None:
    """Also when it is dropped: above `max` the queue empties, and the average comes down with time alone."""
    bench = CoreBench(NAME)
    bench.apply(Fred.defaults() | {"weight_exponent": 6})
    bench.step(Cycle(Arrival(0, OWN, 1000, 0, 1 << 11, 1000, (0,))))
    bench.idle(bench.latency + 2)
    bench.step(Cycle(departed=Departed(0, OWN, 1000)))
    bench.idle(3)
    averages: list[float] = []
    while not averages or bench.judged[-1].verdict.reason == "Forced drop":
        bench.step(Cycle(Arrival((len(averages) + 1) * 10_000_000, OWN, 1000, 0, 0, 0, (0,))))
        averages.append(bench.golden.average / 2**18)
        bench.idle(bench.latency + 2)
    # By the default of idle_rate 12.5 packets of 0.8 ms go in each 10 ms.
    before = 2047 / 64 * (1 - 1 / 64)
    assert averages == pytest.approx([before * (1 - 1 / 64) ** (12.5 * (1 + i)) for i in range(4)], rel=0.01)
    bench.check()


def test_a_departure_and_an_acceptance_of_one_clock_are_one_sample_of_twice_the_weight() -> None:
    bench = CoreBench(NAME)
    bench.apply(Fred.defaults() | {"weight_exponent": 6})
    for _ in range(2):
        bench.step(Cycle(Arrival(0, OWN, 1000, 0, 9, 1000, (0,))))
        bench.idle(bench.latency + 2)
    before = bench.golden.average
    bench.step(Cycle(Arrival(0, OTHER, 1000, 0, 9, 1000, (0,))))
    bench.idle(bench.latency)
    bench.step(Cycle(departed=Departed(0, OWN, 1000, queue_packets=8)))
    assert bench.golden.average == before - (before >> 5) + (8 << 13)
    bench.step(Cycle(Arrival(0, OTHER, 1000, 0, 9, 1000, (0,))))
    bench.check()
