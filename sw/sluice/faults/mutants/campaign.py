# SPDX-License-Identifier: Apache-2.0
"""A number of mutants of one design, each judged once: found by the tests, proved to change nothing, or survived.

What is found is written down line by line, so an interrupted campaign goes on where it stopped. It starts anew when the
design, its tests or the faults have changed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sluice.faults.mutants import player, proof, selectable
from sluice.faults.mutants.design import Design
from sluice.faults.mutants.recording import Recording, Shape
from sluice.faults.mutants.selectable import Mutant
from sluice.loop import runs
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.synthesis import harness

AT_A_TIME = 8
"""Mutants of one task: starting Yosys, and reading a recording, take a second."""


@dataclass
class Campaign:
    """The mutants of a design, drawn and built, numbered from 1."""

    design: Design
    folder: Path
    mutants: Sequence[Mutant]
    shape: Shape
    program: Path
    found: Path = Path()
    """What was found with one recording, a line of JSON each."""
    rows: dict[int, int] = field(default_factory=dict)
    """For each mutant that was shown the recording the clock at which it was found out, or `player.SURVIVED`."""
    equivalent: dict[int, bool] = field(default_factory=dict)
    """For each survivor that was looked at, whether it was proved to change nothing."""

    @classmethod
    def prepare(cls, design: Design, count: int, seed: int) -> Campaign:
        """Draw and build, unless that is done."""
        folder = design.folder / f"{count}-{seed}"
        stamp = folder / "source.sha256"
        digest = _digest(design.source, paths.mutant_player(), *sorted(Path(__file__).parent.glob("*.py")))
        block = folder / f"{design.top}.sv"
        if not stamp.exists() or stamp.read_text() != digest:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            shutil.copyfile(design.source, block)
            mutants = selectable.draw(block, design.top, count, seed)
            (folder / "mutants.json").write_text(json.dumps([vars(mutant) for mutant in mutants]))
            shape = _shape(folder, design)
            player.build(selectable.write(block, design.top, mutants), design.top, shape)
            stamp.write_text(digest)
        mutants = [Mutant(**entry) for entry in json.loads((folder / "mutants.json").read_text())]
        return cls(design, folder, mutants, _shape(folder, design), folder / "obj" / "player")

    def rows_of(self, recording: Recording) -> Path:
        """A recording from elsewhere in the player's form; a user error if it is not one of this design."""
        inputs, outputs = ({port.name for port in layout.ports} for layout in (self.shape.inputs, self.shape.outputs))
        masked = set(recording.masks)
        if not masked or not masked <= set(recording.outputs) <= outputs or not set(recording.inputs) <= inputs:
            raise UserError("the recording is not one of this design: its columns are not the ports")
        file = self.folder / "given.bin"
        recording.rows(self.shape).tofile(file)
        return file

    def judge(self, recording: Path, pool: Executor, advance: Callable[[int], None]) -> None:
        """Show the recording to every mutant that has not seen it, then look whether survivors change anything."""
        if player.first_wrong_rows(self.program, recording, [player.NO_MUTANT]) != {player.NO_MUTANT: player.SURVIVED}:
            raise UserError(f"the good design does not repeat its own recording {recording}")
        self._recall(recording)
        digests = {str(file): runs.digest(file) for file in (self.program, recording)}
        left = [number for number in self.numbers if number not in self.rows]
        advance(len(self.rows))
        for shown in as_completed(
            [pool.submit(_show, self.program, recording, task, digests) for task in _tasks(left)]
        ):
            for number, row in shown.result().items():
                self.rows[number] = row
                self._note({"mutant": number, "row": row})
            advance(len(shown.result()))

    def prove(self, pool: Executor, advance: Callable[[int], None]) -> None:
        """Look at every survivor that was not looked at."""
        left = [number for number in self.survivors if number not in self.equivalent]
        advance(len(self.survivors) - len(left))
        netlist = self.folder / selectable.NETLIST
        for proved in as_completed(
            [pool.submit(proof.equivalent, netlist, self.design.top, task) for task in _tasks(left)]
        ):
            for number, is_equivalent in proved.result().items():
                self.equivalent[number] = is_equivalent
                self._note({"mutant": number, "equivalent": is_equivalent})
            advance(len(proved.result()))

    @property
    def numbers(self) -> range:
        """The mutants' numbers."""
        return range(1, 1 + len(self.mutants))

    @property
    def survivors(self) -> list[int]:
        """Mutants that no test found out, equivalent ones among them."""
        return [number for number in self.numbers if self.rows.get(number) == player.SURVIVED]

    def outcome(self, number: int) -> str:
        """In one word."""
        if self.rows[number] != player.SURVIVED:
            return "killed"
        return "equivalent" if self.equivalent[number] else "survived"

    def _recall(self, recording: Path) -> None:
        """What was found before about these mutants with this recording."""
        digest = hashlib.sha256((runs.digest(self.program) + runs.digest(recording)).encode()).hexdigest()
        self.found = self.folder / f"found-{digest[:16]}.jsonl"
        lines = self.found.read_text().splitlines() if self.found.exists() else []
        for entry in map(json.loads, lines):
            if "row" in entry:
                self.rows[entry["mutant"]] = entry["row"]
            else:
                self.equivalent[entry["mutant"]] = entry["equivalent"]

    def _note(self, entry: dict[str, Any]) -> None:
        with self.found.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def lines(self) -> Iterator[dict[str, Any]]:
        """One entry per mutant, for people and for JSON."""
        source = self.design.source.read_text().splitlines()
        for number, mutant in zip(self.numbers, self.mutants, strict=True):
            yield {
                "mutant": number,
                "outcome": self.outcome(number),
                "fault": mutant.kind,
                "place": mutant.place,
                "line": mutant.line,
                "source": source[mutant.line - 1].strip() if mutant.line else "",
                "clock": self.rows[number] if self.rows[number] != player.SURVIVED else None,
            }


def _digest(*files: Path) -> str:
    """Of the design and of what draws and builds its mutants."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _shape(folder: Path, design: Design) -> Shape:
    return Shape.of(harness.ports(json.loads((folder / selectable.PLAIN).read_text()), design.top))


def _show(program: Path, recording: Path, numbers: Sequence[int], digests: dict[str, str]) -> dict[int, int]:
    """Runs on a worker, whose files must be the same as here."""
    for file, digest in digests.items():
        if runs.digest(Path(file)) != digest:
            raise UserError(f"a worker has another {file}")
    return player.first_wrong_rows(program, recording, numbers)


def _tasks(numbers: Sequence[int]) -> list[Sequence[int]]:
    return [numbers[first : first + AT_A_TIME] for first in range(0, len(numbers), AT_A_TIME)]
