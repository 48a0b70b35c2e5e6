# SPDX-License-Identifier: Apache-2.0
"""CARE, Table V (and Figures 5 to 8): what 25 TCP flows and one UDP flow get through, all together."""

from __future__ import annotations

import math
from typing import Any

from sluice.experiments import Cell, Experiment, data, udp
from sluice.experiments.papers import care

DURATION_S = 60


def cells() -> list[Cell]:
    """One cell for each AQM."""
    printed = data.published("care-table5")["goodput_mbps"]
    network = care.scenario("care-table5", [*care.tcp_mix(25), care.udp(10)])
    return care.cells_of("25 TCP, 1 UDP", network, {"delivered_mbps": printed})


def delivered_mbps(result: dict[str, Any]) -> float:
    """IP packets that reached their hosts; what the paper calls goodput can only be this, so close to 10 it is."""
    return math.fsum(flow["throughput_mbps"] for flow in result["flows"])


def goodput_mbps(result: dict[str, Any]) -> float:
    """Data that reached the applications, once."""
    return math.fsum(flow["goodput_mbps"] for flow in result["flows"])


experiment = Experiment(
    name="care-table5",
    summary="CARE, Table V: what 25 TCP flows and one UDP flow get through a 10 Mbit/s link",
    duration_s=DURATION_S,
    seeds=3,
    settings=care.SETTINGS | {"link": "a PPP header of 2 bytes for each 1000: 9.98 Mbit/s at most"} | care.DURATION,
    cells=cells,
    metrics={
        "delivered_mbps": delivered_mbps,
        "goodput_mbps": goodput_mbps,
        "udp_mbps": udp.throughput_mbps,
        "norm_kbps": care.norm_kbps,
    },
    quick_points=("25 TCP, 1 UDP",),
)
