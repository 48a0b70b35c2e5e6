# SPDX-License-Identifier: Apache-2.0
"""Runs the datapath's cocotb tests on the generated datapaths: two widths, or with SLUICE_WIDTHS=all every one."""

from __future__ import annotations

import os

import pytest
from lib.simulation import RTL, catalog, simulate

from sluice.support import paths

QUEUES = {config["name"]: config["settings"]["queues"] for config in catalog()["configs"]}
NAMES = sorted(entry["name"] for entry in catalog()["datapaths"] if QUEUES[entry["config"]] == 1)
"""Of several queues frames leave in another order than they came: test_many_queues.py."""
WITH_SIDE_BANDS = {d["name"] for d in catalog()["datapaths"] if d["user_bits"] + d["id_bits"] + d["dest_bits"]}
UNDER_LOAD = {"red-8", "red-64", "red-64-sideband", "red-512", "red-1024"}
WITNESSES = sorted(entry["name"] for entry in catalog()["witness_datapaths"])
CHOSEN = (
    [*NAMES, *WITNESSES]
    if os.environ.get("SLUICE_WIDTHS") == "all"
    else ["red-512", "red-64-sideband", "head-witness-512", "out-witness-64"]
)
"""Wide datapaths take minutes to build, so a run takes all widths only where it is asked to."""


@pytest.mark.parametrize("name", CHOSEN)
def test_datapath(name: str) -> None:
    """Frames in, frames out at every width; load, marks and shaper at the least, the most and two between."""
    modules = ["datapath.benches.end_to_end"]
    if name in UNDER_LOAD:
        modules.append("datapath.benches.under_load")
    if name in WITH_SIDE_BANDS:
        modules.append("datapath.benches.side_bands")
    if name in WITNESSES:
        modules.append("datapath.benches.in_queue")
    source = RTL / name / f"{paths.module(name)}.sv"
    simulate(source, ",".join(modules), bench=f"datapath-{name}", parameters={"SLUICE_DATAPATH": name})
