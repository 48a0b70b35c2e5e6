# SPDX-License-Identifier: Apache-2.0
"""PIE and PI2: the same traffic through each, and what both are measured by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

NS3_SETTINGS: dict[str, float] = {"decay_empty": 1, "max_burst": 15_000_000, "derandomise": 0, "min_bytes": 0}
"""PIE as ns-3 has it by default."""

TARGET_MS = 15

_SOURCE_DELAYS_MS = (5, 10, 15, 20, 25)


def flows(count: int, **more: Any) -> list[dict[str, Any]]:
    """So many greedy TCP flows, with shortest round trips of 40 to 80 ms in turn."""
    return [
        {"kind": "tcp", "count": own, "start_spread_s": 5, "source_delay_ms": delay, "name": f"tcp{delay}"} | more
        for i, delay in enumerate(_SOURCE_DELAYS_MS)
        if (own := len(range(i, count, len(_SOURCE_DELAYS_MS))))
    ]


def network(
    name: str,
    summary: str,
    hop: Hop,
    groups: list[dict[str, Any]],
    duration_s: float,
    settings: dict[str, dict[str, float]] | None = None,
    ecn: bool = False,
) -> Scenario:
    """One link with room for 1,000 packets."""
    return Scenario(
        name=name,
        summary=summary,
        duration_s=duration_s,
        warmup_s=duration_s / 6,
        limit=1000,
        packet_bytes=1000,
        ecn=ecn,
        hops=[hop],
        access=Access(rate_mbps=1000, delay_ms=5),
        flows=flow_groups(groups),
        tcp=NS2_LIKE,
        settings=settings or {},
    )


def delay_ms(result: Mapping[str, Any]) -> float:
    """Mean time of a packet in the queue."""
    return float(result["queue_delay_ms"]["mean"])


def goodput_mbps(result: Mapping[str, Any]) -> float:
    """What the applications of all flows have read."""
    return float(sum(flow["goodput_mbps"] for flow in result["flows"]))


def per_second(result: Mapping[str, Any], what: str) -> float:
    """Packets a second of `drops` or `marks`."""
    return float(sum(result[what].values()) / (result["duration_s"] - result["warmup_s"]))
