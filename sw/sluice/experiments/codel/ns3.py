# SPDX-License-Identifier: Apache-2.0
"""CoDel beside ns-3's own, an implementation that shares nothing with ours: the same scenarios and the same seeds."""

from __future__ import annotations

from typing import Any

from sluice.experiments import Cell, Experiment
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

LINKS = ((1, 10), (5, 10), (25, 10), (100, 10), (25, 100))
"""Flows, and the rate of their link in Mbit/s."""

AQMS = ("codel", "ns3-codel")

DURATION_S = 60


_SOURCE_DELAYS_MS = (5, 10, 15, 20, 25)


def scenario(flows: int, rate_mbps: float, ecn: bool) -> Scenario:
    """So many greedy TCP flows over one link, with shortest round trips of 40 to 80 ms in turn."""
    groups = [
        {"kind": "tcp", "count": count, "start_spread_s": 5, "source_delay_ms": delay, "name": f"tcp{delay}"}
        for i, delay in enumerate(_SOURCE_DELAYS_MS)
        if (count := len(range(i, flows, len(_SOURCE_DELAYS_MS))))
    ]
    return Scenario(
        name="codel-ns3",
        summary=f"{flows} TCP flows share {rate_mbps:g} Mbit/s",
        duration_s=DURATION_S,
        warmup_s=10,
        limit=1000,
        packet_bytes=1000,
        ecn=ecn,
        hops=[Hop(rate_mbps=rate_mbps, delay_ms=10)],
        access=Access(rate_mbps=1000, delay_ms=5),
        flows=flow_groups(groups),
        tcp=NS2_LIKE,
        settings={"codel": {"mark_most": 255}},  # as ns-3's
    )


def cells() -> list[Cell]:
    """One cell for each AQM, number of flows and rate, with ECN and without."""
    return [
        Cell(
            aqm=aqm,
            point=f"{flows} flows, {rate:g} Mbit/s{', ECN' if ecn else ''}",
            config=aqm,
            scenario=scenario(flows, rate, ecn),
        )
        for ecn in (False, True)
        for flows, rate in LINKS
        for aqm in AQMS
    ]


def _signals(result: dict[str, Any]) -> float:
    """Drops and marks, per second."""
    count = sum(result["drops"].values()) + sum(result["marks"].values())
    return float(count / (result["duration_s"] - result["warmup_s"]))


experiment = Experiment(
    name="codel-ns3",
    summary="CoDel beside ns-3's own: queue delay, drops and marks, goodput of 1 to 100 TCP flows",
    duration_s=DURATION_S,
    seeds=5,
    settings={
        "network": "one link, shortest round trips of 40 to 80 ms; target 5 ms, interval 100 ms, buffer 1,000 packets",
        "TCP": "as in ns-2: SACK, an ACK per segment, least RTO 200 ms",
        "duration": f"{DURATION_S} s, the first sixth discarded",
    },
    cells=cells,
    metrics={
        "delay_ms": lambda result: result["queue_delay_ms"]["mean"],
        "signals_per_s": _signals,
        "goodput_mbps": lambda result: sum(flow["goodput_mbps"] for flow in result["flows"]),
    },
    quick_points=("5 flows, 10 Mbit/s", "25 flows, 100 Mbit/s"),
    compare_to="ns3-codel",
)
