# SPDX-License-Identifier: Apache-2.0
"""Which registers move into a multiplier, and that the netlist says the same afterwards."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from netlist_cells import CANNOT_MOVE, CLOCK, ENABLE, RESET, register

from sluice.synthesis.passes import multiplier_registers

WIDTH = 4


def product(before_a: int, before_b: int, behind: int) -> dict[str, Any]:
    """A multiplier with factors of four bits, whose nets count up from the given ones."""
    factors: dict[str, list[int | str]] = {
        f"{side}{bit}": [first + bit if bit < WIDTH else "0"]
        for side, first in (("A", before_a), ("B", before_b))
        for bit in range(multiplier_registers.FACTOR_BITS)
    }
    outputs = {f"P{bit}": [behind + bit] for bit in range(multiplier_registers.PRODUCT_BITS)}
    return {
        "type": "MULT18X18D",
        "parameters": {},
        "port_directions": dict.fromkeys(factors, "input") | dict.fromkeys(outputs, "output"),
        "connections": factors | outputs,
    }


def module(**changed: Any) -> dict[str, Any]:
    """Data through two registers each to the factors, at 100.. and 200.. between them; the product's low bits through two
    registers, at 500.. between them."""
    cells: dict[str, Any] = {"product": product(before_a=110, before_b=210, behind=300)}
    for bit in range(WIDTH):
        cells[f"far-a{bit}"] = register(90 + bit, 100 + bit)
        cells[f"far-b{bit}"] = register(190 + bit, 200 + bit)
        cells[f"far-p{bit}"] = register(500 + bit, 510 + bit)
        cells[f"a{bit}"] = register(100 + bit, 110 + bit)
        cells[f"b{bit}"] = register(200 + bit, 210 + bit)
        cells[f"p{bit}"] = register(300 + bit, 500 + bit)
    ports = {
        "in": {"direction": "input", "bits": [CLOCK, RESET, *range(90, 94), *range(190, 194)]},
        "out": {"direction": "output", "bits": list(range(510, 514))},
    }
    return {"cells": cells | changed, "ports": ports}


FAR = {f"far-{side}{bit}" for side in "abp" for bit in range(WIDTH)}


def test_registers_on_all_sides_move() -> None:
    block = module()
    assert multiplier_registers.absorb({"modules": {"block": block}}) == 3 * WIDTH
    assert set(block["cells"]) == {"product"} | FAR
    cell = block["cells"]["product"]
    assert [cell["connections"][f"A{bit}"] for bit in range(WIDTH + 1)] == [[100], [101], [102], [103], ["0"]]
    assert [cell["connections"][f"B{bit}"] for bit in range(WIDTH)] == [[200], [201], [202], [203]]
    assert [cell["connections"][f"P{bit}"] for bit in range(WIDTH + 1)] == [[500], [501], [502], [503], [304]]
    assert (cell["connections"]["CLK0"], cell["connections"]["CE0"], cell["connections"]["RST0"]) == (
        [CLOCK],
        ["1"],
        ["0"],
    )
    for stage in ("INPUTA", "INPUTB", "OUTPUT"):
        assert cell["parameters"][f"REG_{stage}_CLK"] == "CLK0"


def left(block: dict[str, Any]) -> set[str]:
    """Sides whose registers are still there; the pass must have taken all of a side or none."""
    sides = {side for side in "abp" if f"{side}1" in block["cells"]}
    assert set(block["cells"]) >= {f"{side}{bit}" for side in sides for bit in range(WIDTH)}
    return sides


@pytest.mark.parametrize("changes", [*CANNOT_MOVE, {"parameters": {"CEMUX": "CE"}}])
def test_a_factor_that_cannot_move_keeps_both(changes: dict[str, Any]) -> None:
    block = module(a0=register(100, 110, **changes))
    assert multiplier_registers.absorb({"modules": {"block": block}}) == WIDTH
    assert left(block) == {"a", "b"}
    assert "REG_INPUTB_CLK" not in block["cells"]["product"]["parameters"]


@pytest.mark.parametrize("changes", [*CANNOT_MOVE, {"parameters": {"CEMUX": "CE"}}])
def test_a_product_that_cannot_move_stays(changes: dict[str, Any]) -> None:
    block = module(p0=register(300, 500, **changes))
    assert multiplier_registers.absorb({"modules": {"block": block}}) == 2 * WIDTH
    assert left(block) == {"p"}
    assert "REG_OUTPUT_CLK" not in block["cells"]["product"]["parameters"]


def test_registers_of_two_clocks_stay() -> None:
    block = module(**{f"p{bit}": register(300 + bit, 500 + bit, clock=99) for bit in range(WIDTH)})
    assert multiplier_registers.absorb({"modules": {"block": block}}) == 0


def test_a_register_that_feeds_something_else_stays() -> None:
    block = module(other=register(110, 600), another=register(300, 601))
    assert multiplier_registers.absorb({"modules": {"block": block}}) == 0


def test_a_register_at_a_port_of_the_module_stays() -> None:
    block = module()
    block["ports"]["out"]["bits"] += [110, 300]
    assert multiplier_registers.absorb({"modules": {"block": block}}) == 0


def test_logic_before_the_factors_keeps_their_registers_outside() -> None:
    block = module()
    block["cells"]["far-a0"] |= {"type": "LUT4"}
    assert multiplier_registers.absorb({"modules": {"block": block}}) == WIDTH
    assert left(block) == {"a", "b"}


def test_a_register_between_two_multipliers_goes_to_the_product() -> None:
    cells = {f"far-p{bit}": register(998, 999) for bit in range(WIDTH)}
    block = module(second=product(before_a=500, before_b=700, behind=800), **cells)
    assert multiplier_registers.absorb({"modules": {"block": block}}) == 3 * WIDTH
    assert block["cells"]["second"]["parameters"] == {}
    assert block["cells"]["second"]["connections"]["A0"] == block["cells"]["product"]["connections"]["P0"]


def test_a_register_that_feeds_two_bits_of_a_factor_goes_once() -> None:
    """As in every signed product of less than 18 bits, whose sign is extended."""
    block = module()
    for bit in range(WIDTH, multiplier_registers.FACTOR_BITS):
        block["cells"]["product"]["connections"][f"A{bit}"] = [110 + WIDTH - 1]
    assert multiplier_registers.absorb({"modules": {"block": block}}) == 3 * WIDTH
    cell = block["cells"]["product"]
    assert [cell["connections"][f"A{bit}"] for bit in (0, WIDTH - 1, WIDTH, 17)] == [[100], [103], [103], [103]]


def test_ones_in_the_factors_keep_their_registers_outside() -> None:
    """The block's registers start at 0 in every bit: the first product would lack the ones."""
    block = module()
    for side in "AB":
        block["cells"]["product"]["connections"][f"{side}{WIDTH}"] = ["1"]
    assert multiplier_registers.absorb({"modules": {"block": block}}) == WIDTH
    assert left(block) == {"a", "b"}


@pytest.mark.parametrize("stage", ["INPUTA", "INPUTB", "PIPELINE", "OUTPUT"])
def test_a_multiplier_with_registers_stays(stage: str) -> None:
    """Its registers have an enable of their own, and a second row in the same place would be a clock less."""
    block = module()
    product = block["cells"]["product"]
    product["parameters"] |= {f"REG_{stage}_CLK": "CLK0", f"REG_{stage}_CE": "CE0", f"REG_{stage}_RST": "RST0"}
    product["connections"] |= {"CLK0": [CLOCK], "CE0": [ENABLE], "RST0": ["0"]}
    product["port_directions"] |= dict.fromkeys(("CLK0", "CE0", "RST0"), "input")
    before = copy.deepcopy(block)
    assert multiplier_registers.absorb({"modules": {"block": block}}) == 0
    assert block == before


def test_a_second_run_takes_no_second_row() -> None:
    block = module()
    multiplier_registers.absorb({"modules": {"block": block}})
    before = copy.deepcopy(block)
    assert multiplier_registers.absorb({"modules": {"block": block}}) == 0
    assert block == before
