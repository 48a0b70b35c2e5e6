# SPDX-License-Identifier: Apache-2.0
"""PIE beside ns-3's own."""

from __future__ import annotations

from sluice.experiments import Cell, Experiment, beside_ns3

AQMS = ("pie", "ns3-pie")

AS_NS3: dict[str, float] = {"decay_empty": 1, "max_burst": 15_000_000, "derandomise": 0, "min_bytes": 0}
"""PIE as ns-3 has it by default."""


def cells() -> list[Cell]:
    """One cell for each AQM, number of flows and rate."""
    return [
        Cell(
            aqm=aqm,
            point=beside_ns3.point(flows, rate),
            config=aqm,
            scenario=beside_ns3.scenario("pie-ns3", flows, rate, {"pie": AS_NS3} if aqm == "pie" else {}),
        )
        for flows, rate in beside_ns3.LINKS
        for aqm in AQMS
    ]


experiment = Experiment(
    name="pie-ns3",
    summary="PIE beside ns-3's own: queue delay, drops and goodput of 1 to 100 TCP flows",
    duration_s=beside_ns3.DURATION_S,
    seeds=beside_ns3.SEEDS,
    settings=beside_ns3.SETTINGS
    | {
        "PIE": "target 15 ms; ours set as ns-3's default: decay_empty, max_burst 15 ms, no derandomise, min_bytes 0; ECN off"
    },
    cells=cells,
    metrics={
        "delay_ms": beside_ns3.delay_ms,
        "drops_per_s": lambda result: beside_ns3.per_second(result, "drops"),
        "goodput_mbps": beside_ns3.goodput_mbps,
    },
    quick_points=("25 flows, 10 Mbit/s", "25 flows, 100 Mbit/s"),
    compare_to="ns3-pie",
)
