# SPDX-License-Identifier: Apache-2.0
"""Runs the Versa board's designs with models of the ECP5's cells, from pin to pin."""

from __future__ import annotations

from pathlib import Path

import pytest
from lib.simulation import RTL, copy_of, simulate

from sluice.support import paths

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("board", "tests"), [("lattice-versa-ecp5", "versa_red"), ("lattice-versa-ecp5-care", "versa_care")]
)
def test_a_bump_in_the_wire(board: str, tests: str) -> None:
    top = RTL / board / f"{paths.module(board)}.sv"
    source = copy_of(top, board, top.read_text() + (HERE / "ecp5_cells.sv").read_text())
    simulate(source, f"boards.{tests}", bench=board)
