# SPDX-License-Identifier: Apache-2.0
"""Samples over time: taken by name, the middle of several runs, and the true number of flows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sluice.loop import scenario, series


def result(**status: list[float]) -> dict[str, Any]:
    return {"series": {"time_s": [0.1, 0.2], "queue_packets": [3, 4], "status": status}}


def test_the_first_register_that_an_aqm_has_is_drawn() -> None:
    curve = series.status("flows", "average")
    assert curve(result(average=[1, 2])) == [1, 2]
    assert curve(result(average=[1, 2], flows=[7, 8])) == [7, 8]
    assert curve(result()) is None


def test_several_runs_give_their_median() -> None:
    runs = [result(average=[value, 10 * value]) for value in (1, 5, 2)]
    found = series.median_over_runs(runs, series.status("average"))
    assert found is not None
    assert [list(axis) for axis in found] == [[0.1, 0.2], [2, 20]]
    assert series.median_over_runs(runs, series.status("flows")) is None


@pytest.mark.parametrize(
    ("groups", "steps"),
    [
        ([{"kind": "tcp", "count": 3}], [(0, 3), (60, 0)]),
        (
            [{"kind": "tcp", "count": 2}, {"kind": "tcp", "name": "late", "count": 4, "start_s": 25, "stop_s": 40}],
            [(0, 2), (25, 6), (40, 2), (60, 0)],
        ),
    ],
)
def test_active_flows_change_in_steps(groups: list[dict[str, Any]], steps: list[tuple[float, int]]) -> None:
    assert scenario.active_flows(replace(scenario.load("main"), flows=groups)) == steps
