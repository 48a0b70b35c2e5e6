# SPDX-License-Identifier: Apache-2.0
"""DCTCP behind a step: the queue around K, and the use of the link beside the least K of DCTCP's guideline."""

from __future__ import annotations

from dataclasses import replace

from sluice.experiments import Cell, Experiment
from sluice.loop import metrics
from sluice.loop import scenario as scenarios
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

ROUND_TRIP_MS = 0.5
RATE_MBPS = 1000
PACKET_BYTES = 1500

THRESHOLDS = (1, 3, 6, 12, 20, 40)
FLOWS = (2, 10)

DURATION_S = 0.5

AQMS = ("step", "step-head", "ns3-red")
"""RED is set to the same step: no average, each packet marked that finds more than K."""


def guideline_packets() -> float:
    """C RTT / 7 in packets: the paper's least K (SIGCOMM 2010, section 3.3, equation 13)."""
    return RATE_MBPS * 1e6 / 8 / PACKET_BYTES * ROUND_TRIP_MS / 1e3 / 7


def scenario(flows: int, threshold: int) -> Scenario:
    """So many DCTCP flows that begin within a twentieth of a second, at the port of `datacenter-step` but for its round trip."""
    base = scenarios.load("datacenter-step")
    return replace(
        base,
        name="step-dctcp",
        summary=f"{flows} DCTCP flows share 1 Gbit/s with ECN, K {threshold}",
        duration_s=DURATION_S,
        warmup_s=DURATION_S / 4,
        packet_bytes=PACKET_BYTES,
        hops=[Hop(rate_mbps=RATE_MBPS, delay_ms=ROUND_TRIP_MS / 4)],
        access=Access(rate_mbps=10_000, delay_ms=ROUND_TRIP_MS / 8),
        flows=flow_groups([{"kind": "tcp", "count": flows, "start_spread_s": 0.05, "congestion": "ns3::TcpDctcp"}]),
        settings={
            "step": {"threshold_packets": threshold},
            "red": base.settings["red"] | {"min": threshold, "max": threshold + 1},
        },
    )


def cells() -> list[Cell]:
    """One cell for each number of flows, K and AQM."""
    return [
        Cell(
            aqm=aqm,
            point=f"{threshold} packets, {flows} flows",
            config=aqm,
            scenario=scenario(flows, threshold),
            published={"queue_packets": threshold}
            | ({"utilisation_percent": 100} if threshold > guideline_packets() else {}),
        )
        for flows in FLOWS
        for threshold in THRESHOLDS
        for aqm in AQMS
    ]


experiment = Experiment(
    name="step-dctcp",
    summary="DCTCP behind a step of K packets: the queue around K, and use of the link beside the guideline C RTT / 7",
    duration_s=DURATION_S,
    seeds=3,
    settings={
        "points": "K, the packets that one may find queued",
        "network": f"1 Gbit/s, a round trip of {ROUND_TRIP_MS} ms, {PACKET_BYTES:,} bytes, buffer 250 packets, ECN",
        "published": f"the queue is about K, and the link full with K above C RTT / 7, here {guideline_packets():.1f} packets",
        "ns3-red": "RED with weight 1, min K, max K + 1: the same step, as switches are set",
        "TCP": "DCTCP of ns-3, least RTO 10 ms, acknowledgements delayed by 1 ms at most",
        "duration": f"{DURATION_S} s, the first quarter discarded",
    },
    cells=cells,
    metrics={
        "utilisation_percent": lambda result: 100 * float(result["utilisation"]),
        "queue_packets": lambda result: float(result["queue_packets"]["mean"]),
        "queue_std": lambda result: float(result["queue_packets"]["std"]),
        "queue_p99": lambda result: float(result["queue_packets"]["p99"]),
        "marks_percent": metrics.mark_percent,
        "jain": lambda result: float(result["jain"]),
    },
    quick_points=("6 packets, 2 flows", "20 packets, 2 flows"),
    quick_part=1,
)
