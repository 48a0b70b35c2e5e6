# SPDX-License-Identifier: Apache-2.0
"""CARED, Figure 5: the average queue after the load has fallen at 25 s.

Two long flows and twenty others, started one each 0.1 s; the twenty end at 25 s.
"""

from __future__ import annotations

from sluice.experiments import Cell, Experiment, _cared_step

NETWORK = _cared_step.scenario(
    "cared-fig5", "two flows, and twenty more until 25 s", first_start_s=0, stop_s=_cared_step.STEP_S
)


def cells() -> list[Cell]:
    """One cell for each AQM."""
    return _cared_step.cells("cared-fig5", NETWORK)


experiment = Experiment(
    name="cared-fig5",
    summary="CARED, Figure 5: the average queue after the load has fallen at 25 s",
    duration_s=NETWORK.duration_s,
    seeds=10,
    settings=_cared_step.SETTINGS,
    cells=cells,
    metrics={"seconds_back": _cared_step.seconds_back},
    quick_points=(f"step at {_cared_step.STEP_S:g} s",),
    quick_part=1,
    medians=("seconds_back",),
    time_plots=_cared_step.TIME_PLOTS,
)
