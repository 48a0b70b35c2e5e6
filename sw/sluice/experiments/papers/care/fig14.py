# SPDX-License-Identifier: Apache-2.0
"""CARE, Figure 14: the same steps of load with lists of different length; the paper finds no difference."""

from __future__ import annotations

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import care
from sluice.experiments.papers.care import _steps

CONFIGS = {50: "care", 100: "care", 200: "care", 800: "care-table-800"}
"""Length of the list to configuration."""


def cells() -> list[Cell]:
    """One cell for each length."""
    return [
        Cell(
            aqm=f"care t={length}",
            point=_steps.POINT,
            config=config,
            scenario=care.scenario(
                "care-fig14",
                _steps.FLOWS,
                care={"list_length": length, "window": 50},
                duration_s=_steps.DURATION_S,
                warmup_s=0,
            ),
        )
        for length, config in CONFIGS.items()
    ]


experiment = Experiment(
    name="care-fig14",
    summary="CARE, Figure 14: the steps of Figure 13 with lists of four lengths",
    duration_s=_steps.DURATION_S,
    seeds=2,
    settings=_steps.SETTINGS | {"CARE": "t_n = 50, p_cap = 0.04; t = 800 counts by fingerprint"},
    cells=cells,
    metrics=_steps.METRICS,
    quick_points=(_steps.POINT,),
    quick_part=1,
    time_plots=_steps.TIME_PLOTS,
)
