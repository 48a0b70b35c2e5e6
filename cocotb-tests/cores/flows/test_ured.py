# SPDX-License-Identifier: Apache-2.0
"""URED's corners: each field of the paper's table, what belongs to which, who is a tunnel and what is remembered of one that has
nothing queued. Both averages are the queues themselves here (exponents 0), the drop function a straight line, unless a test says
otherwise."""

from __future__ import annotations

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle
from lib.simulation import ROOT

from sluice.hardware.registers import RegisterMap
from sluice.loop import hazard
from sluice_golden import Arrival, Departed
from sluice_golden.flows.ured import Ured, registers, table

NAME = "ured"
OWN = 0x8000_0001
SHARING = OWN ^ 1 << 10  # in the bucket of OWN
OTHERS = (2, 3, 4)
MIN, MAX, BUFFER = 5, 10, 20
STRAIGHT = registers(table(probability=1, kappa=1))


class Queue:
    """A core with parameters in force, an average that is what one packet finds, and packets that stay."""

    def __init__(self, **raw: int) -> None:
        self.bench = CoreBench(NAME)
        values = {"min": MIN << 14, "max": MAX << 14, "buffer": BUFFER, "weight_exponent": 0, "own_weight_exponent": 0}
        self.bench.apply(Ured.defaults() | values | STRAIGHT | raw)

    def arrive(self, flow: int, average: int, draw: float = 0.999, ecn: int = 0) -> str:
        """Reason of a packet, after which its fate is settled."""
        self.bench.step(Cycle(Arrival(0, flow, 1000, ecn, average, 1000, (int(draw * 2**32),))))
        self.bench.idle(self.bench.latency + 2)
        return self.bench.judged[-1].verdict.reason

    def fill(self, flow: int, packets: int) -> None:
        """So many of a tunnel's packets are queued, at an average of 0."""
        for _ in range(packets):
            assert self.arrive(flow, 0) == ""

    def depart(self) -> None:
        packet = self.bench.queued[0]
        self.bench.step(Cycle(departed=Departed(0, packet.flow, packet.size)))


@pytest.mark.parametrize(
    ("average", "own", "of_two_tenths", "of_six_tenths"),
    [
        (4, 3, "", ""),
        (4, 7, "", ""),
        (4, 12, "", ""),
        (7, 3, "", ""),
        (7, 7, "Unforced drop", ""),  # 0.7 * 0.7
        (7, 12, "Unforced drop", "Unforced drop"),  # 0.7
        (12, 3, "Unforced drop", ""),  # 1 * 0.3
        (12, 7, "Unforced drop", "Unforced drop"),  # 1
        (12, 12, "Forced drop", "Forced drop"),
        (5, 5, "Unforced drop", ""),  # thresholds belong to what is above: 0.5 * 0.5
        (5, 10, "Unforced drop", ""),  # 0.5
        (10, 4, "Unforced drop", ""),  # 1 * 0.4
        (10, 10, "Forced drop", "Forced drop"),
    ],
)
def test_each_field_of_the_table(average: int, own: int, of_two_tenths: str, of_six_tenths: str) -> None:
    """Four tunnels: the thresholds of one are a quarter and a half of 20. By draws of 0.2 and 0.6."""
    for draw, expected in ((0.2, of_two_tenths), (0.6, of_six_tenths)):
        queue = Queue()
        queue.fill(OWN, own)
        for other in OTHERS:
            queue.fill(other, 1)
        assert queue.arrive(OWN, average, draw) == expected
        queue.bench.check()


@pytest.mark.parametrize(
    ("tunnels", "lower", "upper"), [(1, 7, 10), (2, 7, 10), (3, 7, 10), (4, 5, 10), (5, 4, 8), (8, 3, 5)]
)
def test_thresholds_of_a_tunnel_fall_with_the_number_of_tunnels(tunnels: int, lower: int, upper: int) -> None:
    """B / max(N, 3) and 2 B / max(N, 4): the first packets that are tested, and that are lost, at a long queue. 10 * 0.4 is 4."""
    queue = Queue(**registers([0] * 64))
    for other in range(16, 15 + tunnels):
        queue.fill(other, 1)
    queue.fill(OWN, upper - 1)
    assert queue.arrive(OWN, MAX, draw=0) == ""
    assert queue.arrive(OWN, MAX, draw=0) == "Forced drop"
    queue = Queue(max=1 << 31, **registers([0xFFFF] * 64))
    for other in range(16, 15 + tunnels):
        queue.fill(other, 1)
    queue.fill(OWN, lower - 1)
    assert queue.arrive(OWN, MIN, draw=0) == ""
    assert queue.arrive(OWN, MIN, draw=0) == "Unforced drop"
    queue.bench.check()


def test_a_packet_that_would_be_dropped_is_marked_unless_it_is_forced() -> None:
    queue = Queue(ecn=1)
    queue.fill(OWN, 12)
    assert queue.arrive(OWN, 7, draw=0.2, ecn=2) == "Unforced mark"
    assert queue.arrive(OWN, 7, draw=0.2, ecn=0) == "Unforced drop"
    assert queue.arrive(OWN, MAX, ecn=2) == "Forced drop"
    queue.bench.check()


def test_tunnels_of_one_bucket_are_one() -> None:
    queue = Queue()
    queue.fill(OWN, 12)
    assert queue.arrive(SHARING, MAX) == "Forced drop"
    assert queue.arrive(OTHERS[0], MAX) == ""
    queue.bench.check()


def test_an_average_stays_when_the_queue_is_empty() -> None:
    """And falls by an eighth with each arrival: 12 of two queued packets' worth are not forgotten at once."""
    queue = Queue(own_weight_exponent=3)
    queue.fill(OWN, 40)
    for _ in range(40):
        queue.depart()
    before = queue.bench.golden.own[OWN % 1024] / 2**14
    assert before > 3 * BUFFER / 2
    lost = 0
    while queue.arrive(OWN, MAX) == "Forced drop":
        lost += 1
    assert lost == next(n for n in range(99) if before * (7 / 8) ** (n + 1) < BUFFER / 2)
    queue.bench.check()


def test_hered_looks_at_the_average_alone() -> None:
    """With nothing forced: its function goes on growing above `max`."""
    queue = Queue(hered=1)
    for own in (0, 12):
        queue.fill(OWN, own)
        assert queue.arrive(OWN, 4, draw=0) == ""
        assert queue.arrive(OWN, 7, draw=0.6) == "Unforced drop"
        assert queue.arrive(OWN, 7, draw=0.8) == ""
        assert queue.arrive(OWN, 12, draw=0.9) == "Unforced drop"
    queue.bench.check()


def test_new_points_are_in_force_between_two_packets_and_the_defaults_after_a_reset() -> None:
    """Two sets and the reset's own take turns in the memory."""
    bench = CoreBench(NAME)
    values = Ured.defaults() | {"min": 1 << 14, "max": 32 << 14, "buffer": 1, "weight_exponent": 0, "hered": 1}
    for round_number in range(3):
        for points in ([0x8000] * 64, [0x4000] * 64, [0xC000] * 64):
            bench.step(Cycle(parameters=values | registers(points)))
            for i in range(300):  # most of them before the new set is in force
                bench.step(Cycle(Arrival(0, i, 1000, 0, 1 + i % 60, 1000, (i * 0x01000193 % 2**32,)), is_over=True))
        if round_number < 2:
            bench.step(Cycle(reset=True))
            for i in range(100):
                bench.step(Cycle(Arrival(0, i, 1000, 0, 40, 1000, (i << 24,)), is_over=True))
    assert {judged.view["of_all"] for judged in bench.judged} >= {0x8000 << 2, 0x4000 << 2, 0xC000 << 2}
    bench.check()


def test_what_software_computes_is_what_the_core_begins_with() -> None:
    hardware = RegisterMap.load(ROOT / "build" / "rtl" / NAME / "registers.json")
    points = hazard.registers(**hazard.WORDS)
    assert points == {name: value for name, value in hardware.defaults.items() if name in points}
    assert points == registers(table())
    assert hazard.registers(3, 1.5, 0.5) == registers(table(3, 1.5, 0.5))
