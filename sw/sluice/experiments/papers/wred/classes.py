# SPDX-License-Identifier: Apache-2.0
"""Three queues of a switch's port with weights 1, 2 and 4, and in each TCP flows of two colours: what each queue and colour gets.

A point is one of the three queues of the same runs, so a run's scenario is called by the point. The "published" numbers are those
that the configuration means: each weight's part of all weights, and half of it for each of two colours that are one.
"""

from __future__ import annotations

import math
from dataclasses import replace

from sluice.experiments import Cell, Experiment
from sluice.loop import metrics
from sluice.loop import scenario as scenarios
from sluice.loop.scenario import Scenario
from sluice.loop.series import Result

WEIGHTS = (1, 2, 4)
"""Of the queues; the groups of flows in the scenario are called by them."""

NAME = "wred-classes"

COLUMNS: dict[str, dict[str, object]] = {
    "overlapping": {"port": "Ethernet0"},
    "apart": {"port": "Ethernet4"},
    "one colour": {"yellow": []},
}
"""What each changes of the scenario's `switch`. In the last one all packets are green, and judged as green ones in the first."""


def _scenario(weight: int, changes: dict[str, object]) -> Scenario:
    base = scenarios.load(NAME)
    assert base.switch
    return replace(base, name=f"{NAME}-w{weight}", switch=base.switch.model_copy(update=changes))


def _cells() -> list[Cell]:
    return [
        Cell(
            aqm=column,
            point=f"weight {weight}",
            config="wred-1k",
            scenario=_scenario(weight, changes),
            published={"share_percent": 100 * weight / sum(WEIGHTS)}
            | ({"yellow_percent": 50} if column == "one colour" else {}),
        )
        for weight in WEIGHTS
        for column, changes in COLUMNS.items()
    ]


def _flows(result: Result, colour: str = "") -> list[Result]:
    """Those of the queue that the run is about, of a colour or of both."""
    queue = result["scenario"].rpartition("-")[2]
    return [flow for flow in result["flows"] if flow["id"].startswith(f"{queue}-{colour}")]


def _goodput_mbps(result: Result, colour: str = "") -> float:
    return sum(float(flow["goodput_mbps"]) for flow in _flows(result, colour))


def _delay_ms(result: Result, colour: str) -> float:
    """The mean over the packets that were not dropped; none where there are none."""
    flows = _flows(result, colour)
    packets = [flow["arrived"] - flow["dropped"] for flow in flows]
    if not sum(packets):
        return math.nan
    means = (flow["delay_ms"]["mean"] for flow in flows)
    return float(sum(count * mean for count, mean in zip(packets, means, strict=True)) / sum(packets))


def share_percent(result: Result) -> float:
    """Part of the queue in what all queues send, IP packets."""
    every = sum(float(flow["throughput_mbps"]) for flow in result["flows"])
    return 100 * sum(float(flow["throughput_mbps"]) for flow in _flows(result)) / every


def yellow_percent(result: Result) -> float:
    """Part of the yellow flows in the queue's goodput."""
    return 100 * _goodput_mbps(result, "yellow") / _goodput_mbps(result)


experiment = Experiment(
    name=NAME,
    summary="WRED by colour in three queues of weights 1, 2 and 4: their shares; goodput, loss and delay of the colours",
    duration_s=20,
    seeds=3,
    settings={
        "published": "what the configuration means: a queue's weight over all weights, and half for each colour where both"
        " are one",
        "points": "one of three queues that share the link; six green TCP flows in each and six yellow ones",
        "columns": "yellow packets' thresholds beside green ones': lower and overlapping; apart, all below them; the same",
        "queues": "deficit round robin; thresholds in proportion to the weights, for a weight of 1: 30 and 90 kB of green"
        " packets, 10 and 60 kB of yellow ones, 10 and 30 kB where they are apart; up to 10 % dropped between the two",
        "TCP": "NewReno of ns-3, an ACK per segment, least RTO 200 ms, no ECN; 18 ms of round trip without queues",
        "duration": "20 s, the first quarter discarded",
    },
    cells=_cells,
    metrics={
        "share_percent": share_percent,
        "yellow_percent": yellow_percent,
        "green_mbps": lambda result: _goodput_mbps(result, "green"),
        "yellow_mbps": lambda result: _goodput_mbps(result, "yellow"),
        "green_loss_percent": lambda result: metrics.loss_percent(_flows(result, "green")),
        "yellow_loss_percent": lambda result: metrics.loss_percent(_flows(result, "yellow")),
        "green_delay_ms": lambda result: _delay_ms(result, "green"),
        "yellow_delay_ms": lambda result: _delay_ms(result, "yellow"),
    },
    quick_points=("weight 1",),
)
