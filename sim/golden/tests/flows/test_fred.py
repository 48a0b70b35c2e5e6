# SPDX-License-Identifier: Apache-2.0
"""The integer model of FRED against the paper's pseudo-code in floating point, and what its rules amount to."""

from __future__ import annotations

import random
from collections import Counter, deque

import pytest

from sluice_golden import Arrival, Departed, Settled
from sluice_golden.flows.fred import Fred
from sluice_golden.flows.fred_reference import FredReference

_WORDS = 1 << 32
_SERVICE_NS = 800_000
_OUTCOMES = {
    "": "pass",
    "Flow limit drop": "flow limit",
    "Strikes drop": "strikes",
    "Forced drop": "forced",
    "Unforced drop": "unforced",
}
_VARIANTS = {"plain": (0, 1), "many flows": (1, 0), "both": (1, 1)}


class Link:
    """A queue of packets behind the integer model and the reference, one event after the other. What becomes of a packet the
    integer model says."""

    def __init__(self, model: Fred, reference: FredReference) -> None:
        self.model, self.reference = model, reference
        self.now_ns = 0
        self.free_ns = 0  # from when on the link is free
        self.queue: deque[int] = deque()
        self.seen: Counter[tuple[str, str]] = Counter()

    def arrive(self, now_ns: int, flow: int, draw: int) -> None:
        self._serve(now_ns)
        self.now_ns = now_ns
        packets = len(self.queue)
        verdict = self.model.arrive(Arrival(now_ns, flow, 1000, 0, packets, 1000 * packets, (draw,)))
        wanted = self.reference.judge(now_ns, flow, draw / _WORDS)
        self.seen[_OUTCOMES[verdict.reason], wanted] += 1
        if verdict.action == "drop":
            self.model.settled(Settled(now_ns, flow, 1000, queue_packets=packets, fate="refused"))
        else:
            self.reference.accept(now_ns, flow)
            self.queue.append(flow)
            self.model.settled(Settled(now_ns, flow, 1000, queue_packets=len(self.queue), fate="accepted"))
        self._serve(now_ns)

    def _serve(self, until_ns: int) -> None:
        while self.queue and self.free_ns <= until_ns:
            flow = self.queue.popleft()
            self.reference.depart(self.free_ns, flow)
            self.model.departed(Departed(self.free_ns, flow, 1000, queue_packets=len(self.queue)))
            self.free_ns += _SERVICE_NS
        if not self.queue and self.free_ns <= until_ns:
            self.free_ns = until_ns


def played(variant: str, exponent: int, loads: tuple[float, ...]) -> tuple[float, float]:
    """60,000 packets of ten flows, one of which sends more, with a load that changes: how far the averages ever come apart, and
    the share of verdicts that are the paper's."""
    two_packets, forced = _VARIANTS[variant]
    model = Fred()
    own = {"weight_exponent": exponent, "probability": round(0.1 * 2**31), "idle_rate": round(16 / _SERVICE_NS * 2**32)}
    model.apply(model.parameters | own | {"two_packets": two_packets, "forced": forced})
    reference = FredReference(5, 15, 0.1, 2, 2.0**-exponent, _SERVICE_NS, bool(two_packets), bool(forced))
    link, rng = Link(model, reference), random.Random(1)
    now, load, apart = 0.0, 1.0, 0.0
    for i in range(60_000):
        if i % 500 == 0:
            load = rng.choice(loads)
        now += rng.expovariate(load / _SERVICE_NS)
        link.arrive(int(now), rng.choice((0, 0, 0, *range(10))), rng.getrandbits(32))
        apart = max(apart, abs(model.average / 2**18 - reference.average))
    assert min(link.seen[outcome, outcome] for outcome in _OUTCOMES.values() if forced or outcome != "forced") > 200
    return apart, sum(n for (mine, wanted), n in link.seen.items() if mine == wanted) / 60_000


@pytest.mark.parametrize("variant", _VARIANTS)
@pytest.mark.parametrize("exponent", [6, 9])
def test_the_verdicts_are_the_papers_while_the_link_is_busy(variant: str, exponent: int) -> None:
    apart, alike = played(variant, exponent, loads=(2.0, 3.0, 4.0))
    assert apart < 0.05
    assert alike > 0.99


@pytest.mark.parametrize("variant", _VARIANTS)
@pytest.mark.parametrize("exponent", [6, 9])
def test_the_verdicts_are_the_papers_nearly_with_idle_times(variant: str, exponent: int) -> None:
    """The paper counts them in whole packets, anew from each arrival to an empty queue, so its average falls more slowly."""
    apart, alike = played(variant, exponent, loads=(0.5, 0.9, 1.2, 2.0))
    assert apart < 1.1
    assert alike > 0.99
