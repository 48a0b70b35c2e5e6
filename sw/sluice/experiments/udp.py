# SPDX-License-Identifier: Apache-2.0
"""Experiments with one UDP flow that does not back off among TCP flows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from sluice.experiments import Cell
from sluice.loop.scenario import Scenario, flow_groups


def throughput_mbps(result: dict[str, Any]) -> float:
    """Throughput of the UDP flow."""
    return float(next(flow["throughput_mbps"] for flow in result["flows"] if flow["kind"] == "udp_cbr"))


def among(base: Scenario, tcp_flows: int, start_spread_s: float, load: float) -> Scenario:
    """The network with so many equal TCP flows, and a UDP flow that offers so many times the link's rate."""
    flows: list[dict[str, Any]] = [
        {"kind": "tcp", "count": tcp_flows, "start_spread_s": start_spread_s},
        {"name": "udp", "kind": "udp_cbr", "rate_mbps": base.hops[0].rate_mbps * load},
    ]
    return replace(base, flows=flow_groups(flows))


def cells(
    loads: Iterable[float],
    aqms: Iterable[str],
    scenario: Callable[[float], Scenario],
    published: Callable[[str, float], Mapping[str, float | str]],
) -> list[Cell]:
    """One cell for each load and AQM; `published`: by AQM and load."""
    return [
        Cell(
            aqm=aqm,
            point=f"{load:g} times the link",
            config=aqm,
            scenario=scenario(load),
            published=published(aqm, load),
        )
        for load in loads
        for aqm in aqms
    ]
