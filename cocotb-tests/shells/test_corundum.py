# SPDX-License-Identifier: Apache-2.0
"""Runs Corundum's application block with a datapath at its RX tap, and elaborates the module that stands around it there."""

from __future__ import annotations

import pytest
from lib.simulation import RTL, simulate
from pyslang import driver

FOLDER = RTL / "corundum-rx-red"
BLOCK = FOLDER / "sluice_corundum_rx_red.sv"


def test_the_rx_tap() -> None:
    simulate(BLOCK, "shells.corundum_rx", bench="shell-corundum-rx")


@pytest.mark.parametrize(
    ("given", "said"),
    [("", []), ("-GPTP_TS_WIDTH=64", ["PTP_TS_WIDTH must be 96"]), ("-GAPP_ID=1", ["APP_ID must be 1397511491"])],
)
def test_corundums_module_takes_its_parameters_and_no_others(given: str, said: list[str]) -> None:
    slang = driver.Driver()
    slang.addStandardArgs()
    assert slang.parseCommandLine(f"slang --top mqnic_app_block {given} {FOLDER / 'mqnic_app_block.sv'} {BLOCK}")
    assert slang.processOptions()
    assert slang.parseAllSources()
    errors = [error for error in slang.createCompilation().getAllDiagnostics() if error.isError()]
    assert [error.args[0] for error in errors] == said
