# SPDX-License-Identifier: Apache-2.0
"""A flood into a small buffer beside bulk and sparse flows under FQ-CoDel: who loses packets.

RFC 8290 drops from the longest queue once the buffer is full; the tile refuses a queue's packets while that is longer than
what is free.
"""

from __future__ import annotations

from dataclasses import replace

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import fq_codel
from sluice.experiments.papers.fq_codel import sparse
from sluice.loop import metrics
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.series import Result

BULK = 5
BUFFER = 200
"""Packets: a quarter of a second of the link, as a small device has."""
DURATION_S = 20
CROWD = 16
"""Flows that share a flood: one sender that goes through so many ports in turn."""

FLOODS: dict[str, dict[str, float]] = {
    "20 Mbit/s, one flow": {"rate_mbps": 20},
    "50 Mbit/s, one flow": {"rate_mbps": 50},
    f"50 Mbit/s, {CROWD} flows": {"rate_mbps": 50, "ports": CROWD},
}

BOUNDS: dict[str, dict[str, float]] = {
    "none": {"queue_alpha": 0},
    "alpha 1": {"queue_alpha": 9},
    "alpha 1/4": {"queue_alpha": 7},
}


def scenario(flood: dict[str, float], bound: dict[str, float]) -> Scenario:
    """Bulk and sparse flows, and a flood from the middle of the warm-up on."""
    base = sparse.scenario(BULK, ecn=False)
    sender = {
        "kind": "udp_cbr",
        "name": "flood",
        "packet_bytes": fq_codel.PACKET_BYTES,
        "start_s": DURATION_S / 12,
    } | flood
    settings = base.settings | {"codel": base.settings["codel"] | bound}
    flows = [*base.flows, *flow_groups([sender])]
    return replace(base, name="fq-codel-flood", limit=BUFFER, flows=flows, settings=settings)


def cells() -> list[Cell]:
    """One cell for each flood and way to bound a queue, and for ns-3's own."""
    columns = [(name, "fq-codel-1k", bound) for name, bound in BOUNDS.items()] + [("ns3-fq-codel", "ns3-fq-codel", {})]
    return [
        Cell(aqm=name, point=point, config=config, scenario=scenario(flood, bound))
        for point, flood in FLOODS.items()
        for name, config, bound in columns
    ]


def of(result: Result, name: str) -> list[Result]:
    return [flow for flow in result["flows"] if flow["id"].startswith(name)]


experiment = Experiment(
    name="fq-codel-flood",
    summary="A flood into a small buffer beside bulk and sparse flows under FQ-CoDel: who loses packets",
    duration_s=DURATION_S,
    seeds=fq_codel.SEEDS,
    settings=fq_codel.SETTINGS
    | {
        "buffer": f"{BUFFER} packets",
        "flows": f"{BULK} greedy TCP flows, {sparse.SPARSE} sparse ones of UDP, and the flood of {fq_codel.PACKET_BYTES:,} bytes",
        "columns": "what bounds a queue of the tile beside the buffer; ns-3's own drops up to 64 packets of the longest one",
        "sparse_loss_percent": "packets of sparse flows that are dropped",
        "duration": f"{DURATION_S} s, the first sixth discarded",
    },
    cells=cells,
    metrics={
        "sparse_loss_percent": lambda result: metrics.loss_percent(of(result, "sparse")),
        "sparse_p99_ms": lambda result: sparse.experiment.metrics["sparse_p99_ms"](
            result | {"flows": of(result, "sparse")}
        ),
        "bulk_mbps": sparse.bulk_mbps,
        "bulk_loss_percent": lambda result: metrics.loss_percent(of(result, "tcp")),
    },
    quick_points=("50 Mbit/s, one flow",),
)
