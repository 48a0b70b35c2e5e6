# SPDX-License-Identifier: Apache-2.0
"""The program that plays upsets of one tile or datapath: `sim/model/upsets` around its Verilated Verilog."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sluice.faults.upsets import program
from sluice.faults.upsets import taps as finder
from sluice.faults.upsets.program import Subject
from sluice.faults.upsets.taps import Tap
from sluice.support import paths
from sluice.support.errors import UserError


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
    """A tile or datapath in traffic, with its parameters in raw values by name, of which `limit` must be one."""

    def __init__(self, subject: Subject, folder: Path, settings: dict[str, int]) -> None:
        self.folder, self.kind = folder, subject.kind
        self.arguments = [f"{name}={raw}" for name, raw in settings.items()]
        self.taps = finder.find(subject.verilog)
        source = paths.root() / "sim" / "model" / "upsets" / "upset-player.cc"
        self.program = program.build(source, subject, self.taps, folder)
        self.begin, self.end, self.items = self._list()

    def play(self, upsets: Sequence[Upset]) -> dict[int, list[str]]:
        """For each upset, by its place in the list, the cells that the program printed behind its number."""
        plan = self.folder / "plan.txt"
        plan.write_text("".join(upset.line() for upset in upsets))
        lines = self._run("play", str(plan)).splitlines()
        return {int(number): cells for number, *cells in (line.split(",") for line in lines)}

    def _list(self) -> tuple[int, int, list[Item]]:
        """Clocks between which the main traffic is, and all that can be upset."""
        known = {(tap.module, tap.name): tap for tap in self.taps}
        begin, end, items = 0, 0, []
        for kind, *cells in map(str.split, self._run("list").splitlines()):
            if kind == "clocks":
                begin, end = int(cells[0]), int(cells[1])
            elif kind == "phase":
                if cells[3] != "good":
                    raise UserError(f"it is wrong without an upset: {cells[3]}; see {self.folder}")
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
