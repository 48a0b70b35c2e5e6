# SPDX-License-Identifier: Apache-2.0
"""Runs the datapath's cocotb tests on the generated datapaths: two widths, or with SLUICE_WIDTHS=all every one."""

from __future__ import annotations

import os

import pytest
from lib.simulation import RTL, catalog, simulate

WIDTHS = {entry["name"]: entry["data_bits"] for entry in catalog()["datapaths"]}
UNDER_LOAD = {"red-64", "red-512"}
CHOSEN = sorted(WIDTHS) if os.environ.get("SLUICE_WIDTHS") == "all" else sorted(UNDER_LOAD)
"""Wide datapaths take minutes to build, so a run takes all widths only where it is asked to."""


@pytest.mark.parametrize("name", CHOSEN)
def test_datapath(name: str) -> None:
    """Frames in, frames out at every width; load, marks and shaper at two."""
    modules = ["datapath.end_to_end"]
    if name in UNDER_LOAD:
        modules.append("datapath.under_load")
    source = RTL / name / f"sluice_{name.replace('-', '_')}.sv"
    simulate(source, ",".join(modules), bench=f"datapath-{name}", parameters={"SLUICE_DATAPATH": name})
