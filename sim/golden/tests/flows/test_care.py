# SPDX-License-Identifier: Apache-2.0
"""The integer model of CARE against the paper's rule in floating point, packet by packet."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from sluice_golden.blocks.estimators.capture import CaptureList
from sluice_golden.core import Arrival
from sluice_golden.flows.care import Care
from sluice_golden.flows.care_reference import CareReference


def arrival(flow: int, words: tuple[int, int], *, ect: bool = False, queue: int = 0) -> Arrival:
    return Arrival(
        now_ns=0, flow=flow, size=1000, ecn=2 * ect, queue_packets=queue, queue_bytes=1000 * queue, random=words
    )


@pytest.mark.parametrize(("t", "t_n", "p_cap", "flows"), [(200, 50, 0.04, 26), (50, 50, 0.5, 100), (20, 10, 1.0, 5)])
def test_drop_probability_is_the_papers(t: int, t_n: int, p_cap: float, flows: int) -> None:
    rng = random.Random(t)
    model, paper = Care(), CareReference(t, t_n, round(p_cap * 2**31) / 2**31)
    own = {"list_length": t, "window": t_n, "capture_probability": round(p_cap * 2**31), "gate": 0}
    model.apply(model.defaults() | own)
    drops, total = 0, 0.0
    for _ in range(6_000):
        flow = 0 if rng.random() < 0.2 else rng.randrange(flows)
        words = (rng.getrandbits(32), rng.getrandbits(32))
        dropped = model.arrive(arrival(flow, words)).action == "drop"
        probability = paper.drop_probability(flow, words[0] / 2**32)
        drops, total = drops + dropped, total + probability
        if abs(model.estimate.value / 256 - paper.flows) < 0.1:  # else an order was as good as undecided
            assert abs(probability - words[1] / 2**32) < 0.01 or dropped == (words[1] / 2**32 < probability)
    assert drops == pytest.approx(total, rel=0.05)


def test_one_flow_alone_is_dropped_only_for_lack_of_others() -> None:
    """n = 1 and m2 = t: exactly its share."""
    model = Care()
    model.apply(model.defaults() | {"capture_probability": 1 << 31})
    assert all(model.arrive(arrival(7, (0, 0))).action == "pass" for _ in range(500))


def test_flows_seen_once_are_never_dropped_while_the_list_is_long() -> None:
    model = Care()
    model.apply(model.defaults() | {"capture_probability": 0})
    assert all(model.arrive(arrival(i, (0, 0))).action == "pass" for i in range(500))


@pytest.mark.parametrize(("gate", "threshold", "open_from"), [(0, 9, 0), (1, 9, 1), (2, 9, 9)])
def test_gate(gate: int, threshold: int, open_from: int) -> None:
    for queue in (0, 1, 8, 9):
        model = Care()
        model.apply(
            model.defaults()
            | {
                "capture_probability": 1 << 31,
                "gate": gate,
                "gate_threshold": threshold,
                "ecn": 1,
                "mark_most": 1 << 18,
            }
        )
        actions = {model.arrive(arrival(i % 40 * (i % 2), (0, 0), ect=True, queue=queue)).action for i in range(400)}
        assert ("mark" in actions) == (queue >= open_from)
        assert "drop" not in actions


@pytest.mark.parametrize("share", [0.25, 0.9])
def test_marks_up_to_mark_most_and_drops_beyond(share: float) -> None:
    """A flow of twice its share is marked as long as that makes no more than the probability: beyond it, it is dropped."""
    model = Care()
    model.apply(
        model.defaults() | {"capture_probability": 1 << 31, "gate": 0, "ecn": 1, "mark_most": round(share * (1 << 18))}
    )
    for i in range(400):
        verdict = model.arrive(arrival(i % 40 * (i % 2), (0, 0), ect=True))
        chance = 1 - len(model.captures) / (model.estimate.value / 256 * model.recaptures)
        assert verdict.action == ("pass" if chance <= 0 else "mark" if chance <= share else "drop"), i


def test_a_shorter_list_loses_one_entry_per_arrival() -> None:
    captures = CaptureList()
    for i in range(50):
        captures.arrive(i, is_captured=True, limit=50)
    lengths = []
    for i in range(45):
        captures.arrive(100 + i, is_captured=i % 3 == 0, limit=10)
        lengths.append(len(captures))
    assert lengths[0] == 50
    assert all(before - after in (0, 1) for before, after in pairwise(lengths))
    for i in range(60):
        captures.arrive(i, is_captured=False, limit=10)
    assert len(captures) == 10


def test_sampling_noise_costs_fair_traffic_a_tenth() -> None:
    """What the documentation warns of: 25 flows with equal shares, t = 200."""
    rng = random.Random(5)
    model = Care()
    model.apply(model.defaults() | {"gate": 0})
    drops = sum(
        model.arrive(arrival(rng.randrange(25), (rng.getrandbits(32), rng.getrandbits(32)))).action == "drop"
        for _ in range(60_000)
    )
    assert 0.05 < drops / 60_000 < 0.2, drops / 60_000
