# SPDX-License-Identifier: Apache-2.0
"""Runs the datapath's cocotb tests on the generated datapaths."""

from __future__ import annotations

import pytest
from lib.simulation import RTL, catalog, simulate

DATAPATHS = [entry["name"] for entry in catalog()["datapaths"]]


@pytest.mark.parametrize("name", DATAPATHS)
def test_end_to_end(name: str) -> None:
    """Frames in, frames out."""
    source = RTL / name / f"sluice_{name.replace('-', '_')}.sv"
    simulate(source, "datapath.end_to_end", bench=f"datapath-{name}", parameters={"SLUICE_DATAPATH": name})
