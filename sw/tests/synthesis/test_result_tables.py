# SPDX-License-Identifier: Apache-2.0
"""Measured results know their RTL: what counts as the same hardware, what is due, and how an old row looks in a page."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sluice import synthesis
from sluice.hardware import boards, catalog, designs, rtl_digest
from sluice.pages import result_tables
from sluice.support import paths, results_table
from sluice.support.errors import UserError
from sluice.synthesis import harness, measurement

Sluice = Callable[..., tuple[int, str, str]]

VERILOG = """\
// Generator : SpinalHDL v1.2.3
// Sluice 0.2.0: tile of configuration 'red'

module sluice_tile_red (input wire clk); // one clock
  assign read_values_1_1 = 32'h00000200;
  assign other = 32'h00000200;
  wire when_RedCore_l123;
  wire _zz_when_RedCore_l77_1;
  wire _zz__zz_when_Ewma_l87_2_1;
endmodule
"""


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("v1.2.3", "v1.2.4", True),
        (" // one clock", "", True),
        ("'red'", "'red', as it was", True),
        ("0.2.0: ", "0.3.1: ", False),  # without the word that VERSION reads it is another constant
        ("_l123", "_l45", True),
        ("_l77_1", "_l78", True),
        ("_l87_2_1", "_l88_2_1", True),
        ("when_RedCore", "when_BlueCore", False),
        ("input wire clk", "input wire clock", False),
        ("other = 32'h00000200", "other = 32'h00000301", False),
    ],
)
def test_a_digest_changes_with_the_hardware(old: str, new: str, is_same: bool) -> None:
    assert old in VERILOG
    assert (rtl_digest.digest(VERILOG.replace(old, new)) == rtl_digest.digest(VERILOG)) is is_same


@pytest.mark.parametrize("name", ["red", "red-64"])
def test_a_release_changes_no_digest(name: str) -> None:
    text, version = designs.load()[name].verilog.read_text(), catalog.load().version
    major, minor, patch = map(int, version.split("."))
    read = f"read_values_1_1 = 32'h{major << 16 | minor << 8 | patch:08x}"
    assert text.count(read) == text.count(f"Sluice {version}: ") == 1
    released = text.replace(f"Sluice {version}: ", "Sluice 1.3.4: ").replace(read, "read_values_1_1 = 32'h00010304")
    assert rtl_digest.digest(released) == rtl_digest.digest(text)


def measured(design: designs.Design, target: str, seeds: int) -> dict[str, Any]:
    area = dict.fromkeys(("lut", "carry", "ff", "bram", "dsp"), 1)
    rates = [100.0 + seed for seed in range(seeds)]
    return {
        "config": design.name,
        "target": target,
        "plain": False,
        "rtl": design.rtl,
        **area,
        "fmax_mhz": {"median": synthesis.median_or_none(rates), "runs": rates},
        "latency_cycles": design.latency_cycles,
        "tool_versions": {"yosys": "1", "nextpnr": "1"},
    }


@pytest.fixture
def small(project: Path) -> Path:
    """The small project with RTL, and with nothing measured."""
    for design in designs.load().values():
        design.verilog.parent.mkdir(parents=True, exist_ok=True)
        design.verilog.write_text(f"module {design.module}; endmodule\n")
    return project


def test_all_measures_what_is_out_of_date_and_keeps_what_is_done(
    sluice: Sluice, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    broken = {"fred"}

    def measure(design: designs.Design, target: str, seeds: int) -> dict[str, Any]:
        asked.append(design.name)
        if design.name in broken:
            raise UserError("the power went")
        return measured(design, target, seeds)

    monkeypatch.setattr(measurement, "measure", measure)
    every = set(designs.load())
    assert sluice("synth", "--all", "--seeds", "2")[0] == 2
    broken.clear()
    asked.clear()
    assert sluice("synth", "--all", "--seeds", "2")[0] == 0
    kept = {row["config"]: row for row in results_table.read(synthesis.table("ecp5"))}
    assert set(kept) == every
    assert asked == ["fred"]
    assert (kept["red"]["seeds"], kept["red"]["fmax_mhz"]) == ("1 2", "100.0 101.0")
    assert sluice("synth", "--all", "--seeds", "2")[1] == "ecp5: 0 rows are missing or out of date\n"
    designs.load()["red"].verilog.write_text("module sluice_tile_red; wire more; endmodule\n")
    assert [design.name for design in measurement.due("ecp5", seeds=2)] == ["red"]
    assert {design.name for design in measurement.due("ecp5", seeds=3)} == every
    monkeypatch.setattr(harness, "verilog", lambda *_: "module another; endmodule\n")
    assert {design.name for design in measurement.due("ecp5", seeds=2)} == every
    fred = designs.find("fred")
    assert not measurement.is_old(measurement.row(measured(fred, "xc7", seeds=0)), fred), "an area is of no wrapper"


@pytest.mark.parametrize("arguments", ["synth", "synth red --all", "synth --all --plain", "synth --all --json x.json"])
def test_all_stands_alone(sluice: Sluice, arguments: str) -> None:
    status, _, err = sluice(*arguments.split())
    assert (status, len(err.splitlines())) == (2, 1)


def test_an_old_row_bears_a_dagger(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "<!-- table cost ecp5 red fred -->\n<!-- end of table -->\nAfter.\n"
    for name in ("red", "fred"):
        row = measurement.row(measured(designs.find(name), "ecp5", seeds=2))
        results_table.merge_row(synthesis.table("ecp5"), row)
    fresh = result_tables.rewritten(small / "page.md", page)
    assert "| `red` | 1 | 1 | 1 | 1 | 1 | 100.5 | 100.0 101.0 | 23 |" in fresh
    assert "†" not in fresh
    designs.load()["fred"].verilog.write_text("module sluice_tile_fred; wire more; endmodule\n")
    old = result_tables.rewritten(small / "page.md", fresh)
    assert "| `red` | 1" in old
    assert "| `fred` † | 1" in old
    assert old.count("\n† ") == 1
    assert old.endswith("\n<!-- end of table -->\nAfter.\n")
    monkeypatch.setattr(harness, "verilog", lambda *_: "module another; endmodule\n")
    assert "| `red` † | 1" in result_tables.rewritten(small / "page.md", page)
    with pytest.raises(UserError, match=r"page\.md: there is no table 'prices'"):
        result_tables.rewritten(small / "page.md", "<!-- table prices -->\n<!-- end of table -->")


def test_every_row_is_of_something_that_exists() -> None:
    for target in synthesis.TARGETS:
        with (paths.root() / "fpga" / "results" / f"{target}.csv").open(newline="") as file:
            assert {row["config"] for row in csv.DictReader(file)} <= set(designs.load())
    known = {board.name for board in boards.load()}
    assert {row["config"] for row in results_table.read(synthesis.table("boards"))} <= known
