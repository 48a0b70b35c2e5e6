# SPDX-License-Identifier: Apache-2.0
"""The parts of a synthesis run that need no synthesis: medians and the table of results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sluice import synthesis
from sluice.hardware import designs
from sluice.support import results_table
from sluice.support.errors import UserError
from sluice.synthesis import measurement
from sluice.synthesis.passes import carry_inputs


def test_median() -> None:
    assert synthesis.median_or_none([]) is None
    assert synthesis.median_or_none([100.0, 300.0, 200.0]) == 200


def test_a_row_replaces_its_own_and_leaves_the_others(tmp_path: Path) -> None:
    table = tmp_path / "results" / "ecp5.csv"
    for config, lut in (("red", 3), ("droptail", 1), ("red", 2)):
        results_table.merge_row(table, {"config": config, "lut": lut})
    assert table.read_text() == "config,lut\ndroptail,1\nred,2\n"


@pytest.mark.parametrize("is_plain", [False, True])
def test_a_plain_run_changes_neither_the_netlist_nor_the_table(
    sluice: Callable[..., tuple[int, str, str]], project: Path, monkeypatch: pytest.MonkeyPatch, is_plain: bool
) -> None:
    passes: list[Any] = []
    rows: list[dict[str, Any]] = []

    def placements(
        _target: Any, _top: str, work: Path, _placer: str, used: Any, seeds: int, _done: Any, has_delays: bool
    ) -> list[synthesis.Placed]:
        assert not has_delays
        passes.extend(used)
        return [synthesis.Placed(160, work)] * seeds

    monkeypatch.setattr(synthesis, "area", lambda *_: dict.fromkeys(("lut", "carry", "ff", "bram", "dsp"), 1))
    monkeypatch.setattr(synthesis, "placements", placements)
    # Asking the tools takes minutes in a fresh home.
    monkeypatch.setattr(synthesis, "tool_versions", lambda _: {"yosys": "0.70", "nextpnr": "0.11"})
    monkeypatch.setattr(results_table, "merge_row", lambda _table, row: rows.append(row))
    file = project / "red.json"
    (project / "build/rtl/red/sluice_tile_red.sv").touch()
    status, out, _ = sluice("synth", "red", "--seeds", "1", "--json", str(file), *(["--plain"] if is_plain else []))
    assert status == 0
    assert json.loads(file.read_text())["plain"] is is_plain
    assert ("plain" in out) is is_plain
    assert len(passes) == (0 if is_plain else 2)
    assert len(rows) == (0 if is_plain else 1)


def test_a_number_of_a_key_is_the_same_in_a_table(tmp_path: Path) -> None:
    table = tmp_path / "mutants.csv"
    for killed in (1, 2):
        results_table.merge_row(table, {"config": "red", "seed": 7, "killed": killed}, key=("config", "seed"))
    assert table.read_text() == "config,seed,killed\nred,7,2\n"


def test_a_table_may_have_a_key_of_two_columns(tmp_path: Path) -> None:
    table = tmp_path / "mutants.csv"
    for design, killed in (("tile", 1), ("core", 2), ("tile", 3)):
        results_table.merge_row(table, {"config": "red", "design": design, "killed": killed}, key=("config", "design"))
    assert table.read_text() == "config,design,killed\nred,core,2\nred,tile,3\n"


def _carry(init: str, carry_in: Any) -> dict[str, Any]:
    return {
        "type": "CCU2",
        "parameters": {"INIT0": init},
        "connections": {"CIN": [carry_in], "COUT": [9]},
        "port_directions": {"CIN": "input", "COUT": "output"},
    }


def test_only_a_carry_input_that_is_of_no_account_is_opened() -> None:
    """That of a cell which makes its carry itself, where a constant was tied to it."""
    low = {"type": "VLO", "connections": {"Z": [5]}, "port_directions": {"Z": "output"}}
    cells = {"low": low, "first": _carry("0xFFFF", 5), "adds": _carry("0x96AA", 5), "next": _carry("0xFFFF", 6)}
    assert carry_inputs.open_first({"modules": {"top": {"cells": cells}}}) == 1
    assert [name for name, cell in cells.items() if "CIN" in cell["connections"]] == ["adds", "next"]
    assert list(cells["first"]["port_directions"]) == ["COUT"]


def test_a_design_is_not_placed_by_a_placer_that_the_family_has_not() -> None:
    design = designs.Design("red-64", "sluice_red_64", Path("red.sv"), {}, 76, placer="static")
    with pytest.raises(UserError, match="red-64 is placed by static, which nexus has not"):
        measurement.measure(design, "nexus", seeds=1)
