# SPDX-License-Identifier: Apache-2.0
"""The integer model of URED against floating point, and what its rules amount to."""

from __future__ import annotations

import random
from collections import Counter, deque

import pytest

from sluice_golden import Arrival, Departed, Settled
from sluice_golden.flows.ured import Ured, registers, table
from sluice_golden.flows.ured_reference import UredReference

_WORDS = 1 << 32
_OUTCOMES = {"": "pass", "Forced drop": "forced", "Unforced drop": "unforced"}
_HAZARDS = {"default": (0.1, 2, 0), "linear": (0.2, 1, 0), "from the middle": (0.1, 3, 0.5), "steep": (3, 2, 0)}


class Link:
    """A queue of packets behind the integer model and the reference, with a buffer. What becomes of a packet the integer model
    says; one departs for every so many arrivals."""

    def __init__(self, model: Ured, reference: UredReference, load: float) -> None:
        self.model, self.reference, self.load = model, reference, load
        self.queue: deque[int] = deque()
        self.seen: Counter[tuple[str, str]] = Counter()

    def arrive(self, tunnel: int, rng: random.Random) -> str:
        packets, draw = len(self.queue), rng.getrandbits(32)
        verdict = self.model.arrive(Arrival(0, tunnel, 1000, 0, packets, 1000 * packets, (draw,)))
        self.seen[_OUTCOMES[verdict.reason], self.reference.judge(tunnel, draw / _WORDS)] += 1
        if verdict.action == "pass" and packets < self.reference.buffer:
            self.reference.accept(tunnel)
            self.queue.append(tunnel)
            self.model.settled(Settled(0, tunnel, 1000, queue_packets=len(self.queue), fate="accepted"))
        if self.queue and rng.random() * self.load < 1:
            gone = self.queue.popleft()
            self.reference.depart(gone)
            self.model.departed(Departed(0, gone, 1000, queue_packets=len(self.queue)))
        return verdict.action


def link(exponent: int, own_exponent: int, hazard: str = "default", load: float = 1.3) -> Link:
    """A buffer of 60 packets, with thresholds of a quarter and a half."""
    model, values = Ured(), {"min": 15 << 14, "max": 30 << 14, "buffer": 60}
    weights = {"weight_exponent": exponent, "own_weight_exponent": own_exponent}
    model.apply(model.parameters | values | weights | registers(table(*_HAZARDS[hazard])))
    return Link(model, UredReference(15, 30, 60, *_HAZARDS[hazard], 2.0**-exponent, 2.0**-own_exponent), load)


@pytest.mark.parametrize("hazard", _HAZARDS)
@pytest.mark.parametrize(("exponent", "own_exponent"), [(6, 3), (9, 3), (6, 9)])
def test_the_verdicts_are_the_papers(hazard: str, exponent: int, own_exponent: int) -> None:
    made, rng, apart, own_apart = link(exponent, own_exponent, hazard), random.Random(1), 0.0, 0.0
    for i in range(60_000):
        if i % 500 == 0:
            made.load = rng.choice((0.9, 1.1, 1.5, 3))
        tunnel = rng.choice((0, 0, 0, 0, *range(10)))
        made.arrive(tunnel, rng)
        apart = max(apart, abs(made.model.average / 2**18 - made.reference.average))
        own_apart = max(own_apart, abs(made.model.own[tunnel] / 2**14 - made.reference.own[tunnel]))
    assert made.seen["unforced", "unforced"] > 200
    assert apart < 0.01
    assert own_apart < 0.03
    assert sum(n for (mine, wanted), n in made.seen.items() if mine == wanted) > 0.99 * 60_000


@pytest.mark.parametrize("hazard", _HAZARDS)
def test_the_table_is_the_function(hazard: str) -> None:
    """On its chords, up to the last point, 63/32 of the upper threshold, and as there beyond it."""
    model, reference = Ured(), link(9, 3, hazard).reference
    model.apply(model.parameters | registers(table(*_HAZARDS[hazard])))
    for raw in range(0, 4 * model.parameters["max"], 977):
        wanted = reference._hazard(min(raw / model.parameters["max"], 63 / 32), 1)
        found = model._hazard(2 * raw, model.max, model.tables[0]) / 2**18
        assert found == pytest.approx(wanted, abs=3e-3 if wanted < 0.9 else 0.03)


@pytest.mark.parametrize(("own_exponent", "lost"), [(3, 6), (9, 355)])
def test_how_long_a_tunnel_is_locked_out(own_exponent: int, lost: int) -> None:
    """One at twice its upper threshold while the queue is long: only its own arrivals bring its average down, ln 2 / w of them,
    which a TCP sender with a timeout before each may never send."""
    model = link(9, own_exponent).model
    for tunnel in range(1, 9):
        for _ in range(4):
            model.settled(Settled(0, tunnel, 1000))
    model.average, model.own[0] = 32 << 18, 30 << 14  # 120 / 8 packets are its threshold
    verdicts = [model.arrive(Arrival(0, 0, 1000, 0, 32, 32000, (_WORDS - 1,))).action for _ in range(lost)]
    assert verdicts == ["drop"] * (lost - 1) + ["pass"]
