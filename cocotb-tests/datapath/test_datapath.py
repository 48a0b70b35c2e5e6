# SPDX-License-Identifier: Apache-2.0
"""Runs the datapath's cocotb tests on the generated datapaths, of all widths."""

from __future__ import annotations

import pytest
from lib.simulation import RTL, catalog, simulate

DATAPATHS = {entry["name"]: entry["data_bits"] for entry in catalog()["datapaths"]}
ONE_BEAT = 512
"""From this width on a minimum-size frame is one beat."""


def run(name: str, tests: str, testcase: str | None = None, **parameters: str) -> None:
    """One cocotb module on one datapath."""
    source = RTL / name / f"sluice_{name.replace('-', '_')}.sv"
    parameters["SLUICE_DATAPATH"] = name
    simulate(source, tests, bench=f"datapath-{name}", testcase=testcase, parameters=parameters)


@pytest.mark.parametrize("name", DATAPATHS)
def test_end_to_end(name: str) -> None:
    """Frames in, frames out; bad and overlong ones."""
    run(name, "datapath.end_to_end")


@pytest.mark.parametrize("name", [name for name, bits in DATAPATHS.items() if bits == ONE_BEAT])
def test_line_rate(name: str) -> None:
    """One minimum-size frame per clock."""
    run(name, "datapath.line_rate", "minimum_frames_without_a_bubble")


@pytest.mark.parametrize("name", ["red-64", "red-512"])
@pytest.mark.parametrize(
    "case",
    [
        "overload_drops_whole_frames",
        "stalling_input_loses_nothing",
        "marks_change_ecn_and_checksum_only",
        "shaper_keeps_the_rate",
    ],
)
def test_under_load(name: str, case: str) -> None:
    """Overload, backpressure, marks and the shaper."""
    run(name, "datapath.line_rate", case)
