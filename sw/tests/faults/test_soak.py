# SPDX-License-Identifier: Apache-2.0
"""What is kept of long runs, what a page shows of it, and how a broken invariant ends the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sluice.faults import soak
from sluice.pages.tables.soak import soaked
from sluice.support import paths, results_table

Sluice = Callable[..., tuple[int, str, str]]
NAMES = ("clock", "arrivals", "accepted", "resets", "quiet", "live", "wraps_32", "wraps_48")


def outcome(arrivals: int, broken: str = "") -> soak.Outcome:
    return soak.Outcome(broken, {**dict.fromkeys(NAMES, 7.0), "arrivals": float(arrivals), "seconds": 2.0})


@pytest.fixture
def tile(project: Path) -> Path:
    """The SystemVerilog of the small project's tile."""
    file = paths.tile_verilog("red")
    file.write_text("module top; endmodule\n")
    return file


def kept() -> list[int]:
    return [int(row["arrivals"]) for row in results_table.read(soak.table())]


def test_the_longest_run_of_the_present_rtl_is_kept(tile: Path) -> None:
    assert soak.keep("red", 1, outcome(5000))
    assert not soak.keep("red", 1, outcome(4000))
    assert kept() == [5000]
    assert soak.keep("red", 2, outcome(3000))
    assert soak.keep("red", 1, outcome(6000))
    assert kept() == [6000, 3000]
    assert soak.keep("red", 1, outcome(100, "a verdict is missing")), "what is broken is never left out"
    tile.write_text("module top; wire more; endmodule\n")
    assert soak.keep("red", 1, outcome(200))
    assert kept() == [200, 3000]


def test_the_table_says_how_far_it_is(tile: Path) -> None:
    soak.keep("red", 1, outcome(500_000_000))
    assert "In all 500,000,000 arrivals, 10 % of the 5,000,000,000" in soaked([])[-1]
    assert "| `red` | 1 | 500,000,000 | 7 | 7 | 7 | 7 | 7 | 7 | 250,000,000 | nothing |" in soaked([])[2]
    tile.write_text("module top; wire more; endmodule\n")
    assert "| `red` † |" in soaked([])[2]
    assert any("; 0 of them on the present RTL" in line for line in soaked([]))


def test_what_is_broken_ends_with_status_1(sluice: Sluice, tile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "run", lambda *_: outcome(2000, "a verdict is missing"))
    file = tile.with_name("soak.json")
    status, out, _ = sluice("soak", "red", "--json", str(file))
    assert status == 1
    assert "broken at arrival 2,000, clock 7: a verdict is missing" in out
    assert json.loads(file.read_text())["broken"] == "a verdict is missing"
    monkeypatch.setattr(soak, "run", lambda *_: outcome(2000))
    status, out, _ = sluice("soak", "red", "--seed", "3")
    assert status == 0
    assert "2,000 arrivals in 2.0 s of processor time, 1,000 a second" in out
