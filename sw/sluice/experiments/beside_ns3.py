# SPDX-License-Identifier: Apache-2.0
"""A scheme beside ns-3's own, which shares nothing with ours: the same TCP flows over one link, and the same seeds."""

from __future__ import annotations

from typing import Any

from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

LINKS = ((1, 10), (5, 10), (25, 10), (100, 10), (25, 100))
"""Flows, and the rate of their link in Mbit/s."""

DURATION_S = 60
SEEDS = 5
SETTINGS = {
    "network": "one link, shortest round trips of 40 to 80 ms, buffer 1,000 packets of 1,000 bytes",
    "TCP": "as in ns-2: SACK, an ACK per segment, least RTO 200 ms",
    "duration": f"{DURATION_S} s, the first sixth discarded",
}

_SOURCE_DELAYS_MS = (5, 10, 15, 20, 25)


def point(flows: int, rate_mbps: float) -> str:
    """How one of the links is called."""
    return f"{flows} flows, {rate_mbps:g} Mbit/s"


def scenario(
    name: str, flows: int, rate_mbps: float, settings: dict[str, dict[str, float]], ecn: bool = False
) -> Scenario:
    """So many greedy TCP flows over one link, with shortest round trips of 40 to 80 ms in turn."""
    groups = [
        {"kind": "tcp", "count": count, "start_spread_s": 5, "source_delay_ms": delay, "name": f"tcp{delay}"}
        for i, delay in enumerate(_SOURCE_DELAYS_MS)
        if (count := len(range(i, flows, len(_SOURCE_DELAYS_MS))))
    ]
    return Scenario(
        name=name,
        summary=f"{flows} TCP flows share {rate_mbps:g} Mbit/s",
        duration_s=DURATION_S,
        warmup_s=DURATION_S / 6,
        limit=1000,
        packet_bytes=1000,
        ecn=ecn,
        hops=[Hop(rate_mbps=rate_mbps, delay_ms=10)],
        access=Access(rate_mbps=1000, delay_ms=5),
        flows=flow_groups(groups),
        tcp=NS2_LIKE,
        settings=settings,
    )


def delay_ms(result: dict[str, Any]) -> float:
    """Mean time of a packet in the queue."""
    return float(result["queue_delay_ms"]["mean"])


def goodput_mbps(result: dict[str, Any]) -> float:
    """What the applications of all flows have read."""
    return float(sum(flow["goodput_mbps"] for flow in result["flows"]))


def per_second(result: dict[str, Any], *what: str) -> float:
    """Packets a second of `drops`, of `marks` or of both."""
    count = sum(sum(result[each].values()) for each in what)
    return float(count / (result["duration_s"] - result["warmup_s"]))
