# SPDX-License-Identifier: Apache-2.0
"""UDP in experiments: one flow that does not back off among TCP flows, and packets at random times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from sluice.experiments import Cell
from sluice.loop.scenario import Scenario, flow_groups


def throughput_mbps(result: dict[str, Any]) -> float:
    """Throughput of the UDP flow."""
    return float(next(flow["throughput_mbps"] for flow in result["flows"] if flow["kind"] == "udp_cbr"))


def at_random(mbps: float, packet_bytes: int, link_mbps: float) -> dict[str, Any]:
    """What a group of flows says that send single packets at random (exponential) intervals, so much in the mean, over links of
    that rate: bursts so short that each is one packet.
    """
    packet_s = packet_bytes * 8e-6
    idle_s = packet_s / mbps - packet_s / link_mbps
    return {
        "kind": "udp_onoff",
        "rate_mbps": link_mbps,
        "packet_bytes": packet_bytes,
        "burst_s": 1e-6,
        "idle_s": idle_s,
        "shape": None,
    }


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
