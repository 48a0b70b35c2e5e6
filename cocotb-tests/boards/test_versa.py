# SPDX-License-Identifier: Apache-2.0
"""Runs the Versa board's design with models of the ECP5's cells, from pin to pin."""

from __future__ import annotations

from pathlib import Path

from lib.simulation import RTL, copy_of, simulate

HERE = Path(__file__).parent
BOARD = "lattice-versa-ecp5"


def test_a_bump_in_the_wire() -> None:
    top = RTL / BOARD / "sluice_lattice_versa_ecp5.sv"
    source = copy_of(top, BOARD, top.read_text() + (HERE / "ecp5_cells.sv").read_text())
    simulate(source, "boards.versa", bench=BOARD)
