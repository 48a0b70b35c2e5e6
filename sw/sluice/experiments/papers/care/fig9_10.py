# SPDX-License-Identifier: Apache-2.0
"""CARE, Figures 9 and 10: how unequally 30 to 70 TCP flows and one UDP flow share the link."""

from __future__ import annotations

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import care

TCP_FLOWS = range(30, 71, 20)

DURATION_S = 60


def cells() -> list[Cell]:
    """One cell for each AQM and number of flows."""
    return [
        cell
        for count in TCP_FLOWS
        for cell in care.cells_of(
            f"{count} TCP flows", care.scenario("care-fig9-10", [*care.tcp_mix(count), care.udp(10)])
        )
    ]


experiment = Experiment(
    name="care-fig9-10",
    summary="CARE, Figures 9 and 10: distance from equal shares, 30 to 70 TCP flows and one UDP flow",
    duration_s=DURATION_S,
    seeds=3,
    settings=care.SETTINGS | care.DURATION,
    cells=cells,
    metrics={"norm_kbps": care.norm_kbps},
    quick_points=("30 TCP flows", "50 TCP flows", "70 TCP flows"),
)
