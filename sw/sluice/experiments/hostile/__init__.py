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
    """A scheme: its configuration, and what is set that is not the default."""

    config: str
    settings: Mapping[str, float] = field(default_factory=dict)


def cells(points: Mapping[str, Scenario], columns: Mapping[str, Column]) -> list[Cell]:
    """One cell for each point and column."""
    return [
        Cell(aqm=name, point=point, config=column.config, scenario=_with(network, column))
        for point, network in points.items()
        for name, column in columns.items()
    ]


def network(name: str, summary: str, flows: list[dict[str, Any]], **more: Any) -> Scenario:
    """The network of `main` with these flows."""
    return replace(scenarios.load("main"), name=name, summary=summary, flows=flow_groups(flows), **more)


def _with(network: Scenario, column: Column) -> Scenario:
    """The settings under the name of the scheme go to whichever configuration is made of it."""
    algorithm = column.config.partition("-")[0]
    return replace(network, settings=network.settings | {algorithm: dict(column.settings)})


def tcp_mbps(result: dict[str, Any]) -> float:
    """Throughput of all TCP flows together."""
    return float(sum(flow["throughput_mbps"] for flow in result["flows"] if flow["kind"] == "tcp"))


def attack_mbps(result: dict[str, Any]) -> float:
    """Throughput of the hostile senders."""
    return float(sum(flow["throughput_mbps"] for flow in result["flows"] if flow["kind"] != "tcp"))
