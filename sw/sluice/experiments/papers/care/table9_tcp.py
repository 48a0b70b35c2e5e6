# SPDX-License-Identifier: Apache-2.0
"""CARE, Table IX under other TCP: how much of the norm is the queue's, and how much the senders'.

Two things in ns-3's TCP are not as in ns-2. After a loss its NewReno goes on with half of what it takes to be in flight, which
with SACK leaves out what has arrived out of order and what is lost: (w - 4) / 2 of a window of w. And ns-2 counts time in ticks
of 100 ms, so that its flows of short round trips have timeouts of 400 ms where the least one is set to 200 ms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sluice.experiments import Cell
from sluice.experiments.papers import care
from sluice.experiments.papers.care import table9

AQMS = ("care", "care-800", "red")

TCPS: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "as in Table IX": ({}, {}),
    "half of the window": ({}, {"congestion": "ns3::TcpAimd[A=1|B=0.5]"}),
    "least RTO 400 ms": ({"ns3::TcpSocketBase::MinRto": "400ms"}, {}),
    "least RTO 1 s": ({"ns3::TcpSocketBase::MinRto": "1s"}, {}),
    "windows of 40 packets": (care.window(40), {}),
}
"""What differs: attributes of all TCP, and keys of its flows."""


def cells() -> list[Cell]:
    """One cell for each AQM and TCP."""
    return [
        replace(cell, point=point, scenario=replace(cell.scenario, tcp=cell.scenario.tcp | attributes))
        for point, (attributes, keys) in TCPS.items()
        for cell in table9.cells(**keys)
        if cell.aqm in AQMS
    ]


experiment = replace(
    table9.experiment,
    name="care-table9-tcp",
    summary="CARE, Table IX with TCP that halves its window as ns-2 does, other timeouts and windows",
    cells=cells,
    quick_points=("as in Table IX", "half of the window"),
)
