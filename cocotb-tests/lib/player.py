# SPDX-License-Identifier: Apache-2.0
"""Plays long stimuli on a generated module without Python in the loop: arrays in, arrays out.

For benches whose inputs do not depend on the outputs; the others are cocotb's.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from lib import waves
from lib.files import kept
from lib.memories import played
from lib.simulation import BENCHES
from lib.verilated import program

if TYPE_CHECKING:
    from collections.abc import Mapping

RESET_CYCLES = 4
_WORD = 32
_WIDEST = 2 * _WORD
_PART = 1 << 14  # rows that are put together at a time, of which a cache holds all words


@dataclass(frozen=True, slots=True)
class Port:
    """A port of a module, as the generator writes it."""

    name: str
    is_input: bool
    width: int

    @property
    def words(self) -> int:
        """32-bit words that it takes in a row."""
        return -(-self.width // _WORD)

    @property
    def type(self) -> np.dtype:
        """The narrowest type that holds it."""
        return np.dtype(next(t for t in (np.uint8, np.uint16, np.uint32, np.uint64) if 8 * t().itemsize >= self.width))


def ports_of(source: Path) -> list[Port]:
    """The ports of the module that is named like its file, but for the clock. An output wider than 64 bits is not looked at."""
    head = re.search(rf"^module {source.stem} \((.*?)^\);", source.read_text(), re.MULTILINE | re.DOTALL)
    assert head, f"{source} has no module {source.stem}"
    found = re.findall(r"^  (input|output) +(?:wire|reg) +(?:\[(\d+):0\])? *(\w+),?$", head[1], re.MULTILINE)
    ports = [Port(name, way == "input", int(high or 0) + 1) for way, high, name in found if name != "clk"]
    return [port for port in ports if port.is_input or port.width <= _WIDEST]


class Player:
    """One Verilated module. `name` tells broken copies of a module from the module; `level` is g++'s of optimization: 0 for what
    is played so briefly that compiling is most of it."""

    def __init__(self, source: Path, name: str = "", level: int = 1) -> None:
        ports = ports_of(source)
        self.inputs = [port for port in ports if port.is_input]
        self.outputs = [port for port in ports if not port.is_input]
        self.source, self.name, self.level = source, name or source.stem, level
        self.folder = BENCHES / f"player-{self.name}"
        lines = [f"INPUT({port.name})" for port in self.inputs] + [f"OUTPUT({port.name})" for port in self.outputs]
        self.ports_header = "\n".join(lines) + "\n"
        self.binary = self._program(self.folder)

    def _program(self, folder: Path, is_traced: bool = False) -> Path:
        kept(folder / "ports.h", self.ports_header)
        return program(
            [played(self.source, folder / "played")],
            Path(__file__).with_name("player.cc"),
            folder,
            verilate=("--x-initial", "unique", "--noassert"),
            level=self.level,
            is_traced=is_traced,
        )

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What the outputs are in each row of the inputs. Inputs that are not given are 0."""
        return self._play(self.binary, inputs)

    def trace(self, inputs: Mapping[str, np.ndarray], row: int) -> Path:
        """The waveform of the rows around one, unless the tests were asked for another, and what shows it."""
        row = row if waves.asked_cycle() is None else RESET_CYCLES + waves.asked_cycle()
        fst, rows = waves.place(self.name), waves.rows_around(row, len(next(iter(inputs.values()))))
        traced = self._program(BENCHES / f"player-{self.name}-traced", is_traced=True)
        until = {port: column[: rows.stop] for port, column in inputs.items()}
        self._play(traced, until, str(fst), str(rows.start), str(rows.stop))
        waves.write_views(fst, self.source, row)
        return fst

    def _play(self, binary: Path, inputs: Mapping[str, np.ndarray], *arguments: str) -> dict[str, np.ndarray]:
        unknown = inputs.keys() - {port.name for port in self.inputs}
        assert not unknown, f"no such inputs: {unknown}"
        rows = len(next(iter(inputs.values())))
        given, taken = (self.folder / f"{name}-{os.getpid()}.bin" for name in ("stimulus", "response"))
        with given.open("wb") as file:
            for first in range(0, rows, _PART):
                self._words(inputs, slice(first, min(first + _PART, rows))).tofile(file)
        subprocess.run([str(binary), str(given), str(taken), *arguments], check=True)
        seen = {port.name: np.empty(rows, port.type) for port in self.outputs}
        with taken.open("rb") as file:
            for first in range(0, rows, _PART):
                self._take(file, seen, slice(first, min(first + _PART, rows)))
        given.unlink()
        taken.unlink()
        return seen

    def _words(self, inputs: Mapping[str, np.ndarray], part: slice) -> np.ndarray:
        """Some rows of the inputs, as the player reads them."""
        rows = np.zeros((part.stop - part.start, sum(port.words for port in self.inputs)), dtype=np.uint32)
        at = 0
        for port in self.inputs:
            if port.name in inputs:
                column = inputs[port.name][part].astype(np.uint64)
                for word in range(port.words):
                    rows[:, at + word] = (column >> np.uint64(_WORD * word)) & np.uint64(2**_WORD - 1)
            at += port.words
        return rows

    def _take(self, file: BinaryIO, seen: dict[str, np.ndarray], part: slice) -> None:
        """The next rows of the outputs, as the player has written them."""
        words, at = sum(port.words for port in self.outputs), 0
        rows = np.fromfile(file, np.uint32, (part.stop - part.start) * words).reshape(-1, words)
        for port in self.outputs:
            column = rows[:, at].astype(port.type)
            for word in range(1, port.words):
                column |= rows[:, at + word].astype(port.type) << np.uint64(_WORD * word)
            seen[port.name][part], at = column, at + port.words

    def play(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The same with a reset of RESET_CYCLES before row 0."""
        begun = {name: np.concatenate([np.zeros(RESET_CYCLES, c.dtype), c]) for name, c in inputs.items()}
        if any(port.name == "rst" for port in self.inputs):
            rows = len(next(iter(begun.values())))
            begun["rst"] = begun.get("rst", np.zeros(rows)) + (np.arange(rows) < RESET_CYCLES)
        return {name: column[RESET_CYCLES:] for name, column in self.run(begun).items()}
