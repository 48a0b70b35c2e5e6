# SPDX-License-Identifier: Apache-2.0
"""PIE beside ns-3's own, an implementation that shares nothing with ours: the same scenarios and the same seeds."""

from __future__ import annotations

from sluice.experiments import Cell, Experiment, pie
from sluice.loop.scenario_format import Hop

LINKS = ((1, 10), (5, 10), (25, 10), (100, 10), (25, 100))
"""Flows, and the rate of their link in Mbit/s."""

AQMS = ("pie", "ns3-pie")

DURATION_S = 60


def cells() -> list[Cell]:
    """One cell for each AQM, number of flows and rate."""
    return [
        Cell(
            aqm=aqm,
            point=f"{flows} flows, {rate:g} Mbit/s",
            config=aqm,
            scenario=pie.network(
                "pie-ns3",
                f"{flows} TCP flows share {rate:g} Mbit/s",
                Hop(rate_mbps=rate, delay_ms=10),
                pie.flows(flows),
                DURATION_S,
                {"pie": pie.NS3_SETTINGS} if aqm == "pie" else {},
            ),
        )
        for flows, rate in LINKS
        for aqm in AQMS
    ]


experiment = Experiment(
    name="pie-ns3",
    summary="PIE beside ns-3's own: queue delay, drops and goodput of 1 to 100 TCP flows",
    duration_s=DURATION_S,
    seeds=5,
    settings={
        "network": "one link, shortest round trips of 40 to 80 ms; target 15 ms, buffer 1,000 packets of 1,000 bytes",
        "PIE": "ours set as ns-3's default: decay_empty, max_burst 15 ms, no derandomise, min_bytes 0; ECN off",
        "TCP": "as in ns-2: SACK, an ACK per segment, least RTO 200 ms",
        "duration": f"{DURATION_S} s, the first sixth discarded",
    },
    cells=cells,
    metrics={
        "delay_ms": pie.delay_ms,
        "drops_per_s": lambda result: pie.per_second(result, "drops"),
        "goodput_mbps": pie.goodput_mbps,
    },
    quick_points=("25 flows, 10 Mbit/s", "25 flows, 100 Mbit/s"),
    compare_to="ns3-pie",
)
