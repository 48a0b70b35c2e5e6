# SPDX-License-Identifier: Apache-2.0
"""RED-PD's controller against the lists that ns-2 recorded (data/README.md)."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sluice_golden.red.red_pd import is_drawn
from sluice_golden.red.red_pd_lists import Counted, ListController, Record
from sluice_golden.red.red_pd_reference import RELEASE_S, Bytes, RedPdReference

if TYPE_CHECKING:
    from collections.abc import Iterator

BOUND = 0.01

RECORDED = ("red_pd_25_tcp", "red_pd_60_tcp")

States = dict[int, tuple[float, bool]]  # by flow: share that survives, whether it is unresponsive


@dataclass(slots=True)
class RecordedList:
    """One list, and who is monitored after its end and after the release."""

    now: float
    total: Bytes
    average_rate: float
    flows: dict[int, Bytes] = field(default_factory=dict)
    punished: States = field(default_factory=dict)
    release: float = 0.0
    released: States = field(default_factory=dict)


def recorded(name: str) -> list[RecordedList]:
    """All lists of a run."""
    lists: list[RecordedList] = []
    states: States = {}
    for line in (Path(__file__).parents[1] / "data" / f"{name}.csv").read_text().splitlines():
        kind, first, *rest = line.split(",")
        if kind == "list":
            if lists:
                lists[-1].released = dict(states)
            arrived, dropped, filtered = map(int, rest[:3])
            lists.append(RecordedList(float(first), Bytes(arrived, dropped, filtered), float(rest[3])))
        elif kind == "flow":
            lists[-1].flows[int(first)] = Bytes(*map(int, rest))
        elif kind == "release":
            lists[-1].punished = dict(states)
            lists[-1].release = float(first)
        elif rest:
            states[int(first)] = (float(rest[0]), rest[1] == "1")
        else:
            del states[int(first)]
    lists[-1].released = dict(states)
    return lists


def states(reference: RedPdReference) -> States:
    return {flow: (state.survives, state.is_unresponsive) for flow, state in reference.monitored.items()}


@pytest.mark.parametrize("name", RECORDED)
def test_reference_equals_ns2(name: str) -> None:
    """Every drop rate, identification, step and release, and the time of every list, to the last digit."""
    reference = RedPdReference()
    due = 10.1
    for one in recorded(name):
        assert one.now == due
        due = one.now + reference.end_of_list(one.now, one.total, one.flows)
        assert reference.average_rate == one.average_rate
        assert states(reference) == one.punished
        reference.release(one.release)
        assert states(reference) == one.released
    assert any(is_unresponsive for _, is_unresponsive in one.released.values())


def run_beside(name: str) -> Iterator[tuple[ListController, RedPdReference, dict[int, int]]]:
    """Both controllers over the same losses, each with its own times; after each list both, and the flows' ids by number."""
    rng = random.Random(1)
    ids: dict[int, int] = {}
    reference, controller = RedPdReference(longest_list=10**9, tie_s=4 * 2.0**16 * 1e-9), ListController(400_000_000)
    controller.begin(0)
    now, now_ns = 10.1, 10_100_000_000
    for one in recorded(name):
        for flow in one.flows:
            ids.setdefault(flow, rng.getrandbits(32))
        record = Record(one.total.arrived, one.total.filtered, one.total.dropped - one.total.filtered)
        known = {f.flow: place for place, f in controller.flows.items()}
        for flow, seen in one.flows.items():
            lost = seen.dropped - seen.filtered
            if ids[flow] in known:
                record.counted[known[ids[flow]]] = Counted(seen.arrived, seen.dropped, lost)
            elif lost:
                record.newcomers.append((ids[flow], lost))
        length = reference.end_of_list(now, one.total, one.flows)
        reference.release(now + RELEASE_S)
        controller.end_of_list(now_ns, record, 40_000_000, tests_unresponsive=True)
        assert controller.interval_ns == pytest.approx(length * 1e9, rel=BOUND)
        now, now_ns = now + length, now_ns + controller.interval_ns
        yield controller, reference, ids


@pytest.mark.parametrize("name", RECORDED)
def test_model_follows_the_reference(name: str) -> None:
    """The same flows are monitored and taken for unresponsive after each list, with probabilities within the bound."""
    for controller, reference, ids in run_beside(name):
        flows = {one.flow: one for one in controller.flows.values() if one.probability}
        assert set(flows) == {ids[flow] for flow in reference.monitored}
        for flow, state in reference.monitored.items():
            one = flows[ids[flow]]
            assert one.is_unresponsive == state.is_unresponsive
            assert one.probability / 2**24 == pytest.approx(state.probability, rel=BOUND, abs=2e-7)


@pytest.mark.parametrize("probability", [0.05, 0.25, 0.7])
def test_gaps_of_the_filter_are_uniform(probability: float) -> None:
    """On 1..1/P; where that is no integer, the last gap is as much rarer."""
    rng, raw = random.Random(1), round(probability * 2**18)
    gaps: Counter[int] = Counter()
    count = 0
    while gaps.total() < 40_000:
        if is_drawn(rng.getrandbits(18), raw, count):
            gaps[count + 1] += 1
            count = 0
        else:
            count += 1
    probability = raw / 2**18
    most = math.ceil(1 / probability)
    expected = {gap: min(1 - (gap - 1) * probability, probability) for gap in range(1, most + 1)}
    assert max(gaps) <= most
    for gap, share in expected.items():
        assert gaps[gap] == pytest.approx(40_000 * share, abs=4 * (40_000 * share) ** 0.5)
