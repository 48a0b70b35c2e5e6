# SPDX-License-Identifier: Apache-2.0
"""The generated designs for boards: which exist, their chips, and where their files are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sluice.hardware import rtl_digest
from sluice.hardware.catalog import entries, unknown
from sluice.support import paths
from sluice.support.errors import UserError

PARTS = {"lattice-versa-ecp5": ("--um5g-45k", "--speed", "8", "--package", "CABGA381")}
"""The chip of each board, as nextpnr calls it."""


@dataclass(frozen=True)
class Board:
    """A board with the tile of one configuration; the name is its own, which its top bears."""

    name: str
    board: str
    config: str

    @property
    def module(self) -> str:
        """Its top."""
        return paths.module(self.name)

    @property
    def verilog(self) -> Path:
        """Its top's file."""
        return paths.build() / "rtl" / self.name / f"{self.module}.sv"

    @property
    def rtl(self) -> str:
        """Digest of its hardware as it is generated now."""
        return rtl_digest.digest(paths.made(self.verilog).read_text())

    @property
    def constraints(self) -> Path:
        """Pins and clocks."""
        return paths.root() / "constraints" / f"{self.board}.lpf"


def load() -> list[Board]:
    """All of them, generating the catalogue first if it is not there."""
    return entries("boards", Board)


def named(name: str) -> Board:
    """The one of that name; a user error that names the nearest ones otherwise."""
    boards = load()
    for board in boards:
        if board.name == name:
            return board
    raise UserError(unknown("board", name, [board.name for board in boards]))
