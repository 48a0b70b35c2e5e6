# SPDX-License-Identifier: Apache-2.0
"""RED-PD's corners: who is monitored and who is not, how far a heavy flow is held back, when the filter may drop, and that it
lets go. The bench compares every verdict, the filter's probabilities and counts and the length of each list with the model."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival
from sluice_golden.red.red_pd import RedPd

LIGHT, HEAVY = range(60), 1000
KIND = "list"
RATE = 0.05  # RED's drop rate at QUEUE
QUEUE = 10
BASE = RATE / (2 - RATE)  # gaps are uniform on 1..1/p, half of that on average
PARAMETERS = RedPd.defaults() | {"probability": round(2 * BASE * 2**31), "weight_exponent": 5, "wait": 0}


class Link:
    """Lists one after the other, of flows that send so many packets in each."""

    def __init__(self, **raw: int) -> None:
        self.bench, self.rng = CoreBench("red-pd"), random.Random(1)
        self.bench.apply(PARAMETERS | raw)
        self.now_ns = 0
        self.ids = {flow: self.rng.getrandbits(32) for flow in (*LIGHT, HEAVY)}
        self._tick()

    @property
    def probabilities(self) -> dict[int, float]:
        """Of the flows that are monitored."""
        known = self.bench.golden.known
        monitored = {flow: known[i].probability / 2**18 for flow, i in self.ids.items() if i in known}
        return {flow: probability for flow, probability in monitored.items() if probability}

    @property
    def is_unresponsive(self) -> bool:
        return self.bench.golden.known[self.ids[HEAVY]].is_unresponsive

    def run(self, lists: int, packets: dict[int, int], queue: int = QUEUE) -> Counter[tuple[int, str]]:
        """How many packets of which flow had which verdict in all of the lists."""
        bench, rng, first = self.bench, self.rng, len(self.bench.judged)
        for _ in range(lists):
            order = [flow for flow, number in packets.items() for _ in range(number)]
            rng.shuffle(order)
            begin_ns, length_ns = self.now_ns, bench.golden.interval_ns(KIND)
            for i, flow in enumerate(order):
                self.now_ns = begin_ns + length_ns * i // len(order)
                words = (rng.getrandbits(32), rng.getrandbits(32))
                bench.step(Cycle(Arrival(self.now_ns, self.ids[flow], 1000, 0, queue, 1000 * queue, words)))
            self.now_ns = begin_ns + length_ns
            self._tick()
        names = {i: flow for flow, i in self.ids.items()}
        judged = bench.judged[first:]
        return Counter((names[j.arrival.flow], j.verdict.reason or "pass") for j in judged)

    def _tick(self) -> None:
        bench = self.bench
        bench.idle(bench.latency + 2)
        while not bench.can_tick(KIND):
            bench.step(Cycle())
        bench.step(Cycle(ticks={KIND: self.now_ns}))
        bench.idle(bench.tick_cycles[KIND])


SENT = dict.fromkeys(LIGHT, 3) | {HEAVY: 120}


@pytest.fixture(scope="module")
def held() -> Link:
    """A link on which one flow has sent ten times what a TCP flow would at RED's drop rate, and sixty flows a quarter of that."""
    link = Link()
    link.run(60, SENT)
    return link


def test_a_heavy_flow_is_held_and_light_ones_are_not(held: Link) -> None:
    """It gets something, and no more than the reference rate, 12 packets in a list of 88 ms; of what others send little is
    filtered."""
    seen = held.run(20, SENT)
    assert 20 < seen[HEAVY, "pass"] < 12 * 20
    light = sum(seen[flow, "Filtered drop"] for flow in LIGHT)
    assert light < 0.03 * 20 * 3 * len(LIGHT)
    assert held.is_unresponsive
    held.bench.check()


def test_the_filter_spares_a_short_queue() -> None:
    """Of a flow not taken for unresponsive nothing is filtered while one packet is queued, or the average is below `min`."""
    link = Link(test_unresponsive=0)
    link.run(20, SENT)
    assert link.probabilities[HEAVY] > 0.2
    assert link.run(1, SENT, queue=1)[HEAVY, "Filtered drop"] == 0
    link.run(1, SENT, queue=0)  # the average falls below `min`
    assert link.bench.golden.average < PARAMETERS["min"] << 4
    assert link.run(1, SENT, queue=4)[HEAVY, "Filtered drop"] == 0
    link.bench.check()


def test_a_flow_that_stops_losing_is_let_go(held: Link) -> None:
    """Its probability falls from step to step while it loses nothing to RED, and then it is a flow like others."""
    before = held.probabilities[HEAVY]
    falls = []
    for _ in range(200):
        held.run(1, SENT | {HEAVY: 0})
        falls.append(held.probabilities.get(HEAVY, 0.0))
    assert before > 0.8
    assert falls == sorted(falls, reverse=True)
    assert falls[-1] == 0
    held.bench.check()


def test_lists_get_shorter_with_the_drop_rate() -> None:
    """From 10 R without a loss to 2 R; at 5 % K/M R/sqrt(1.5 p)."""
    link = Link()
    assert link.bench.golden.interval_ns(KIND) == 400_000_000
    link.run(1, SENT, queue=1)
    assert link.bench.golden.interval_ns(KIND) == 400_000_000
    link.run(12, dict.fromkeys(LIGHT, 30))
    assert link.bench.golden.interval_ns(KIND) == pytest.approx(0.6 * 0.04e9 / (1.5 * RATE) ** 0.5, rel=0.1)
    link.run(8, dict.fromkeys(LIGHT, 30), queue=14)
    assert link.bench.golden.interval_ns(KIND) == 80_000_000
    link.bench.check()
