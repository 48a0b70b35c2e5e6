# SPDX-License-Identifier: Apache-2.0
"""FRED: how many fair shares of the link a UDP flow gets among 25 TCP flows, by what it offers."""

from __future__ import annotations

from typing import Any

from sluice.experiments import Cell, Experiment, udp
from sluice.experiments.papers import fred

LOADS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5)
"""Rates of the UDP flow in rates of the link, of which the fair share is 0.038."""

AQMS = ("fred", "red")

DURATION_S = 60


def cells() -> list[Cell]:
    """One cell for each AQM and load; RED is there to show what FRED is for."""
    return udp.cells(
        LOADS,
        AQMS,
        fred.scenario,
        lambda aqm, load: {"udp_fair_shares": "its share"} if aqm == "fred" else {},
    )


def fair_shares(result: dict[str, Any]) -> float:
    """Throughput of the UDP flow, in fair shares of the link."""
    return udp.throughput_mbps(result) * (fred.TCP_FLOWS + 1) / fred.LINK_MBPS


experiment = Experiment(
    name="fred-share",
    summary="FRED: fair shares of the link that one UDP flow gets among 25 TCP flows, by its load",
    duration_s=DURATION_S,
    seeds=3,
    settings=fred.SETTINGS
    | {
        "published": "no numbers; that such a flow is held to its share is what FRED is for",
        "duration": f"{DURATION_S} s, the first sixth discarded",
    },
    cells=cells,
    metrics={"udp_fair_shares": fair_shares},
    quick_points=("0.2 times the link", "1 times the link"),
)
