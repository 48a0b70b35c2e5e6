# SPDX-License-Identifier: Apache-2.0
"""A kept row is old when its simulation is another now, and for no other reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sluice.experiments import Cell, kept_results
from sluice.loop import scenario
from sluice.loop.scenario import flow_groups

DURATION_S = 60.0


def is_old_after(before: Cell, after: Cell) -> bool:
    """Whether a row of a cell is old when the cell becomes another."""
    row = {"rtl": "", "setting": kept_results.setting(before, DURATION_S), "duration_s": str(DURATION_S)}
    return kept_results.is_old(row, after)


def cell(**more: Any) -> Cell:
    """The main scenario behind ns-3's FIFO, which has no RTL."""
    return Cell(aqm="fifo", point="here", config="ns3-fifo", scenario=replace(scenario.load("main"), **more))


def flows(**more: Any) -> dict[str, Any]:
    """One group of TCP flows."""
    return {"flows": flow_groups([{"kind": "tcp", "count": 25} | more])}


def test_a_default_that_is_said_makes_no_row_old(project: object) -> None:
    assert not is_old_after(cell(**flows()), cell(**flows(direction="forth", ecn=None, start_s=0)))


@pytest.mark.parametrize(
    "more",
    [flows(count=24), flows(direction="back"), flows(ecn=False), {"limit": 99}, {"settings": {"red": {"min": 6}}}],
    ids=["count", "direction", "ecn", "limit", "settings"],
)
def test_another_simulation_makes_a_row_old(project: object, more: dict[str, Any]) -> None:
    assert is_old_after(cell(**flows()), cell(**(flows() | more)))
