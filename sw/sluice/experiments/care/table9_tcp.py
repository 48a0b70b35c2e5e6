# SPDX-License-Identifier: Apache-2.0
"""CARE, Table IX under other settings of TCP: how much of the norm is the queue's, and how much the senders'.

ns-2 counts a TCP's time in ticks of 100 ms. Its least retransmission timeout of 200 ms is never reached that way: with RED in
the same network, the flows of short round trips have timeouts of 400 to 500 ms.
"""

from __future__ import annotations

from dataclasses import replace

from sluice.experiments import Cell, care
from sluice.experiments.care import table9

AQMS = ("care", "care-800", "red")

TCPS = {
    "200 ms least RTO": {},
    "400 ms least RTO": {"ns3::TcpSocketBase::MinRto": "400ms"},
    "1000 ms least RTO": {"ns3::TcpSocketBase::MinRto": "1s"},
    "40 packets of window": care.window(40),
}
"""What differs from Table IX's own TCP, which has the first of these timeouts and windows of 20 packets."""


def cells() -> list[Cell]:
    """One cell for each AQM and setting."""
    return [
        replace(cell, point=point, scenario=replace(cell.scenario, tcp=cell.scenario.tcp | tcp))
        for point, tcp in TCPS.items()
        for cell in table9.cells()
        if cell.aqm in AQMS
    ]


experiment = replace(
    table9.experiment,
    name="care-table9-tcp",
    summary="CARE, Table IX by TCP's least retransmission timeout and its window",
    cells=cells,
    quick_points=("200 ms least RTO", "400 ms least RTO"),
)
