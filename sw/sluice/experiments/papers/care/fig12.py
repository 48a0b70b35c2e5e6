# SPDX-License-Identifier: Apache-2.0
"""CARE, Figure 12: the drop probability by the load of the UDP flow, for lists of different length.

The paper finds it about constant. It draws curves only.
"""

from __future__ import annotations

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import care
from sluice.loop import metrics

LOADS_PERCENT = (1, 10, 20, 30)

LENGTHS = (50, 100, 200)
"""t; the number of flows is estimated from the newest 50 captures throughout."""

DURATION_S = 60


def cells() -> list[Cell]:
    """One cell for each length and load."""
    return [
        Cell(
            aqm=f"care t={length}",
            point=f"{load} %",
            config="care",
            scenario=care.scenario(
                "care-fig12", [*care.tcp_mix(45), care.udp(load)], care={"list_length": length, "window": 50}
            ),
        )
        for length in LENGTHS
        for load in LOADS_PERCENT
    ]


experiment = Experiment(
    name="care-fig12",
    summary="CARE, Figure 12: drop probability by the UDP flow's load, 45 TCP flows, three lengths of the list",
    duration_s=DURATION_S,
    seeds=2,
    settings=care.SETTINGS | {"CARE": "t_n = 50, p_cap = 0.04"} | care.DURATION,
    cells=cells,
    metrics={"drop_percent": metrics.drop_percent},
    quick_points=("1 %", "10 %", "30 %"),
)
