# SPDX-License-Identifier: Apache-2.0
"""What window senders have at a fixed probability of marks: scalable ones by 1 / p, Classic ones by 1 / sqrt p."""

from __future__ import annotations

import math
from typing import Any

from scipy.optimize import brentq

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import scalable
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

PROBABILITIES = (0.01, 0.03, 0.1, 0.2)

DURATION_S = 60
RATE_MBPS = 100
HOP_MS, ACCESS_MS = 5, 4
ROUND_TRIP_S = 2e-3 * (HOP_MS + 2 * ACCESS_MS)
PACKET_BYTES = 1000


def scalable_window(p: float) -> float:
    """Packets of a sender that loses p w / 2 in each round with a mark and gains 1 - p: x (1 - e^-x) = 2 (1 - p), x = w p."""
    return float(brentq(lambda x: x * (1 - math.exp(-x)) - 2 * (1 - p), 0.1, 10)) / p


def classic_window(p: float) -> float:
    """Packets of Reno (Mathis et al., 1997), and of CUBIC where it is no faster (RFC 9438, section 4.3)."""
    return 1.22 / math.sqrt(p)


SENDERS = {
    "TcpPragueLike": (scalable.PRAGUE, scalable_window),
    "TcpDctcp": (scalable.DCTCP, None),
    "TcpNewReno": ("ns3::TcpNewReno", classic_window),
    "TcpCubic": ("ns3::TcpCubic", classic_window),
}
"""Each with its law; DCTCP does not grow for a round after a mark, for which none is given here."""


def scenario(congestion: str, base: float) -> Scenario:
    """One flow behind PI2 whose p' is at its most, `base`, from the first queue on: ECT(1) is marked with that, all else with its
    square."""
    return Scenario(
        name="prague-response",
        summary="one flow whose packets are marked with a fixed probability",
        duration_s=DURATION_S,
        warmup_s=DURATION_S / 4,
        limit=1000,
        packet_bytes=PACKET_BYTES,
        ecn=True,
        hops=[Hop(rate_mbps=RATE_MBPS, delay_ms=HOP_MS)],
        access=Access(rate_mbps=1000, delay_ms=ACCESS_MS),
        flows=flow_groups([{"kind": "tcp", "start_spread_s": 1, "congestion": congestion}]),
        tcp=NS2_LIKE,
        settings={"pi2": {"target": 0, "alpha": 65535, "beta": 0, "min_bytes": 0, "coupling": 1, "max_base": base}},
    )


def cells() -> list[Cell]:
    """One cell for each sender and probability."""
    return [
        Cell(
            aqm=name,
            point=f"{p:g} of the packets marked",
            config="pi2",
            scenario=scenario(congestion, math.sqrt(p) if law is classic_window else p),
            published={"window_packets": law(p)} if law else {},
        )
        for p in PROBABILITIES
        for name, (congestion, law) in SENDERS.items()
    ]


def _window_packets(result: dict[str, Any]) -> float:
    """What is on its way in the mean: nothing waits, so the round trip is that of the links."""
    rate = sum(flow["throughput_mbps"] for flow in result["flows"])
    return float(rate * 1e6 / 8 / PACKET_BYTES * ROUND_TRIP_S)


experiment = Experiment(
    name="prague-response",
    summary="windows of scalable and of Classic senders at a fixed probability of marks, beside their laws",
    duration_s=DURATION_S,
    seeds=3,
    settings={
        "published": "scalable: x (1 - e^-x) = 2 (1 - p) with x = w p; Classic: 1.22 / sqrt p",
        "network": f"{RATE_MBPS} Mbit/s, a round trip of {ROUND_TRIP_S * 1000:g} ms, one flow, no queue after slow start",
        "marks": "PI2 with p' at max_base and a coupling of 1: p of ECT(1), the square of it of ECT(0)",
        "TCP": "an ACK per segment, SACK",
        "duration": f"{DURATION_S} s, the first quarter discarded",
    },
    cells=cells,
    metrics={
        "window_packets": _window_packets,
        "marked": lambda result: sum(result["marks"].values()) / result["arrivals"],
    },
    quick_points=("0.1 of the packets marked",),
)
