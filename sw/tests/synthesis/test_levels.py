# SPDX-License-Identifier: Apache-2.0
"""Levels of logic: of small netlists that are counted by hand, of what Yosys maps, and of the rows that are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sluice import synthesis
from sluice.hardware import catalog, designs
from sluice.hardware.designs import Design
from sluice.support import results_table
from sluice.support.errors import UserError
from sluice.synthesis import measurement
from sluice.synthesis.timing import common_paths, levels
from sluice.synthesis.timing.level_cells import Bit, LevelRule

RULE = LevelRule("a part", level_ns=0.5, memory=5, multiplier=7)
OUTPUTS = {"O", "Q", "CO", "P", "PCOUT", "ACOUT", "DOADO"}

Pins = Mapping[str, Sequence[Bit]]


def cell(kind: str, pins: Pins, **parameters: int) -> dict[str, Any]:
    return {
        "type": kind,
        "parameters": {name: f"{value:032b}" for name, value in parameters.items()},
        "port_directions": {pin: "output" if pin in OUTPUTS else "input" for pin in pins},
        "connections": dict(pins),
    }


def longest(*cells: dict[str, Any], names: Mapping[str, int] | None = None) -> levels.LevelPath:
    nets = {name: {"bits": [bit]} for name, bit in (names or {}).items()}
    module = {"cells": dict(zip("abcdefgh", cells, strict=False)), "netnames": nets, "ports": {}}
    return levels.longest(module, RULE, 1)[0]


def register(d: Bit, q: Bit) -> dict[str, Any]:
    return cell("FDRE", {"D": [d], "Q": [q]})


def test_a_lut_that_feeds_its_register_alone_is_one_level() -> None:
    found = longest(
        register(9, 1), cell("LUT2", {"I0": [1], "I1": ["0"], "O": [2]}), register(2, 3), names={"x": 1, "y": 3}
    )
    assert found.levels == 1
    assert found.steps == [("FDRE", "x"), ("LUT2", ""), ("FDRE", "y")]


def test_a_lut_that_others_hang_on_too_is_a_level_more() -> None:
    lut = cell("LUT1", {"I0": [1], "O": [2]})
    assert longest(register(9, 1), lut, register(2, 3), register(2, 4)).levels == 2


def test_an_enable_is_a_level_more() -> None:
    lut = cell("LUT1", {"I0": [1], "O": [2]})
    assert longest(register(9, 1), lut, cell("FDRE", {"D": [8], "CE": [2], "Q": [3]})).levels == 2


def test_four_blocks_of_a_chain_are_a_level() -> None:
    """The way in, five quarters of blocks, and the register, which no LUT feeds: 3.25, so 4; with four blocks 3."""

    def chain(blocks: int) -> levels.LevelPath:
        carries = []
        for block in range(blocks):
            pins: dict[str, list[Bit]] = {"S": [1] * 4, "DI": ["0"] * 4, "O": [100 + block] * 4}
            pins |= {"CI": [block + 10 if block else "0"], "CO": [50, 51, 52, block + 11]}
            carries.append(cell("CARRY4", pins))
        return longest(register(9, 1), *carries, register(99 + blocks, 3))

    assert [(chain(blocks).levels, chain(blocks).carries) for blocks in (1, 4, 5)] == [(3, 1), (3, 4), (4, 5)]


@pytest.mark.parametrize(("between", "expected"), [((), 0), (("LUT1",), 6)])
def test_a_memory_takes_the_register_right_behind_it(between: tuple[str, ...], expected: int) -> None:
    memory = cell("RAMB18E1", {"CLKARDCLK": [7], "DOADO": [1]})
    middle = [cell(kind, {"I0": [1], "O": [2]}) for kind in between]
    assert longest(memory, *middle, register(2 if between else 1, 3)).levels == (expected or 1)


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ({}, 7 + 2),  # through it, and two for the LUT behind and a register that another one shares
        ({"AREG": 1}, 7 + 2),  # from the operand's register inside
        ({"AREG": 1, "MREG": 1}, 4 + 2),  # from the product's register through the adder
        ({"PREG": 1}, 7),  # from the operand's register outside to the one at the end
    ],
)
def test_a_multiplier_without_a_register_is_many_levels(inside: dict[str, int], expected: int) -> None:
    multiplier = cell("DSP48E1", {"CLK": [20], "A": [1], "B": ["1"], "P": [2]}, **inside)
    lut = cell("LUT1", {"I0": [2], "O": [4]})
    assert longest(register(9, 1), multiplier, lut, register(4, 3), register(4, 5)).levels == expected


def test_registers_around_a_multiplier_go_into_it() -> None:
    multiplier = cell("DSP48E2", {"CLK": [20], "A": [1], "B": ["1"], "P": [2]})
    assert longest(register(9, 1), multiplier, register(2, 3)).levels == 7


def test_a_cell_that_is_not_known_is_named() -> None:
    with pytest.raises(UserError, match="ODDR"):
        longest(register(9, 1), cell("ODDR", {"D": [1], "Q": [2]}))


def test_of_the_bits_of_a_word_one_counts() -> None:
    cells = [register(9, 1), register(1, 2), register(1, 3)]
    module = {"cells": dict(zip("abc", cells, strict=True)), "netnames": {"w": {"bits": [2, 3]}}, "ports": {}}
    assert [path.steps[-1] for path in levels.longest(module, RULE, 9)] == [("FDRE", "w")]


@pytest.mark.parametrize("target", ["xc7", "xcup"])
def test_an_adder_as_yosys_maps_it(tmp_path: Path, target: str) -> None:
    """32 bits: the LUT before the chain, the way in, eight blocks, and a register that a carry feeds. A module that Yosys keeps
    whole is on the way like any other."""
    source = tmp_path / "adder.sv"
    source.write_text("""\
(* keep_hierarchy *) module sum(input [31:0] a, b, output [31:0] s); assign s = a + b; endmodule
module adder(input clk, input [31:0] x, y, output reg [31:0] z);
  reg [31:0] a, b; wire [31:0] s;
  sum inner(a, b, s);
  always @(posedge clk) begin a <= x; b <= y; z <= s; end
endmodule
""")
    family = synthesis.TARGETS[target]
    assert family.levels
    synthesis.area(family, source, "adder", tmp_path)
    module = json.loads((tmp_path / "netlist.json").read_text())["modules"]["adder"]
    path = levels.longest(module, family.levels, 1)[0]
    assert (path.levels, path.luts, path.carries) == (1 + 1 + 2 + 1, 1, 8)
    assert path.steps[0][1] in {"a", "b"}
    assert path.steps[-1] == ("FDRE", "z")


def test_what_is_measured_has_an_estimate_and_leaves_its_paths(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = project / "small.sv"
    source.write_text("module small;\nendmodule\n")
    design = Design("small", "small", source, {}, 1)
    cells = {"a": register(9, 1), "b": cell("LUT1", {"I0": [1], "O": [2]}), "c": register(2, 3)}
    mapped = {"modules": {"small": {"cells": cells, "netnames": {"x": {"bits": [1]}, "y": {"bits": [3]}}, "ports": {}}}}

    def area(*arguments: Any) -> dict[str, int]:
        (arguments[-1] / "netlist.json").write_text(json.dumps(mapped))
        return dict.fromkeys(("lut", "carry", "ff", "bram", "dsp"), 1)

    monkeypatch.setattr(synthesis, "area", area)
    monkeypatch.setattr(designs, "load", lambda: {"small": design})
    result = measurement.measure(design, "xcup", seeds=3)
    assert result["estimate"] == {"levels": 1, "luts": 1, "carries": 0, "mhz": 3333.3}
    assert measurement.row(result)["estimate_levels"] == 1
    assert "paths" not in result
    assert common_paths.looked_at("xcup") == {"small": set()}, "no line of Scala declares these"
    (path, *_) = measurement.measure(design, "xcup", seeds=3, paths=1)["paths"]
    assert [step["cell"] for step in path["steps"]] == ["FDRE", "LUT1", "FDRE"]


def test_clocks_and_levels() -> None:
    rule = synthesis.TARGETS["xcup"].levels
    assert rule
    assert [rule.allowed(mhz) for mhz in (250, 340, 343.75)] == [13, 9, 9]
    assert rule.mhz(10) == pytest.approx(333.3, abs=0.1)


def test_every_supported_core_has_250_mhz_by_the_estimate() -> None:
    """On UltraScale+, where OpenNIC and Corundum have that clock; of all that have a row."""
    rule = synthesis.TARGETS["xcup"].levels
    rows = {row["config"]: row["estimate_levels"] for row in results_table.read(synthesis.table("xcup"))}
    found = {name: rows[name] for core in catalog.load().algorithms if (name := core.default_config) in rows}
    assert rule
    assert len(found) > 20
    assert {name: count for name, count in found.items() if int(count) > rule.allowed(250)} == {}
