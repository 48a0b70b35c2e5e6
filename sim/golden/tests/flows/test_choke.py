# SPDX-License-Identifier: Apache-2.0
"""The integer models of CHOKe against the paper's rules in floating point, and what the rules amount to."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from sluice_golden import Arrival, models
from sluice_golden.core import Verdict
from sluice_golden.flows.choke import Choke
from sluice_golden.flows.choke_reference import ChokeReference

_WORDS = 1 << 32
_OUTCOMES = {"": "pass", "Matched drop": "matched", "Forced drop": "forced", "Unforced drop": "unforced"}


def configured(name: str, **raw: int) -> Choke:
    model = models()[name]()
    assert isinstance(model, Choke)
    model.apply(model.parameters | raw)
    return model


def arrival(packets: int, flow: int, samples: tuple[int | None, ...], draw: int) -> Arrival:
    return Arrival(0, flow, 1000, 0, packets, 1000 * packets, (draw,), samples=samples)


@pytest.mark.parametrize("name", ["choke", "choke-3"])
@pytest.mark.parametrize("max_p", [0.02, 0.25])
def test_every_verdict_is_the_papers(name: str, max_p: float) -> None:
    """30,000 packets to queues that wander over both thresholds and stand on them; the average is the queue, so that both
    have the same. No packet's count * p_b came closer to its draw than the two differ by rounding."""
    rng = random.Random(3)
    choke = configured(name, weight_exponent=0, probability=round(max_p * 2**31))
    reference = ChokeReference(5, 15, max_p, weight=1.0, packet_time_ns=800_000, gentle=False)
    seen: Counter[str] = Counter()
    queue = 0.0
    for _ in range(30_000):
        queue = min(20.0, max(0.0, queue + rng.gauss(0, 1)))
        packets, flow, draw = round(queue), rng.randrange(4), rng.getrandbits(32)
        samples = tuple(rng.choice((None, *range(4), *range(4))) for _ in range(choke.samples))
        verdict = choke.arrive(arrival(packets, flow, samples, draw))
        reference.sample(0, packets)
        outcome = _OUTCOMES[verdict.reason]
        assert (outcome, verdict.victim) == reference.judge(flow, samples, draw / _WORDS)
        seen[outcome] += 1
    assert min(seen[outcome] for outcome in _OUTCOMES.values()) > 20


@pytest.mark.parametrize("name", ["choke", "choke-3"])
def test_matches_do_not_lengthen_a_gap(name: str) -> None:
    """Constant p_b = 0.05 while every second packet is matched: gaps of 1 to 20 of the others."""
    choke = configured(name, min=0, max=4 << 14, probability=round(0.1 * 2**31), weight_exponent=0)
    rng = random.Random(2)
    gaps: Counter[int] = Counter()
    since = 0
    for _ in range(200_000):
        meets_itself = rng.random() < 0.5
        samples = (1 if meets_itself else 2,) * choke.samples
        reason = choke.arrive(arrival(2, 1, samples, rng.getrandbits(32))).reason
        assert (reason == "Matched drop") == meets_itself
        since += not meets_itself
        if reason == "Unforced drop":
            gaps[since] += 1
            since = 0
    assert 1 <= min(gaps) <= 2
    assert 20 <= max(gaps) <= 21
    middle = [gaps[gap] for gap in range(3, 20)]
    assert max(middle) / min(middle) < 1.35


@pytest.mark.parametrize("name", ["choke", "choke-3"])
def test_a_match_happens_as_often_as_the_flow_is_queued(name: str) -> None:
    """A flow with the share s of the queue is matched with 1 - (1 - s)^m by m candidates."""
    choke = configured(name, min=0, max=40 << 14, probability=0, weight_exponent=0)
    rng = random.Random(4)
    for share in (0.1, 0.5):
        hits = sum(
            choke.arrive(arrival(20, 1, tuple(int(rng.random() < share) for _ in range(choke.samples)), 0)).reason
            == "Matched drop"
            for _ in range(20_000)
        )
        assert hits / 20_000 == pytest.approx(1 - (1 - share) ** choke.samples, abs=0.01)


def test_a_victim_comes_only_with_a_drop() -> None:
    """No model can give another verdict, and so neither can the tile's model or a bench take one."""
    for action in ("pass", "mark"):
        with pytest.raises(AssertionError, match="only with a drop"):
            Verdict(action, "any", victim=0)
