# SPDX-License-Identifier: Apache-2.0
"""What the passes moved is the same as before, in a design of two clocks too, and whatever goes wrong in it is told."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sluice import synthesis
from sluice.support.errors import UserError
from sluice.synthesis import moved
from sluice.synthesis.gate_elements import Unknown

VERILOG = """\
module small(input clk, other, reset, write, enable, input [8:0] at, to, input [17:0] x, y, output reg [17:0] read,
             output reg [35:0] product, output reg [8:0] count);
  reg [17:0] memory [0:511]; reg [17:0] raw, a, b, a0, b0; reg [35:0] p;
  always @(posedge clk) begin if (write) memory[to] <= x; a0 <= x; b0 <= y; a <= a0; b <= b0; p <= a * b; product <= p; end
  always @(posedge other) begin
    raw <= memory[at]; if (enable) read <= raw;
    if (reset) count <= 0; else count <= count + 1;
  end
endmodule
"""
PASSES = synthesis.TARGETS["ecp5"].placement.passes  # type: ignore[union-attr]

Netlist = dict[str, Any]


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Netlist:
    work = tmp_path_factory.mktemp("small")
    (work / "small.sv").write_text(VERILOG)
    synthesis.area(synthesis.TARGETS["ecp5"], work / "small.sv", "small", work)
    netlist: Netlist = json.loads((work / "netlist.json").read_text())
    return netlist


def passed(before: Netlist) -> tuple[Netlist, dict[str, Any]]:
    """The netlist after the passes, and its cells."""
    after = copy.deepcopy(before)
    for change in PASSES:
        change(after)
    return after, after["modules"]["small"]["cells"]


def one(cells: dict[str, Any], kind: str) -> Any:
    return next(cell for cell in cells.values() if cell["type"] == kind)


def test_blocks_that_took_registers_are_the_same(before: Netlist, tmp_path: Path) -> None:
    after, cells = passed(before)
    assert one(cells, "DP16KD")["connections"]["OCEB"] != ["1"]
    assert one(cells, "MULT18X18D")["parameters"]["REG_INPUTA_CLK"] == "CLK0"
    assert [moved.check(before, after, tmp_path, seed) for seed in (1, 2)] == [2, 2]


def test_a_netlist_that_no_pass_changed_has_nothing_to_compare(before: Netlist, tmp_path: Path) -> None:
    assert moved.check(before, copy.deepcopy(before), tmp_path) == 0


def enable_always(cells: dict[str, Any]) -> None:
    one(cells, "DP16KD")["connections"]["OCEB"] = ["1"]


def keep_outside(cells: dict[str, Any]) -> None:
    one(cells, "DP16KD")["parameters"]["REGMODE_B"] = "NOREG"


def swap_factors(cells: dict[str, Any]) -> None:
    pins = one(cells, "MULT18X18D")["connections"]
    pins["A0"], pins["A1"] = pins["A1"], pins["A0"]


def no_product_register(cells: dict[str, Any]) -> None:
    one(cells, "MULT18X18D")["parameters"]["REG_OUTPUT_CLK"] = "NONE"


def other_clock(cells: dict[str, Any]) -> None:
    one(cells, "MULT18X18D")["connections"]["CLK0"] = one(cells, "DP16KD")["connections"]["CLKB"]


def other_table(cells: dict[str, Any]) -> None:
    one(cells, "CCU2C")["parameters"]["INIT0"] = "0" * 16


def lost_register(cells: dict[str, Any]) -> None:
    del cells[next(name for name, cell in cells.items() if cell["type"] == "TRELLIS_FF")]


def lost_carry(cells: dict[str, Any]) -> None:
    del cells[next(name for name, cell in cells.items() if cell["type"] == "CCU2C")]


@pytest.mark.parametrize(
    ("breaks", "told"),
    [
        (enable_always, "differs at net"),
        (keep_outside, "another clock"),
        (swap_factors, "differs at net"),
        (no_product_register, "another clock"),
        (other_clock, "another clock"),
        (other_table, "more than blocks changed"),
        (lost_register, "went into no block"),
        (lost_carry, "more than registers went"),
    ],
)
def test_what_a_pass_breaks_is_told(
    before: Netlist, tmp_path: Path, breaks: Callable[[dict[str, Any]], None], told: str
) -> None:
    after, cells = passed(before)
    breaks(cells)
    with pytest.raises(Unknown, match=told):
        moved.check(before, after, tmp_path)


def test_a_broken_pass_keeps_a_netlist_from_being_placed(before: Netlist, tmp_path: Path) -> None:
    def broken(netlist: Netlist) -> int:
        enable_always(netlist["modules"]["small"]["cells"])
        return 0

    with pytest.raises(UserError, match="a netlist pass went wrong: memory"):
        moved.apply(copy.deepcopy(before), [*PASSES, broken], tmp_path)
    assert moved.apply(copy.deepcopy(before), PASSES, tmp_path) > 0
