# SPDX-License-Identifier: Apache-2.0
"""Runs the wrapper for NetFPGA SUME's output queues, and elaborates the module around it there."""

from __future__ import annotations

import pytest
from lib.simulation import RTL, simulate
from pyslang import driver

QUEUES = RTL / "netfpga-sume-red" / "sluice_netfpga_sume_red.sv"


def test_the_queues() -> None:
    simulate(QUEUES, "shells.netfpga_queues", bench="shell-netfpga")


@pytest.mark.parametrize(
    ("given", "said"),
    [("", []), ("-GNUM_QUEUES=3", ["NUM_QUEUES_must_be_5"]), ("-GC_BASEADDR=1", ["C_BASEADDR_must_be_0"])],
)
def test_the_shells_module_takes_its_parameters_and_no_others(given: str, said: list[str]) -> None:
    slang = driver.Driver()
    slang.addStandardArgs()
    assert slang.parseCommandLine(f"slang --top output_queues {given} {QUEUES.with_name('output_queues.v')} {QUEUES}")
    assert slang.processOptions()
    assert slang.parseAllSources()
    errors = [error for error in slang.createCompilation().getAllDiagnostics() if error.isError()]
    assert [error.args[0] for error in errors] == said
