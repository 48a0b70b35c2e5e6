# SPDX-License-Identifier: Apache-2.0
"""CARED, Tables 6 and 7: loss and goodput of 5 to 100 FTP flows with ECN.

ns-3's TCP differs from ns-2's, and that moves this table more than the AQM does.
"""

from __future__ import annotations

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import cared

AQMS = ("red", "ared", "re-ared", "cared", "ns3-ared")
"""Columns of the table."""


def cells() -> list[Cell]:
    """One cell for each AQM and number of flows."""
    return cared.cells("cared-table6-7", AQMS)


experiment = Experiment(
    name="cared-table6-7",
    summary="CARED, Tables 6 and 7: loss and goodput of 5 to 100 FTP flows with ECN",
    duration_s=100,
    seeds=10,
    settings=cared.SETTINGS | cared.NS3_SETTING,
    cells=cells,
    metrics=cared.METRICS,
    quick_points=("5 flows", "30 flows", "100 flows"),
    compare_to="ared",
)
