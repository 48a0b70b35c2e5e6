# SPDX-License-Identifier: Apache-2.0
"""GREEN on the RTL: its probabilities at the paper's link, what ends a window, gamma's rule and its bounds. The bench compares
verdicts and all that is shown with the model; what they must amount to stands here."""

from __future__ import annotations

import random

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival
from sluice_golden.shares.green_reference import drop_probability

ALWAYS, NEVER = 0, (1 << 32) - 1
SECOND = 1_000_000_000
OC3 = 155e6 / 8
GAMMA = 1 << 20


def capacity(bytes_per_s: float) -> int:
    return round(bytes_per_s * 1e-9 * 2**28)


class Link:
    """A core behind which time goes on and packets leave."""

    def __init__(self, bytes_per_s: float = OC3, config: str = "green", **raw: int) -> None:
        self.bench = CoreBench(config)
        self.bench.apply(self.bench.model.defaults() | {"capacity": capacity(bytes_per_s)} | raw)
        self.now_ns = SECOND
        rng = random.Random(1)
        self.flows = [rng.getrandbits(32) for _ in range(4096)]
        self.begin()

    def begin(self) -> None:
        """The first window."""
        self.arrive()
        self.tick()

    def arrive(
        self, flow: int = 0, rtt_us: int = 0, word: int = NEVER, *, ecn: int = 0, is_over: bool = False, queue: int = 0
    ) -> str:
        """Why it was dropped or marked, or nothing."""
        words = (word, word // 2)
        packet = Arrival(self.now_ns, self.flows[flow], 1 << 15, ecn, 0, 0, words, rtt_us=rtt_us, queue=queue)
        self.bench.step(Cycle(packet, is_over=is_over))
        return self.bench.judged[-1].verdict.reason

    def tick(self) -> None:
        """One whose work is over."""
        self.bench.tick("window", self.now_ns)

    def leave(self, packets: int) -> None:
        """So many packets of 32 KiB leave."""
        self.bench.idle(2 * self.bench.latency)
        for _ in range(packets):
            self.bench.step(Cycle(departed=self.bench.oldest(self.now_ns)))

    def window(self, flows: int = 1, used: float = 0, *, is_over: bool = False) -> dict[str, float]:
        """A window of a second with so many flows and such a part of the link used; what its end brings."""
        packets = round(used * OC3 / (1 << 15))
        for number in range(max(flows, packets)):
            self.arrive(number % flows)
        self.arrive(is_over=is_over)
        self.leave(packets)
        self.tick()  # the next arrival ends it
        self.now_ns += SECOND
        self.arrive()
        self.tick()
        status = self.bench.golden.status()
        return {"flows": status["flows"] / 256, "gamma": status["gamma"] / GAMMA, "used": status["utilisation"] / GAMMA}


@pytest.mark.parametrize(
    ("flows", "rtt_ms", "printed"), [(100, 72, 0.0088), (100, 470, 0.00021), (400, 72, 0.141), (400, 470, 0.0033)]
)
def test_probabilities_of_the_papers_link(flows: int, rtt_ms: int, printed: float) -> None:
    """155 Mbit/s: a packet is dropped 1 % below the equation's p for the flows that were counted, and not 1 % above it."""
    link = Link()
    counted = link.window(flows)["flows"]
    assert counted == pytest.approx(flows, rel=0.01)
    expected = drop_probability(counted, rtt_ms / 1000, OC3)
    assert expected == pytest.approx(printed, rel=0.03)
    verdicts = [link.arrive(0, 1000 * rtt_ms, round((expected * part) ** 0.5 * 2**32)) for part in (0.99, 1.01)]
    assert verdicts == ["Unforced drop", ""]
    link.bench.check()


@pytest.mark.parametrize("mbps", [1, 155, 100_000])
@pytest.mark.parametrize("flows", [1, 4096])
def test_probabilities_of_any_link(mbps: int, flows: int) -> None:
    """Within 1 % of the equation, or 2^-20, from 1 ms to 2 s."""
    link = Link(mbps * 1e6 / 8, rtt_most=(1 << 22) - 1)
    counted = link.window(flows)["flows"]
    for rtt_ms in (1, 10, 100, 2000):
        expected = drop_probability(counted, rtt_ms / 1000, mbps * 1e6 / 8)
        low, high = min(expected * 0.99, expected - 2**-20), max(expected * 1.01, expected + 2**-20)
        if low > 0:
            assert link.arrive(0, 1000 * rtt_ms, round(low**0.5 * 2**32)) == "Unforced drop"
        if high < 1:
            assert link.arrive(0, 1000 * rtt_ms, round(high**0.5 * 2**32)) == ""
    link.bench.check()


def test_who_has_no_round_trip_time_is_left_alone() -> None:
    """Though the reach is beyond any; a flow of 1 us is dropped whatever the draw."""
    link = Link(1e3)
    link.window(100)
    assert [link.arrive(0, rtt_us, word) for rtt_us in (0, 1, (1 << 22) - 1) for word in (ALWAYS, NEVER)] == [
        "",
        "",
        *["Unforced drop"] * 4,
    ]
    link.bench.check()


@pytest.mark.parametrize(("ecn", "ect"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_marks(ecn: int, ect: int) -> None:
    link = Link(1e3, ecn=ecn, mark_most=1 << 18)
    link.window(100)
    assert link.arrive(0, 1000, ecn=ect) == ("Unforced mark" if ecn and ect else "Unforced drop")
    link.bench.check()


def test_what_is_beyond_mark_most_is_dropped() -> None:
    """Who is within the reach by more than that; a packet of twice the reach, whose probability is a quarter, is still marked."""
    link = Link(OC3 / 10, ecn=1)
    link.window(100)
    reach_us = link.bench.golden.rate.reach >> 16
    for rtt_us, reason in ((2 * reach_us + 2, "Unforced mark"), (2 * reach_us - 2, "Unforced drop")):
        assert link.arrive(0, rtt_us, ALWAYS, ecn=1) == reason
    link.bench.check()


def test_nothing_is_dropped_before_a_window_is_over() -> None:
    """No flows are counted yet. The packet that ends the first window is still judged so, and so is all before the tick."""
    link = Link(1e3)
    assert link.arrive(1, 1000, ALWAYS) == ""
    link.tick()
    link.now_ns += SECOND
    assert link.arrive(1, 1000, ALWAYS) == ""
    assert link.arrive(1, 1000, ALWAYS) == ""
    link.tick()
    assert link.arrive(1, 1000, ALWAYS) == "Unforced drop"
    link.bench.check()


def test_gamma_follows_the_link() -> None:
    """Up while less than 98 % is used, and the more the less it is; down by a twentieth after an overflow; within its bounds."""
    link = Link(gamma_max=2 * GAMMA, gamma_min=round(1.9 * GAMMA))
    assert link.window(10, 0.5, is_over=True)["gamma"] == pytest.approx(1.9, rel=1e-3)  # 0.95, and then the bound
    link = Link(gamma_max=2 * GAMMA)
    assert link.window(10, 0.5)["gamma"] == pytest.approx(1.5, rel=1e-2)
    assert link.window(10, 0.5, is_over=True)["gamma"] == pytest.approx(1.5 * 0.95, rel=1e-2)
    assert link.window(10, 1.0)["gamma"] == pytest.approx(1.5 * 0.95, rel=1e-2)
    assert link.window(10, 0.5)["gamma"] == 2
    assert link.window(10, 0)["gamma"] == 2
    link.bench.check()


def test_a_frozen_start() -> None:
    """gamma stands for as many windows as it should; those in which nothing leaves are none of them."""
    link = Link(freeze=2)
    seen = [link.window(10, used, is_over=is_over)["gamma"] for used, is_over in ((0.5, False), (0, True), (0.5, True))]
    assert seen == [1, 1, 1]
    assert link.window(10, 0.5)["gamma"] == pytest.approx(1.5, rel=1e-2)
    link.bench.check()


@pytest.mark.parametrize("flows", [1, 100, 4096])
def test_an_exact_number_of_flows(flows: int) -> None:
    """A bit for each, if their low 14 bits differ; those with the same ones are one flow. Every window begins empty."""
    link = Link(config="green-exact")
    for spread, expected in ((3, flows), (1 << 14, 1)):
        link.flows = [spread * number for number in range(4096)]
        link.window(1)
        assert link.window(flows)["flows"] == expected
        assert link.window(1)["flows"] == 1
    link.bench.check()


@pytest.mark.parametrize(("compliant", "others"), [(20, 10), (3, 1000), (1000, 3), (5, 0), (0, 5)])
def test_two_queues_share_as_their_flows(compliant: int, others: int) -> None:
    """Quanta as the numbers of flows, 1 % off at most, the lower one 1514; a queue of no flow counts as one of one."""
    link = Link(config="green-2q")
    for _ in range(4):  # every other tick ends a window, of which the second is without the first arrival
        for flow in range(compliant + others):
            link.arrive(flow, queue=int(flow >= compliant))
        link.tick()
        link.now_ns += SECOND
    status = link.bench.golden.status()
    seen = status["quantum_compliant"], status["quantum_others"]
    assert min(seen) == 1514
    assert seen[0] / seen[1] == pytest.approx(max(1, compliant) / max(1, others), rel=0.01)
    assert status["others"] / 256 == pytest.approx(others, rel=0.01)
    assert status["flows"] / 256 == pytest.approx(compliant + others, rel=0.01)
    link.bench.check()


def test_overflow_beside_the_compliant_flows_is_not_theirs() -> None:
    """Of two queues only that of the flows with a round-trip time lowers gamma."""
    for queue, expected in ((0, 0.95), (1, 1.0)):
        link = Link(config="green-2q")
        link.arrive(queue=queue, is_over=True)
        link.bench.idle(2 * link.bench.latency)
        link.tick()
        link.now_ns += SECOND
        link.arrive()
        link.tick()
        assert link.bench.golden.status()["gamma"] / GAMMA == pytest.approx(expected, rel=1e-3)
        link.bench.check()


@pytest.mark.parametrize("freeze", [0, 9])
def test_gamma_doubles_while_all_is_refused(freeze: int) -> None:
    """So that no number of flows keeps the link closed; a packet that is let in ends it."""
    link = Link(OC3 / 100, freeze=freeze)
    link.window(1000)

    def window(rtt_us: int) -> float:
        for flow in range(1000):
            link.arrive(flow, rtt_us, ALWAYS)
        link.tick()
        link.now_ns += SECOND
        link.arrive(0, rtt_us, ALWAYS)
        link.tick()
        return link.bench.golden.status()["gamma"] / GAMMA

    window(1)  # still holds what came before the first window was over
    assert [window(1) for _ in range(3)] == [2, 4, 8]
    assert [window(0) for _ in range(2)] == [8, 8]
    link.bench.check()


def test_a_round_trip_time_counts_up_to_the_most() -> None:
    """Who says a longer one is dropped as who says that."""
    link = Link(OC3 / 100, rtt_most=1000)
    link.window(1000)
    assert link.bench.golden.rate.reach >> 16 > 1000
    assert [link.arrive(0, rtt_us, NEVER) for rtt_us in (0, 999, 1000, 1001, (1 << 22) - 1)] == [
        "",
        *["Unforced drop"] * 4,
    ]
    link.bench.check()
