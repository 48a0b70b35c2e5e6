# SPDX-License-Identifier: Apache-2.0
"""CARE, Table VI by its gate: whether it still holds UDP where it lets small queues be."""

from __future__ import annotations

from dataclasses import replace

from sluice.experiments import Cell
from sluice.experiments.papers import care
from sluice.experiments.papers.care import table6
from sluice.experiments.papers.care_gate import _gates

LOADS = (5, 10, 30)
"""In percent of the link: all above the fair share of 2.8."""


def cells() -> list[Cell]:
    """One cell for each load and gate."""
    return [
        cell
        for load in LOADS
        for cell in _gates.cells(f"{load} %", care.scenario("care-table6", [*care.tcp_mix(35), care.udp(load)]))
    ]


experiment = replace(
    table6.experiment,
    name="care-table6-gates",
    summary="CARE, Table VI with each of its gates: throughput of one UDP flow among 35 TCP flows",
    settings={
        **care.SETTINGS,
        "gates": "0 drops at any queue, 1 at one that is not empty, 2 from so much of the buffer on; a quarter ships",
        **care.DURATION,
    },
    cells=cells,
    quick_points=("10 %",),
)
