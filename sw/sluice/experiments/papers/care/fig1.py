# SPDX-License-Identifier: Apache-2.0
"""CARE, Figure 1: the number of flows as CARE and SRED estimate it, beside the true one.

The paper has one UDP flow among the flows; here its absence is a column of its own, because the estimate's
known error grows with the inequality of the flows.
"""

from __future__ import annotations

from typing import Any

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import care

FLOWS = (41, 51, 61, 71)

DURATION_S = 60


def cells() -> list[Cell]:
    """One cell for each AQM and number of flows, without a UDP flow among them and with one."""
    return [
        Cell(aqm=f"{aqm}, {mix}", point=f"{count} flows", config=aqm, scenario=care.scenario("care-fig1", flows))
        for count in FLOWS
        for aqm in ("care", "sred")
        for mix, flows in {
            "TCP only": care.tcp_mix(count),
            "one UDP": [*care.tcp_mix(count - 1), care.udp(10)],
        }.items()
    ]


def estimated_flows(result: dict[str, Any]) -> float:
    """The mean of the estimates, one each 0.1 s."""
    return float(care.estimates(result)[1].mean())


def error_percent(result: dict[str, Any]) -> float:
    """How far that is from the number of flows."""
    return 100 * (estimated_flows(result) / len(result["flows"]) - 1)


experiment = Experiment(
    name="care-fig1",
    summary="CARE, Figure 1: the estimated number of flows, by the true one",
    duration_s=DURATION_S,
    seeds=3,
    settings=care.SETTINGS | care.DURATION,
    cells=cells,
    metrics={"estimated_flows": estimated_flows, "error_percent": error_percent},
    quick_points=("41 flows", "71 flows"),
)
