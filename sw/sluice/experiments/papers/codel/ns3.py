# SPDX-License-Identifier: Apache-2.0
"""CoDel beside ns-3's own."""

from __future__ import annotations

from sluice.experiments import Cell, Experiment, beside_ns3

AQMS = ("codel", "ns3-codel")


def cells() -> list[Cell]:
    """One cell for each AQM, number of flows and rate, with ECN and without."""
    as_ns3 = {"codel": {"mark_most": 255.0}}
    return [
        Cell(
            aqm=aqm,
            point=beside_ns3.point(flows, rate) + (", ECN" if ecn else ""),
            config=aqm,
            scenario=beside_ns3.scenario("codel-ns3", flows, rate, as_ns3, ecn),
        )
        for ecn in (False, True)
        for flows, rate in beside_ns3.LINKS
        for aqm in AQMS
    ]


experiment = Experiment(
    name="codel-ns3",
    summary="CoDel beside ns-3's own: queue delay, drops and marks, goodput of 1 to 100 TCP flows",
    duration_s=beside_ns3.DURATION_S,
    seeds=beside_ns3.SEEDS,
    settings=beside_ns3.SETTINGS | {"CoDel": "target 5 ms, interval 100 ms"},
    cells=cells,
    metrics={
        "delay_ms": beside_ns3.delay_ms,
        "signals_per_s": lambda result: beside_ns3.per_second(result, "drops", "marks"),
        "goodput_mbps": beside_ns3.goodput_mbps,
    },
    quick_points=("5 flows, 10 Mbit/s", "25 flows, 100 Mbit/s"),
    compare_to="ns3-codel",
)
