# SPDX-License-Identifier: Apache-2.0
"""RED-PD's controller against the lists that ns-2 recorded (data/README.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sluice_golden.red_pd_reference import Bytes, RedPdReference

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
    for line in (Path(__file__).parent / "data" / f"{name}.csv").read_text().splitlines():
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
