# SPDX-License-Identifier: Apache-2.0
"""CARED, Tables 3 and 4: loss and goodput of Re-ARED and its two modifications.

M1 has Re-ARED's steps with ARED's band, M2 has Re-ARED's band with steps that cannot leap over it.
"""

from __future__ import annotations

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import cared

AQMS = ("re-ared", "re-ared-m1", "re-ared-m2")
"""Columns of the table."""


def cells() -> list[Cell]:
    """One cell for each AQM and number of flows."""
    return cared.cells("cared-table3-4", AQMS)


experiment = Experiment(
    name="cared-table3-4",
    summary="CARED, Tables 3 and 4: loss and goodput of Re-ARED and its two modifications",
    duration_s=100,
    seeds=10,
    settings=cared.SETTINGS,
    cells=cells,
    metrics=cared.METRICS,
    quick_points=("5 flows", "50 flows"),
    compare_to="re-ared",
)
