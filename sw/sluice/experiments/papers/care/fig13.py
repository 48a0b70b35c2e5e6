# SPDX-License-Identifier: Apache-2.0
"""CARE, Figure 13: the drop probability when the load rises and falls in steps."""

from __future__ import annotations

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import care
from sluice.experiments.papers.care import _steps


def cells() -> list[Cell]:
    """One cell for each AQM."""
    network = care.scenario("care-fig13", _steps.FLOWS, duration_s=_steps.DURATION_S, warmup_s=0)
    return care.cells_of(_steps.POINT, network)


experiment = Experiment(
    name="care-fig13",
    summary="CARE, Figure 13: drop probability when the load rises and falls in steps",
    duration_s=_steps.DURATION_S,
    seeds=2,
    settings=_steps.SETTINGS,
    cells=cells,
    metrics=_steps.METRICS,
    quick_points=(_steps.POINT,),
    quick_part=1,
    time_plots=_steps.TIME_PLOTS,
)
