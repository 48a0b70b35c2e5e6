# SPDX-License-Identifier: Apache-2.0
"""What a design was given and what it must answer, clock by clock: the form in which tests hand it on (`numpy.savez`).

- `in:<port>`: a value per clock for each input but the clock, unsigned.
- `out:<port>`: a value per clock for each output, as the good design has it.
- `mask:<port>`: a bool per clock for each output: whether it counts there.

A port of more than 64 bits has a row of 32-bit words per clock, the lowest first. Inputs stand through a clock, outputs are
those just before the edge that ends it. `rows` is the form that the player reads: every port at the words that `Layout` says.
"""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from sluice.support.errors import UserError
from sluice.synthesis import harness
from sluice.synthesis.harness import Port

WORD = 32
ARRIVALS = 100_000
"""At least so many random ones has the recording by which a core's mutants are judged, and the run that is kept as evidence."""

Array = np.ndarray[Any, np.dtype[Any]]
Columns = dict[str, Array]


@dataclass(frozen=True)
class Layout:
    """Ports side by side, each from a word of its own on."""

    ports: list[Port]

    @property
    def words(self) -> int:
        """Words of a row; three at least, so that Verilator makes an array of them."""
        return max(3, sum(map(port_words, self.ports)))

    def places(self) -> dict[str, int]:
        """The first word of each port."""
        first, places = 0, {}
        for port in self.ports:
            places[port.name] = first
            first += port_words(port)
        return places

    def rows(self, columns: Columns) -> Array:
        """Columns by port as rows of words; what has no column is 0."""
        rows = np.zeros((len(next(iter(columns.values()))), self.words), dtype=np.uint32)
        for name, first in self.places().items():
            if name in columns:
                words = _as_words(columns[name])
                rows[:, first : first + words.shape[1]] = words[:, : self.words - first]
        return rows

    def columns(self, rows: Array) -> Columns:
        """The other way."""
        places = self.places()
        return {port.name: _as_column(rows[:, places[port.name] :][:, : port_words(port)]) for port in self.ports}


@dataclass(frozen=True)
class Shape:
    """The ports of a design but for its clock."""

    inputs: Layout
    outputs: Layout

    @classmethod
    def of(cls, ports: list[Port]) -> Shape:
        """All ports but the clock."""
        kept = [port for port in ports if port.name not in harness.CLOCK_NAMES]
        return cls(
            Layout([port for port in kept if port.is_input]), Layout([port for port in kept if not port.is_input])
        )


@dataclass(frozen=True)
class Recording:
    """A stimulus and the answer; masks have the ports of the outputs."""

    inputs: Columns
    outputs: Columns = field(default_factory=dict)
    masks: Columns = field(default_factory=dict)

    def rows(self, shape: Shape) -> Array:
        """For the player: inputs, outputs, and the mask of the output bits that count."""
        masks = {
            port.name: _everywhere(self.masks[port.name], port)
            for port in shape.outputs.ports
            if port.name in self.masks
        }
        parts = (shape.inputs.rows(self.inputs), shape.outputs.rows(self.outputs), shape.outputs.rows(masks))
        return np.concatenate(parts, axis=1)

    def save(self, file: Path) -> None:
        """Write the file, which is whole as soon as it is there."""
        file.parent.mkdir(parents=True, exist_ok=True)
        parts = {"in": self.inputs, "out": self.outputs, "mask": self.masks}
        named = {f"{part}:{port}": column for part, columns in parts.items() for port, column in columns.items()}
        unfinished = file.with_name(f"{file.name}.{os.getpid()}")
        with unfinished.open("wb") as archive:
            np.savez(archive, **named)  # type: ignore[arg-type]
        unfinished.replace(file)

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read it; a user error if it is none."""
        if not zipfile.is_zipfile(file):
            raise UserError(f"{file} is no recording")
        parts: dict[str, Columns] = {"in": {}, "out": {}, "mask": {}}
        with np.load(file) as archive:
            for name in archive:
                part, _, port = name.partition(":")
                if part not in parts:
                    raise UserError(f"{file} is no recording: it has '{name}'")
                parts[part][port] = archive[name]
        return cls(parts["in"], parts["out"], parts["mask"])


def port_words(port: Port) -> int:
    """Words that a port takes."""
    return -(-port.width // WORD)


def _everywhere(mask: Array, port: Port) -> Array:
    """All bits of a port where it counts."""
    words = [min(WORD, port.width - first) for first in range(0, port.width, WORD)]
    return mask[:, None] * np.array([(1 << bits) - 1 for bits in words], dtype=np.uint32)


def _as_words(column: Array) -> Array:
    if column.ndim == 2:
        return column
    wide = column.astype(np.uint64)
    return np.stack([wide & np.uint64(0xFFFFFFFF), wide >> np.uint64(WORD)], axis=1).astype(np.uint32)


def _as_column(words: Array) -> Array:
    if words.shape[1] == 1:
        return words[:, 0].copy()
    return words[:, 0] | words[:, 1].astype(np.uint64) << np.uint64(WORD) if words.shape[1] == 2 else words.copy()
