# SPDX-License-Identifier: Apache-2.0
"""Runs the wrapper for ESnet SmartNIC's application, and elaborates the module around it there."""

from __future__ import annotations

import pytest
from lib.simulation import RTL, simulate
from pyslang import driver

NIC = RTL / "esnet-red" / "sluice_esnet_red.sv"


def test_the_nic() -> None:
    simulate(NIC, "shells.esnet_nic", bench="shell-esnet")


@pytest.mark.parametrize(
    ("given", "said"),
    [("", []), ("-GNUM_PORTS=1", ["NUM_PORTS_must_be_2"]), ("-GHOST_NUM_IFS=2", ["HOST_NUM_IFS_must_be_3"])],
)
def test_the_shells_module_takes_its_parameters_and_no_others(given: str, said: list[str]) -> None:
    slang = driver.Driver()
    slang.addStandardArgs()
    assert slang.parseCommandLine(f"slang --top smartnic_app {given} {NIC.with_name('smartnic_app.v')} {NIC}")
    assert slang.processOptions()
    assert slang.parseAllSources()
    errors = [error for error in slang.createCompilation().getAllDiagnostics() if error.isError()]
    assert [error.args[0] for error in errors] == said
