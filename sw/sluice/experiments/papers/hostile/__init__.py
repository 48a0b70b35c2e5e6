# SPDX-License-Identifier: Apache-2.0
"""Senders that know how a scheme works: what they gain, with what ships and with the paper's own form of each scheme.

The network is the one of the scenario `main`: 10 Mbit/s, 100 packets of 1,000 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sluice.experiments import Cell
from sluice.loop import scenario as scenarios
from sluice.loop.scenario import Scenario, flow_groups

DURATION_S = 60
SEEDS = 3


@dataclass(frozen=True)
class Column:
    """A scheme: its configuration, and what is set that is not the default, by algorithm."""

    config: str
    settings: dict[str, dict[str, float]] = field(default_factory=dict)


def cells(points: Mapping[str, Scenario], columns: Mapping[str, Column]) -> list[Cell]:
    """One cell for each point and column."""
    return [
        Cell(aqm=name, point=point, config=column.config, scenario=replace(at, settings=at.settings | column.settings))
        for point, at in points.items()
        for name, column in columns.items()
    ]


def network(name: str, tcp_flows: int, summary: str, udp: dict[str, Any], **more: Any) -> Scenario:
    """The network of `main` with so many TCP flows, and beside them one of UDP, or none where its rate is 0."""
    tcp = {"name": "tcp", "kind": "tcp", "count": tcp_flows, "start_spread_s": 1}
    hostile = [{"name": "udp", "kind": "udp_cbr"} | udp] if udp["rate_mbps"] else []
    flows = flow_groups([tcp, *hostile])
    return replace(
        scenarios.load("main"), name=name, summary=f"{tcp_flows} TCP flows, and {summary}", flows=flows, **more
    )


def tcp_mbps(result: dict[str, Any]) -> float:
    """Throughput of all TCP flows together."""
    return float(sum(flow["throughput_mbps"] for flow in result["flows"] if flow["kind"] == "tcp"))


def attack_mbps(result: dict[str, Any]) -> float:
    """Throughput of the hostile senders."""
    return float(sum(flow["throughput_mbps"] for flow in result["flows"] if flow["kind"] != "tcp"))
