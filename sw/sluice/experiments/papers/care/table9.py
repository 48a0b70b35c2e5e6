# SPDX-License-Identifier: Apache-2.0
"""CARE, Table IX (and Figure 16): 25 TCP flows of five round-trip times and one UDP flow."""

from __future__ import annotations

from statistics import mean
from typing import Any

from sluice.experiments import Cell, Experiment, data, udp
from sluice.experiments.papers import care
from sluice.loop import metrics

DURATION_S = 120

DELAYS_MS = (0.1, 2, 4, 10, 100)
"""Delay of both hosts' links; five flows each."""


def cells(**common: Any) -> list[Cell]:
    """One cell for each AQM, with these keys for all TCP flows."""
    printed = data.published("care-table9")
    tcp: list[dict[str, Any]] = [
        {
            "name": f"tcp-{delay:g}ms",
            "kind": "tcp",
            "count": 5,
            "start_spread_s": 1,
            "source_delay_ms": delay,
            "sink_delay_ms": delay,
        }
        | common
        for delay in DELAYS_MS
    ]
    network = care.scenario("care-table9", [*tcp, care.udp(10)])
    return care.cells_of("25 TCP, 1 UDP", network, {m: printed[m] for m in ("norm_kbps", "udp_mbps")})


def far_mbps(result: dict[str, Any]) -> float:
    """Mean throughput of the flows with the longest round trip."""
    return mean(float(flow["throughput_mbps"]) for flow in _far(result))


def far_loss_percent(result: dict[str, Any]) -> float:
    """What the bottleneck drops of these flows' packets."""
    return metrics.loss_percent(_far(result))


def _far(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [flow for flow in result["flows"] if flow["id"].startswith(f"tcp-{DELAYS_MS[-1]:g}ms-")]


experiment = Experiment(
    name="care-table9",
    summary="CARE, Table IX: distance from equal shares between flows of different round-trip times",
    duration_s=DURATION_S,
    seeds=3,
    settings=care.SETTINGS
    | {
        "TCP": "standard, all 25: the paper varies the delays only; it does not say whether it keeps its mix",
        "delays": "at both ends; with the sources' alone neither RED nor SRED nor RED-PD comes out as printed, in ns-2 either",
    }
    | care.DURATION,
    cells=cells,
    metrics={
        "norm_kbps": care.norm_kbps,
        "udp_mbps": udp.throughput_mbps,
        "far_mbps": far_mbps,
        "far_loss_percent": far_loss_percent,
    },
    quick_points=("25 TCP, 1 UDP",),
)
