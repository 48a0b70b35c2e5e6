# SPDX-License-Identifier: Apache-2.0
"""CARE, Figure 14: the same steps of load with lists of different length; the paper finds no difference."""

from __future__ import annotations

from sluice.experiments import Cell, Experiment, care
from sluice.experiments.care import _care_steps

CONFIGS = {50: "care", 100: "care", 200: "care", 800: "care-table-800"}
"""Length of the list to configuration."""


def cells() -> list[Cell]:
    """One cell for each length."""
    return [
        Cell(
            aqm=f"care t={length}",
            point=_care_steps.POINT,
            config=config,
            scenario=care.scenario(
                "care-fig14",
                _care_steps.FLOWS,
                care={"list_length": length, "window": 50},
                duration_s=_care_steps.DURATION_S,
                warmup_s=0,
            ),
        )
        for length, config in CONFIGS.items()
    ]


experiment = Experiment(
    name="care-fig14",
    summary="CARE, Figure 14: the steps of Figure 13 with lists of four lengths",
    duration_s=_care_steps.DURATION_S,
    seeds=2,
    settings=_care_steps.SETTINGS | {"CARE": "t_n = 50, p_cap = 0.04; t = 800 counts by fingerprint"},
    cells=cells,
    metrics=_care_steps.METRICS,
    quick_points=(_care_steps.POINT,),
    quick_part=1,
    time_plots=_care_steps.TIME_PLOTS,
)
