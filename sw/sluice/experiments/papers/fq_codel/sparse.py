# SPDX-License-Identifier: Apache-2.0
"""Sparse flows beside bulk ones under FQ-CoDel, ours and ns-3's own."""

from __future__ import annotations

import statistics
from dataclasses import replace

from sluice.experiments import Cell, Experiment, beside_ns3
from sluice.experiments.papers import fq_codel
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.series import Result

BULK = (1, 5, 50)
SPARSE = 200
SPARSE_BYTES = 100
SPARSE_PER_S = 8
"""Of each flow. A round of fifty full packets takes 60 ms, so its queue has left the lists before its next packet comes."""
DURATION_S = 30
SHARING_MS = 5.0
"""No flow with a queue of its own waits so long on average. A bulk flow's queue is longer; and what comes to a queue that two
sparse flows share may find it behind all bulk flows still."""


def scenario(bulk: int, ecn: bool) -> Scenario:
    """So many greedy TCP flows, and all sparse ones at times of their own."""
    sparse = {
        "kind": "udp_cbr",
        "name": "sparse",
        "count": SPARSE,
        "rate_mbps": SPARSE_PER_S * SPARSE_BYTES * 8e-6,
        "packet_bytes": SPARSE_BYTES,
        "start_spread_s": 1 / SPARSE_PER_S,
    }
    base = fq_codel.scenario("fq-codel-sparse", bulk, ecn)
    flows = [*base.flows, *flow_groups([sparse])]
    return replace(base, summary=f"{base.summary} with {SPARSE} sparse flows", flows=flows)


def cells() -> list[Cell]:
    """One cell for each AQM and number of bulk flows, with ECN and without."""
    return [
        Cell(
            aqm=aqm,
            point=f"{bulk} bulk flows" + (", ECN" if ecn else ""),
            config=aqm,
            scenario=scenario(bulk, ecn),
        )
        for ecn in (False, True)
        for bulk in BULK
        for aqm in fq_codel.AQMS
    ]


def sparse_ms(result: Result, what: str) -> list[float]:
    """What packets of each sparse flow wait: `mean` or `p99`."""
    return [flow["delay_ms"][what] for flow in result["flows"] if flow["kind"] == "udp_cbr"]


def sharing_percent(result: Result) -> float:
    """Sparse flows that wait as only those do that share a queue."""
    means = sparse_ms(result, "mean")
    return 100 * sum(mean > SHARING_MS for mean in means) / len(means)


def bulk_mbps(result: Result) -> float:
    """What the bulk flows' applications have read."""
    return float(sum(flow["goodput_mbps"] for flow in result["flows"] if flow["kind"] == "tcp"))


experiment = Experiment(
    name="fq-codel-sparse",
    summary=f"{SPARSE} sparse flows beside 1 to 50 bulk TCP flows under FQ-CoDel, ours and ns-3's own: what they wait",
    duration_s=DURATION_S,
    seeds=fq_codel.SEEDS,
    settings=fq_codel.SETTINGS
    | {
        "sparse flows": f"{SPARSE} of UDP, each {SPARSE_PER_S} packets of {SPARSE_BYTES} bytes a second, evenly spaced",
        "sparse_p99_ms": "99 % of the packets of a sparse flow wait no longer in the queue; of the flow in the middle",
        "sharing_percent": f"sparse flows that wait more than {SHARING_MS:g} ms on average: they share a queue",
        "duration": f"{DURATION_S} s, the first sixth discarded",
    },
    cells=cells,
    metrics={
        "sparse_p99_ms": lambda result: statistics.median(sparse_ms(result, "p99")),
        "sharing_percent": sharing_percent,
        "bulk_mbps": bulk_mbps,
        "signals_per_s": lambda result: beside_ns3.per_second(result, "drops", "marks"),
    },
    quick_points=("5 bulk flows",),
    compare_to="ns3-fq-codel",
)
