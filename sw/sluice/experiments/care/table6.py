# SPDX-License-Identifier: Apache-2.0
"""CARE, Table VI: what an unresponsive UDP flow takes from 35 TCP flows, by its load."""

from __future__ import annotations

from sluice import data
from sluice.experiments import Cell, Experiment, care

DURATION_S = 120

SFB = {"sfb": "sfb", "sfb-paper": "sfb-paper"}
"""Columns of SFB, by Linux' rule and by the paper's."""

SFB_LIMIT = 320


def cells() -> list[Cell]:
    """One cell for each AQM and load."""
    table = data.published("care-table6")
    loads = table["udp_load_percent"]
    return [
        cell
        for index, load in enumerate(loads)
        for aqms, limit in ((care.AQMS, care.BASE.limit), (SFB, SFB_LIMIT))
        for cell in care.cells_of(
            f"{load} %",
            care.scenario("care-table6", [*care.tcp_mix(35), care.udp(load)], limit=limit),
            {"udp_mbps": {aqm: row[index] for aqm, row in table["udp_mbps"].items()}},
            aqms,
        )
    ]


experiment = Experiment(
    name="care-table6",
    summary="CARE, Table VI: throughput of one UDP flow among 35 TCP flows, by its load",
    duration_s=DURATION_S,
    seeds=3,
    settings=care.SETTINGS
    | {"SFB": f"a buffer of {SFB_LIMIT} packets; Linux' numbers, and the paper's numbers and rule as `sfb-paper`"}
    | care.duration(DURATION_S),
    cells=cells,
    metrics={"udp_mbps": care.udp_mbps},
    quick_points=("1 %", "10 %", "30 %"),
)
