# SPDX-License-Identifier: Apache-2.0
"""CARED, Table 2: loss and goodput of ARED and Re-ARED at 5, 50 and 100 flows.

Re-ARED steps max_p in proportion to the distance of the average from a band a fifth as wide as ARED's.
"""

from __future__ import annotations

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import cared

AQMS = ("ared", "re-ared", "ns3-ared")
"""Columns of the table."""


def cells() -> list[Cell]:
    """One cell for each AQM and number of flows."""
    return cared.cells("cared-table2", AQMS)


experiment = Experiment(
    name="cared-table2",
    summary="CARED, Table 2: loss and goodput of ARED and Re-ARED at 5, 50 and 100 flows",
    duration_s=100,
    seeds=10,
    settings=cared.SETTINGS | cared.NS3_SETTING,
    cells=cells,
    metrics=cared.METRICS,
    quick_points=("5 flows", "50 flows"),
    compare_to="ared",
)
