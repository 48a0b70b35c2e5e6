# SPDX-License-Identifier: Apache-2.0
"""Runs a tile behind the crossing of clocks, and a crossing whose words do not wait for one another, which must be noticed."""

from __future__ import annotations

from pathlib import Path

from lib.simulation import RTL, copy_of, outcome, simulate

TESTS = "tile.clock_crossing"
WRAPPER = Path(__file__).with_name("crossed_tile.sv")
CROSSING = RTL / "crossing" / "sluice_clock_crossing.sv"
TILE = RTL / "droptail" / "sluice_tile_droptail.sv"


def source(bench: str, crossing: str) -> Path:
    """Wrapper, crossing and tile as one file."""
    return copy_of(WRAPPER, bench, "\n".join((WRAPPER.read_text(), crossing, TILE.read_text())))


def test_a_tile_behind_the_crossing() -> None:
    bench = "clock-crossing"
    simulate(source(bench, CROSSING.read_text()), TESTS, bench=bench)


def test_words_that_do_not_wait_are_noticed() -> None:
    bench, waits = "clock-crossing-hasty", "io_input_ready = (pushArea_hit == pushArea_target)"
    text = CROSSING.read_text()
    assert text.count(waits) == 5  # of the six channels two are one module
    ran, failed, _ = outcome(source(bench, text.replace(waits, "io_input_ready = 1'b1")), TESTS, bench=bench)
    assert ran == 8
    assert failed > 4  # all with a host's words, and some with the time
