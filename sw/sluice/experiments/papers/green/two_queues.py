# SPDX-License-Identifier: Apache-2.0
"""GREEN's proposal of two queues, which the paper has not simulated: TCP whose round-trip times are known, beside UDP.

The "published" share is N1 / (N1 + N2), which the paper wants for N1 compliant flows and N2 others; where one of the groups does
not want as much, it is what the other one can take of the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import green
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop import metrics
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop, Settings

LINK_MBPS = 20
FLOWS = 20
LIMIT = 250

_BASE = Scenario(
    name="green-two-queues",
    summary="TCP flows of 46 to 146 ms and UDP flows share 20 Mbit/s",
    duration_s=120,
    warmup_s=30,
    limit=LIMIT,
    packet_bytes=1000,
    hops=[Hop(rate_mbps=LINK_MBPS, delay_ms=20)],
    access=Access(rate_mbps=100, delay_ms=1),
    flows=flow_groups([{"kind": "tcp"}]),  # each point brings its own
    tcp=NS2_LIKE,
)

SINK_DELAYS_MS = (2, 52)
"""Of the first and of the last TCP flow, one way; those between are in between."""


@dataclass(frozen=True)
class Point:
    """So many TCP flows, and UDP flows for the rest; what a UDP flow sends, and the access links of TCP."""

    name: str
    tcp: int
    udp_mbps: float = 2
    access_mbps: float = 100

    @property
    def share(self) -> float:
        """Of the link that TCP should have: its flows', but for what a group does not want."""
        flows = self.tcp / FLOWS
        udp_wants = (FLOWS - self.tcp) * self.udp_mbps / LINK_MBPS
        tcp_wants = self.tcp * self.access_mbps / LINK_MBPS
        return min(max(flows, 1 - udp_wants), tcp_wants)

    @property
    def scenario(self) -> Scenario:
        first, last = SINK_DELAYS_MS
        tcp = [
            {
                "kind": "tcp",
                "name": f"tcp{i}",
                "start_spread_s": 1,
                "sink_delay_ms": first + (last - first) * i / (self.tcp - 1),
                "access_mbps": self.access_mbps,
            }
            for i in range(self.tcp)
        ]
        udp = {"kind": "udp_cbr", "name": "udp", "count": FLOWS - self.tcp, "rate_mbps": self.udp_mbps}
        return replace(_BASE, flows=flow_groups([*tcp, udp | {"start_spread_s": 1}]))


POINTS = (
    Point("5 TCP, 15 UDP", 5),
    Point("10 TCP, 10 UDP", 10),
    Point("15 TCP, 5 UDP", 15),
    Point("10 TCP, 10 slow UDP", 10, udp_mbps=0.1),
    Point("10 slow TCP, 10 UDP", 10, access_mbps=0.2),
)

COLUMNS: dict[str, tuple[str, Settings]] = {
    "two queues": ("green-2q", {"green": green.BOUNDS | {"queue0_limit": LIMIT // 2, "queue1_limit": LIMIT // 2}}),
    "one queue": ("green", {"green": green.BOUNDS}),
}


def _rates(result: dict[str, Any], kind: str) -> list[float]:
    return [float(flow["throughput_mbps"]) for flow in result["flows"] if flow["kind"] == kind]


def _tcp_share(result: dict[str, Any]) -> float:
    tcp, udp = (sum(_rates(result, kind)) for kind in ("tcp", "udp_cbr"))
    return tcp / (tcp + udp)


def _cells() -> list[Cell]:
    return [
        Cell(
            aqm=column,
            point=point.name,
            config=config,
            scenario=replace(point.scenario, settings=settings),
            published={"tcp_share": point.share},
        )
        for point in POINTS
        for column, (config, settings) in COLUMNS.items()
    ]


experiment = Experiment(
    name="green-two-queues",
    summary="GREEN's proposal of two queues: TCP with a known round-trip time beside UDP, 20 Mbit/s",
    duration_s=120,
    seeds=3,
    settings={
        "published": "N1 / (N1 + N2), which the paper wants and has not measured; what a group leaves goes to the other",
        "network": "20 Mbit/s; round trips of TCP of 46 to 146 ms, even steps",
        "UDP": "2 Mbit/s each, twice a flow's share; slow: 0.1 Mbit/s each",
        "TCP": "NewReno as in ns-2: SACK, an ACK per segment, least RTO 200 ms; slow: over access links of 0.2 Mbit/s",
        "buffer": "250 packets of 1000 bytes, headers included; of two queues half for each",
        "GREEN": "round-trip times embedded; windows of 1 s; the quantum of the queue of fewer flows is 1514 bytes",
        "measured": "without the first quarter of the time",
    },
    cells=_cells,
    metrics={
        "tcp_share": _tcp_share,
        "tcp_jain": lambda result: metrics.jain(_rates(result, "tcp")),
        "utilisation": lambda result: float(result["utilisation"]),
    },
    compare_to="two queues",
    quick_points=("10 TCP, 10 UDP",),
)
