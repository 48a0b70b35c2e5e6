# SPDX-License-Identifier: Apache-2.0
"""CARE, Figures 2 to 4: the estimated number of flows while flows come and go, with 30, 10 and 0 % of UDP.

The paper shows curves only and does not say when flows come and go; here there are four stretches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sluice.experiments import Cell, Experiment, TimePlot
from sluice.experiments.papers import care
from sluice.loop.scenario import Scenario, active_flows
from sluice.loop.series import status

STRETCH_S = 50.0
"""Time between two changes of the number of flows."""

ALWAYS, LATE, CROWD = 20, 20, 30
"""TCP flows: from the start, from the second stretch on, in the third only; 20, 40, 70, 40 in all."""

DURATION_S = 4 * STRETCH_S


def network(udp_percent: int) -> Scenario:
    """Flows in four stretches, and perhaps a UDP flow."""
    flows = [
        *care.tcp_mix(ALWAYS),
        *_renamed("late", care.tcp_mix(LATE, start_s=STRETCH_S)),
        *_renamed("crowd", care.tcp_mix(CROWD, start_s=2 * STRETCH_S, stop_s=3 * STRETCH_S)),
    ]
    if udp_percent:
        flows.append(care.udp(udp_percent))
    return care.scenario("care-fig2-4", flows, duration_s=DURATION_S, warmup_s=10)


def _renamed(prefix: str, groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [group | {"name": f"{prefix}-{group['name']}"} for group in groups]


def cells() -> list[Cell]:
    """One cell for each share of UDP."""
    return [
        Cell(aqm="care", point=f"{percent} % UDP", config="care", scenario=network(percent)) for percent in (30, 10, 0)
    ]


def bias_percent(result: dict[str, Any]) -> float:
    """The mean of all estimates against the mean of the true numbers."""
    found, true = _beside_truth(result)
    return float(100 * (found.mean() / true.mean() - 1))


def scatter_percent(result: dict[str, Any]) -> float:
    """The root mean square of a single estimate's relative error."""
    found, true = _beside_truth(result)
    return float(100 * np.sqrt(np.mean((found / true - 1) ** 2)))


def _beside_truth(result: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    times, found = care.estimates(result)
    changes, counts = zip(*active_flows(network(0)), strict=True)
    has_udp = any(flow["kind"] == "udp_cbr" for flow in result["flows"])
    return found, np.asarray(counts)[np.searchsorted(changes, times) - 1] + has_udp


experiment = Experiment(
    name="care-fig2-4",
    summary="CARE, Figures 2 to 4: the estimated number of flows while they come and go",
    duration_s=DURATION_S,
    seeds=2,
    settings=care.SETTINGS
    | {
        "flows": f"20, 40, 70 and 40 TCP flows, {STRETCH_S:g} s each; the paper shows curves without numbers",
        "duration": f"{DURATION_S:g} s, the first 10 s discarded",
    },
    cells=cells,
    metrics={"bias_percent": bias_percent, "scatter_percent": scatter_percent},
    quick_points=("10 % UDP",),
    quick_part=1,
    time_plots=(
        TimePlot(
            "Estimated number of flows", "flows", status("flows"), truth=lambda scenario, _: active_flows(scenario)
        ),
    ),
)
