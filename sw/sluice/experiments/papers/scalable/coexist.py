# SPDX-License-Identifier: Apache-2.0
"""Scalable and Classic senders on one link under DualPI2."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable
from typing import Any

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import scalable
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

DURATION_S = 30
PACKET_BYTES = 1448

RATES_MBPS = (4, 12, 40, 120)
ROUND_TRIPS_MS = (5, 10, 50, 100)
FLOWS = ((1, 1), (1, 9), (9, 1))
"""Of both kinds: scalable and Classic."""


def scenario(
    rate_mbps: float, round_trip_ms: float, groups: list[dict[str, Any]], summary: str, name: str = "dualpi2-coexist"
) -> Scenario:
    """Over one link; half of the round trip is its own."""
    return Scenario(
        name=name,
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


def flows(name: str, count: int, congestion: str) -> dict[str, Any]:
    """So many TCP flows of a kind."""
    return {"kind": "tcp", "name": name, "count": count, "start_spread_s": 1, "congestion": congestion}


def cells() -> list[Cell]:
    """Each mix of flows over each link."""
    made = []
    for rate, round_trip in itertools.product(RATES_MBPS, ROUND_TRIPS_MS):
        point = f"{rate} Mbit/s, {round_trip} ms"
        for scalables, classics in FLOWS:
            groups = [flows("scalable", scalables, scalable.PRAGUE), flows("classic", classics, "ns3::TcpCubic")]
            mix = f"{scalables} and {classics}"
            over = scenario(rate, round_trip, groups, f"{point}, {mix}")
            made.append(Cell(mix, point, "dualpi2", over, published={"ratio": "about 1"}))
    return made


def of(result: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The flows of one kind in a run's result."""
    return [flow for flow in result["flows"] if flow["id"].startswith(kind)]


def mbps(result: dict[str, Any], kind: str) -> list[float]:
    """What each flow of one kind got."""
    return [flow["throughput_mbps"] for flow in of(result, kind)]


DELAYS: dict[str, Callable[[dict[str, Any]], float]] = {
    "l_p99_ms": lambda r: max(flow["delay_ms"]["p99"] for flow in of(r, "scalable")),
    "c_delay_ms": lambda r: statistics.mean(flow["delay_ms"]["mean"] for flow in of(r, "classic")),
}
"""How long packets of L and of C wait."""

experiment = Experiment(
    name="dualpi2-coexist",
    summary="scalable and Classic TCP under DualPI2: rates beside each other, and the delay of either queue",
    duration_s=DURATION_S,
    seeds=3,
    settings={
        "published": "RFC 9332, section 2.1: with k of 2 flows of one round trip have about the same rate",
        "points": "the link's rate, and the round trip without queues",
        "columns": "the numbers of TcpPragueLike and of CUBIC flows",
        "network": f"one link, buffer 1,000 packets of {PACKET_BYTES:,} bytes; all with ECN",
        "dualpi2": "its defaults",
        "TCP": "as in ns-2: SACK, an ACK per segment, least RTO 200 ms",
        "duration": f"{DURATION_S} s, the first third discarded",
    },
    cells=cells,
    metrics={
        "ratio": lambda r: statistics.mean(mbps(r, "scalable")) / statistics.mean(mbps(r, "classic")),
        "classic_mbps": lambda r: sum(mbps(r, "classic")),
        **DELAYS,
        "utilisation": lambda r: float(r["utilisation"]),
    },
    quick_points=("40 Mbit/s, 10 ms",),
)
