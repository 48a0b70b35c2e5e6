# SPDX-License-Identifier: Apache-2.0
"""Runs the datapath's cocotb tests on the generated datapaths, of all widths."""

from __future__ import annotations

import pytest
from lib.simulation import RTL, catalog, simulate

WIDTHS = {entry["name"]: entry["data_bits"] for entry in catalog()["datapaths"]}
UNDER_LOAD = {"red-64", "red-512"}
ONE_BEAT = 512
"""At this width a minimum-size frame is one beat."""


@pytest.mark.parametrize("name", WIDTHS)
def test_datapath(name: str) -> None:
    """Frames in, frames out at every width; load, marks and shaper at two; line rate where a frame is a beat."""
    modules = ["datapath.end_to_end"]
    if name in UNDER_LOAD:
        modules.append("datapath.under_load")
    if WIDTHS[name] == ONE_BEAT:
        modules.append("datapath.line_rate")
    source = RTL / name / f"sluice_{name.replace('-', '_')}.sv"
    simulate(source, ",".join(modules), bench=f"datapath-{name}", parameters={"SLUICE_DATAPATH": name})
