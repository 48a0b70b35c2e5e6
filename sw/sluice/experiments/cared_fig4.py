# SPDX-License-Identifier: Apache-2.0
"""CARED, Figure 4: the average queue after the load has risen at 25 s.

Two long flows; from 25 s on twenty more start, one each 0.1 s. RED's max_p is fixed, so its average stays away.
"""

from __future__ import annotations

from sluice.experiments import Cell, Experiment, _cared_step

NETWORK = _cared_step.scenario(
    "cared-fig4", "two flows, and twenty more from 25 s on", first_start_s=_cared_step.STEP_S
)


def cells() -> list[Cell]:
    """One cell for each AQM."""
    return _cared_step.cells("cared-fig4", NETWORK)


experiment = Experiment(
    name="cared-fig4",
    summary="CARED, Figure 4: the average queue after the load has risen at 25 s",
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
