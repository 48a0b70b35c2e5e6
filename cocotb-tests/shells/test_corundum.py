# SPDX-License-Identifier: Apache-2.0
"""Runs Corundum's application block with a datapath at its RX or TX tap, and elaborates the module around it there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from lib.simulation import RTL, simulate
from pyslang import driver


def block(way: str) -> Path:
    """The wrapper; Corundum's module is beside it."""
    return RTL / f"corundum-{way}-red" / f"sluice_corundum_{way}_red.sv"


@pytest.mark.parametrize("way", ["rx", "tx"])
def test_the_tap(way: str) -> None:
    tests = f"shells.corundum_{way},shells.corundum_ports"
    simulate(block(way), tests, bench=f"shell-corundum-{way}", parameters={"SLUICE_TAP": f"sync_{way}"})


@pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="no Icarus Verilog here, with which Corundum's own bench runs"
)
def test_icarus_takes_corundums_module() -> None:
    files = (block("rx").with_name("mqnic_app_block.v"), block("rx"))
    subprocess.run(["iverilog", "-g2012", "-t", "null", "-s", "mqnic_app_block", *files], check=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [("", []), ("-GPTP_TS_WIDTH=64", ["PTP_TS_WIDTH_must_be_96"]), ("-GAPP_ID=1", ["APP_ID_must_be_1397511491"])],
)
def test_corundums_module_takes_its_parameters_and_no_others(given: str, said: list[str]) -> None:
    app = block("rx").with_name("mqnic_app_block.v")
    slang = driver.Driver()
    slang.addStandardArgs()
    assert slang.parseCommandLine(f"slang --top mqnic_app_block {given} {app} {block('rx')}")
    assert slang.processOptions()
    assert slang.parseAllSources()
    errors = [error for error in slang.createCompilation().getAllDiagnostics() if error.isError()]
    assert [error.args[0] for error in errors] == said
