# SPDX-License-Identifier: Apache-2.0
"""The netlist that is placed does what the RTL does, and one that does not is seen."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sluice.hardware import designs
from sluice.hardware.designs import Design
from sluice.support import results_table
from sluice.support.errors import UserError
from sluice.synthesis import lockstep
from sluice.synthesis.passes.netlist import Module

ARRIVALS = 20_000


Sluice = Callable[..., tuple[int, str, str]]


@functools.cache
def prepared(name: str) -> lockstep.Prepared:
    return lockstep.prepare(designs.find(name))


@pytest.mark.parametrize("name", ["droptail", "red"])
def test_the_placed_netlist_is_the_rtl(name: str) -> None:
    told = lockstep.run(prepared(name), seed=1, arrivals=ARRIVALS)
    assert told["differs"] == ""
    assert prepared(name).moved > 0
    assert told["arrivals"] == ARRIVALS
    least = {"departures": 2000, "resets": 1, "writes": 100, "reads": 100}
    assert {key: told[key] for key, count in least.items() if told[key] < count} == {}
    reasons = {"droptail": (15,), "red": (1, 2, 15)}[name]
    assert [code for code in reasons if told["reasons"][code] < 100] == []


def differs(netlist: Any, tmp_path: Path) -> str:
    """The output of DropTail in which another netlist is seen to differ."""
    file = tmp_path / "netlist.txt"
    lockstep.write_gates(netlist, designs.find("droptail"), file)
    told = lockstep.run(dataclasses.replace(prepared("droptail"), gates=file), seed=1, arrivals=ARRIVALS)
    return str(told["differs"])


def cells(netlist: Any, kind: str) -> list[Any]:
    top = netlist["modules"][designs.find("droptail").module]
    return [cell for cell in top["cells"].values() if cell["type"] == kind]


def test_a_memory_without_the_registers_that_moved_into_it_is_seen(tmp_path: Path) -> None:
    netlist, _ = lockstep.placed(designs.find("droptail"))
    registered = [cell for cell in cells(netlist, "DP16KD") if cell["parameters"]["REGMODE_B"] == "OUTREG"]
    assert registered
    registered[0]["parameters"]["REGMODE_B"] = "NOREG"
    assert differs(netlist, tmp_path)


def test_a_wrong_bit_of_a_table_is_seen(tmp_path: Path) -> None:
    """The verdict is a register behind a table, whose inputs are all 1 while a packet is kept and fits."""
    design = designs.find("droptail")
    netlist, _ = lockstep.placed(design)
    top = netlist["modules"][design.module]
    module = Module(top)
    register = module.driver[top["ports"]["m_verdict_action"]["bits"][1]]
    table = module.cells[module.driver[module.net(register, "DI")]]
    ones = sum(1 << bit for bit, pin in enumerate("ABCD") if table["connections"][pin] != ["0"])
    table["parameters"]["INIT"] = f"{int(table['parameters']['INIT'], 2) ^ 1 << ones:016b}"
    assert differs(netlist, tmp_path) == "m_verdict_action"


FLIP_FLOP = {
    "type": "TRELLIS_FF",
    "parameters": {"CEMUX": "1", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET", "SRMODE": "LSR_OVER_CE"},
    "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"},
    "connections": {"CLK": [2], "DI": [3], "LSR": ["0"], "Q": [4]},
}


def tiny(cell: dict[str, Any]) -> dict[str, Any]:
    """A module of one cell, with a clock and another input."""
    ports = {"clk": {"direction": "input", "bits": [2]}, "in": {"direction": "input", "bits": [3]}}
    return {"modules": {"tiny": {"ports": ports, "cells": {"one": cell}}}}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"parameters": FLIP_FLOP["parameters"] | {"CLKMUX": "INV"}}, "CLKMUX is INV"),
        ({"connections": FLIP_FLOP["connections"] | {"CLK": [3]}}, "a clock other than clk"),
        (
            {
                "parameters": FLIP_FLOP["parameters"] | {"SRMODE": "ASYNC"},
                "connections": FLIP_FLOP["connections"] | {"LSR": [3]},
            },
            "an asynchronous reset",
        ),
        ({"type": "EHXPLLL"}, "a cell of this kind is not known"),
    ],
)
def test_what_has_no_meaning_is_refused(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    design = Design("tiny", "tiny", Path("tiny.sv"), {}, 0)
    lockstep.write_gates(tiny(FLIP_FLOP), design, tmp_path / "good.txt")
    with pytest.raises(UserError, match=why):
        lockstep.write_gates(tiny(FLIP_FLOP | changes), design, tmp_path / "bad.txt")


def test_logic_that_depends_on_itself_is_refused(tmp_path: Path) -> None:
    table = {"type": "LUT4", "parameters": {"INIT": "01"}, "port_directions": {}, "connections": {"A": [5], "Z": [5]}}
    with pytest.raises(UserError, match="depends on itself"):
        lockstep.write_gates(tiny(table), Design("tiny", "tiny", Path("tiny.sv"), {}, 0), tmp_path / "bad.txt")


def test_a_row_is_due_until_it_is_of_this_rtl_and_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lockstep, "table", lambda: tmp_path / "netlists.csv")
    design = designs.find("droptail")
    row = {"config": "droptail", "rtl": design.rtl, "differs": "no"}
    assert lockstep.is_due(design)
    for changed, is_due in (({}, False), ({"rtl": "other"}, True), ({"differs": "m_verdict_valid"}, True)):
        results_table.merge_row(tmp_path / "netlists.csv", row | changed)
        assert lockstep.is_due(design) is is_due


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a configuration, or say --all"),
        (("red", "--all"), "name a configuration, or say --all"),
        (("--all", "--json", "x.json"), "--all writes the table"),
        (("rde",), "red"),
    ],
)
def test_a_mistake_is_one_line(sluice: Sluice, project: Path, arguments: tuple[str, ...], message: str) -> None:
    status, _, error = sluice("netlist", *arguments)
    assert status == 2
    assert message in error
    assert error.count("\n") == 1
