# SPDX-License-Identifier: Apache-2.0
"""Scalable and Classic senders on one link under DualPI2, and a sender of ECT(1) that heeds no mark."""

from __future__ import annotations

import statistics
from typing import Any

from sluice.experiments import Cell, Experiment, scalable
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

DURATION_S = 30
PACKET_BYTES = 1448
OVERLOAD = 1.5
"""Of the link, what the sender that heeds nothing sends."""

COEXIST = (
    (40, 10, 1, 1),
    (40, 10, 1, 9),
    (40, 10, 9, 1),
    (4, 10, 1, 1),
    (12, 10, 1, 1),
    (120, 10, 1, 1),
    (40, 5, 1, 1),
    (40, 50, 1, 1),
    (40, 100, 1, 1),
    (4, 5, 1, 1),
    (4, 100, 1, 1),
    (120, 5, 1, 1),
    (120, 100, 1, 1),
)
"""Mbit/s, the round trip in ms, and flows of both kinds: each alone around the first, and the corners."""


def scenario(rate_mbps: float, round_trip_ms: float, groups: list[dict[str, Any]], summary: str) -> Scenario:
    """Over one link; half of the round trip is its own."""
    return Scenario(
        name="dualpi2-coexist",
        summary=summary,
        duration_s=DURATION_S,
        warmup_s=DURATION_S / 3,
        limit=1000,
        packet_bytes=PACKET_BYTES,
        ecn=True,
        hops=[Hop(rate_mbps=rate_mbps, delay_ms=round_trip_ms / 4)],
        access=Access(rate_mbps=1000, delay_ms=round_trip_ms / 8),
        flows=flow_groups(groups),
        tcp=NS2_LIKE,
    )


def _flows(name: str, count: int, congestion: str) -> dict[str, Any]:
    return {"kind": "tcp", "name": name, "count": count, "start_spread_s": 1, "congestion": congestion}


def cells() -> list[Cell]:
    """One cell for each link, and one for the overload."""
    made = []
    for rate, round_trip, scalables, classics in COEXIST:
        groups = [_flows("scalable", scalables, scalable.PRAGUE), _flows("classic", classics, "ns3::TcpCubic")]
        point = f"{rate} Mbit/s, {round_trip} ms, {scalables} and {classics}"
        made.append(
            Cell("dualpi2", point, "dualpi2", scenario(rate, round_trip, groups, point), published={"ratio": "about 1"})
        )
    groups = [
        _flows("classic", 5, "ns3::TcpCubic"),
        {"kind": "udp_cbr", "name": "scalable", "rate_mbps": 40 * OVERLOAD, "packet_bytes": PACKET_BYTES, "ect": 1},
    ]
    overload = f"40 Mbit/s, 10 ms, {40 * OVERLOAD:g} Mbit/s of UDP and 5"
    return [*made, Cell("dualpi2", overload, "dualpi2", scenario(40, 10, groups, overload))]


def _of(result: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [flow for flow in result["flows"] if flow["id"].startswith(kind)]


def _mbps(flows: list[dict[str, Any]]) -> list[float]:
    return [flow["throughput_mbps"] for flow in flows]


experiment = Experiment(
    name="dualpi2-coexist",
    summary="scalable and Classic TCP under DualPI2: rates beside each other, and the delay of either queue",
    duration_s=DURATION_S,
    seeds=3,
    settings={
        "published": "RFC 9332, section 2.1: with k of 2 flows of one round trip have about the same rate",
        "points": "the link's rate, the round trip without queues, and the numbers of TcpPragueLike and of CUBIC flows",
        "network": f"one link, buffer 1,000 packets of {PACKET_BYTES:,} bytes; all with ECN",
        "dualpi2": "its defaults",
        "TCP": "as in ns-2: SACK, an ACK per segment, least RTO 200 ms",
        "duration": f"{DURATION_S} s, the first third discarded",
    },
    cells=cells,
    metrics={
        "ratio": lambda r: statistics.mean(_mbps(_of(r, "scalable"))) / statistics.mean(_mbps(_of(r, "classic"))),
        "classic_mbps": lambda r: sum(_mbps(_of(r, "classic"))),
        "l_p99_ms": lambda r: max(flow["delay_ms"]["p99"] for flow in _of(r, "scalable")),
        "c_delay_ms": lambda r: statistics.mean(flow["delay_ms"]["mean"] for flow in _of(r, "classic")),
        "utilisation": lambda r: float(r["utilisation"]),
    },
    quick_points=("40 Mbit/s, 10 ms, 1 and 1",),
)
