# SPDX-License-Identifier: Apache-2.0
"""CARE, Table VI: what an unresponsive UDP flow takes from 35 TCP flows, by its load."""

from __future__ import annotations

from sluice.experiments import Cell, Experiment, data, tcp, udp
from sluice.experiments.papers import care

DURATION_S = 60

AQMS = care.AQMS | {"sfb-paper": "sfb-paper"}
"""SFB by the rule and the numbers of its paper beside Linux'."""


def cells() -> list[Cell]:
    """One cell for each AQM and load."""
    table = data.published("care-table6")
    loads = table["udp_load_percent"]
    return [
        cell
        for index, load in enumerate(loads)
        for cell in care.cells_of(
            f"{load} %",
            care.scenario("care-table6", [*care.tcp_mix(35), care.udp(load)]),
            {"udp_mbps": {aqm: row[index] for aqm, row in table["udp_mbps"].items()}},
            AQMS,
        )
    ]


experiment = Experiment(
    name="care-table6",
    summary="CARE, Table VI: throughput of one UDP flow among 35 TCP flows, by its load",
    duration_s=DURATION_S,
    seeds=3,
    settings=care.SETTINGS | {"SFB by its paper": "2 x 23 bins and the paper's numbers"} | care.DURATION,
    cells=cells,
    metrics={"udp_mbps": udp.throughput_mbps, "tcp_loss_percent": tcp.loss_percent},
    quick_points=("1 %", "10 %", "30 %"),
)
