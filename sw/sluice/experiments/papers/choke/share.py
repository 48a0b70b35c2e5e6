# SPDX-License-Identifier: Apache-2.0
"""CHOKe: which share of the link a UDP flow gets among 32 TCP flows, by what it offers; beside it the model's curve."""

from __future__ import annotations

from typing import Any

from sluice.experiments import Cell, Experiment, udp
from sluice.experiments.papers import choke
from sluice.experiments.papers.choke import _model

LOADS = (0.1, 0.2, 0.5, 0.8, 1, 1.2, 1.5, 2, 3, 5, 10)
"""Rates of the UDP flow in rates of the link; the model's share is greatest at 1.19."""

AQMS = ("choke", "red")

DURATION_S = 120


def cells() -> list[Cell]:
    """One cell for each AQM and load. The model is CHOKe's; RED is there to show what it is for."""
    return udp.cells(
        LOADS,
        AQMS,
        choke.scenario,
        lambda aqm, load: {"udp_share": _model.share(load)} if aqm == "choke" else {},
    )


def udp_share(result: dict[str, Any]) -> float:
    """Throughput of the UDP flow, in rates of the link."""
    return udp.throughput_mbps(result) / choke.LINK_MBPS


experiment = Experiment(
    name="choke-share",
    summary="CHOKe: share of the link of one UDP flow among 32 TCP flows, by its load, beside the model of 2004",
    duration_s=DURATION_S,
    seeds=3,
    settings=choke.SETTINGS
    | {
        "published": "the model of Tang, Wang and Low, solved numerically: many TCP flows, few drops by RED, and every draw"
        " finds a packet",
        "duration": f"{DURATION_S} s, the first sixth discarded",
    },
    cells=cells,
    metrics={"udp_share": udp_share},
    quick_points=("0.5 times the link", "1.2 times the link", "10 times the link"),
)
