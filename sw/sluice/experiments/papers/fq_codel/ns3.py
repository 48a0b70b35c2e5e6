# SPDX-License-Identifier: Apache-2.0
"""FQ-CoDel beside ns-3's own."""

from __future__ import annotations

from sluice.experiments import Cell, Experiment, beside_ns3
from sluice.experiments.papers import fq_codel

FLOWS = (1, 5, 25, 50, 100)


def cells() -> list[Cell]:
    """One cell for each AQM and number of flows, with ECN and without."""
    return [
        Cell(
            aqm=aqm,
            point=f"{flows} flows" + (", ECN" if ecn else ""),
            config=aqm,
            scenario=fq_codel.scenario("fq-codel-ns3", flows, ecn),
        )
        for ecn in (False, True)
        for flows in FLOWS
        for aqm in fq_codel.AQMS
    ]


experiment = Experiment(
    name="fq-codel-ns3",
    summary="FQ-CoDel beside ns-3's own: queue delay, drops and marks, goodput and fairness of 1 to 100 TCP flows",
    duration_s=beside_ns3.DURATION_S,
    seeds=fq_codel.SEEDS,
    settings=fq_codel.SETTINGS,
    cells=cells,
    metrics={
        "delay_ms": beside_ns3.delay_ms,
        "signals_per_s": lambda result: beside_ns3.per_second(result, "drops", "marks"),
        "goodput_mbps": beside_ns3.goodput_mbps,
        "jain": lambda result: float(result["jain"]),
    },
    quick_points=("5 flows", "50 flows, ECN"),
    compare_to="ns3-fq-codel",
)
