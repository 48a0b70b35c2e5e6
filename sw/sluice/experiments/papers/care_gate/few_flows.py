# SPDX-License-Identifier: Apache-2.0
"""CARE with few flows: what its drops by share cost while no queue asks for any, and what a gate gives back.

m2 and n are samples, so a flow with no more than its share is dropped now and then, at a rate that knows of no congestion. A TCP
flow of a long round trip needs a low one: with few flows the link stays empty, and no empty queue stops the drops at gate 0.
"""

from __future__ import annotations

from dataclasses import replace

from sluice.experiments import Cell, Experiment, tcp
from sluice.experiments.papers.care_gate import _gates
from sluice.loop import scenario as scenarios
from sluice.loop.scenario import Scenario, flow_groups

DURATION_S = 60
FLOWS = (5, 10, 25)


def network(flows: int) -> Scenario:
    """The atlas' link of 20 Mbit/s and 100 ms, with a buffer of one product of the two, and so many bulk flows."""
    bulk = {"name": "bulk", "kind": "tcp", "count": flows, "start_spread_s": 1}
    mild = scenarios.load("atlas/mild")
    return replace(
        mild, name="care-few-flows", summary=f"{flows} bulk flows on 20 Mbit/s and 100 ms", flows=flow_groups([bulk])
    )


def cells() -> list[Cell]:
    """One cell for each number of flows and gate."""
    return [cell for flows in FLOWS for cell in _gates.cells(f"{flows} flows", network(flows))]


experiment = Experiment(
    name="care-few-flows",
    summary="CARE with 5, 10 and 25 flows of 100 ms: how much of the link it leaves empty, by its gate",
    duration_s=DURATION_S,
    seeds=5,
    settings={
        "network": "that of the atlas: 20 Mbit/s, 100 ms, 167 packets of 1,500 bytes",
        "gate 0": "the paper's form: who has too much is dropped at any queue; 1: only at a queue that is not empty",
        "gate 2": "only from so much of the buffer on; a quarter ships",
        "duration": f"{DURATION_S} s, the first sixth discarded",
    },
    cells=cells,
    metrics={
        "link_percent": lambda result: 100 * result["utilisation"],
        "delay_mean_ms": lambda result: result["queue_delay_ms"]["mean"],
        "tcp_loss_percent": tcp.loss_percent,
    },
    quick_points=("5 flows",),
)
