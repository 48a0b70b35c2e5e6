# SPDX-License-Identifier: Apache-2.0
"""Which registers move into a block memory, and that the netlist says the same afterwards."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from netlist_cells import CANNOT_MOVE, CLOCK, ENABLE, RESET, register

from sluice.synthesis.passes import memory_registers

WIDTH = 3
OTHER = 99


def module(width: int = 18, written: int | None = None, **changed: Any) -> dict[str, Any]:
    """A memory whose side B is read through registers, from nets 100.. to nets 200..; the rest of it, and side A at nets 150..,
    drive nothing that is read. Side A, which writes, is as wide if nothing else is said."""
    outputs = {
        f"DO{side}{bit}": [first + bit]
        for side, first in (("A", 150), ("B", 100))
        for bit in range(memory_registers.DATA_BITS)
    }
    inputs = {"CLKA": [CLOCK], "CLKB": [CLOCK], "OCEA": ["0"], "OCEB": ["1"], "RSTA": ["0"], "RSTB": ["0"]}
    memory = {
        "type": "DP16KD",
        "parameters": {
            "CLKAMUX": "CLKA",
            "CLKBMUX": "CLKB",
            "DATA_WIDTH_A": f"{written or width:032b}",
            "DATA_WIDTH_B": f"{width:032b}",
            "REGMODE_A": "NOREG",
            "REGMODE_B": "NOREG",
        },
        "port_directions": dict.fromkeys(inputs, "input") | dict.fromkeys(outputs, "output"),
        "connections": inputs | outputs,
    }
    cells = {"memory": memory} | {f"r{bit}": register(100 + bit, 200 + bit) for bit in range(WIDTH)}
    ports = {
        "in": {"direction": "input", "bits": [CLOCK, ENABLE]},
        "out": {"direction": "output", "bits": [200 + bit for bit in range(WIDTH)]},
    }
    return {"cells": cells | changed, "ports": ports}


def absorbed(block: dict[str, Any]) -> int:
    return memory_registers.absorb({"modules": {"block": block}})


def enabled(**changes: Any) -> dict[str, Any]:
    """All registers of the module, with an enable."""
    return {f"r{bit}": register(100 + bit, 200 + bit, parameters={"CEMUX": "CE"}, **changes) for bit in range(WIDTH)}


def test_registers_behind_a_read_move() -> None:
    block = module()
    assert absorbed(block) == WIDTH
    (memory,) = block["cells"].values()
    assert (memory["parameters"]["REGMODE_A"], memory["parameters"]["REGMODE_B"]) == ("NOREG", "OUTREG")
    assert [memory["connections"][f"DOB{bit}"] for bit in range(WIDTH + 1)] == [[200], [201], [202], [103]]
    assert memory["connections"]["OCEB"] == ["1"]


def test_their_enable_becomes_the_port_s() -> None:
    block = module(**enabled())
    assert absorbed(block) == WIDTH
    assert block["cells"]["memory"]["connections"]["OCEB"] == [ENABLE]


@pytest.mark.parametrize("changes", CANNOT_MOVE)
def test_one_that_cannot_move_keeps_all(changes: dict[str, Any]) -> None:
    block = module(r1=register(101, 201, **changes))
    assert absorbed(block) == 0
    assert block["cells"]["memory"]["parameters"]["REGMODE_B"] == "NOREG"


def test_registers_of_two_enables_stay() -> None:
    assert absorbed(module(**enabled() | {"r0": register(100, 200)})) == 0
    assert absorbed(module(**enabled() | {"r0": enabled(enable=OTHER)["r0"]})) == 0


def test_registers_of_another_clock_stay() -> None:
    assert absorbed(module(**{f"r{bit}": register(100 + bit, 200 + bit, clock=OTHER) for bit in range(WIDTH)})) == 0


def test_an_output_that_something_else_reads_keeps_all() -> None:
    assert absorbed(module(another=register(100, 300))) == 0
    block = module()
    block["ports"]["out"]["bits"] += [100]
    assert absorbed(block) == 0


def test_a_read_of_36_bits_moves_as_one() -> None:
    block = module(width=36, **enabled(), upper=register(150, 250, parameters={"CEMUX": "CE"}))
    assert absorbed(block) == WIDTH + 1
    (memory,) = block["cells"].values()
    assert (memory["parameters"]["REGMODE_A"], memory["parameters"]["REGMODE_B"]) == ("OUTREG", "OUTREG")
    assert (memory["connections"]["OCEA"], memory["connections"]["OCEB"]) == ([ENABLE], [ENABLE])
    assert memory["connections"]["DOA0"] == [250]


def test_a_read_of_36_bits_moves_whole_or_not() -> None:
    assert absorbed(module(width=36, upper=register(150, 250), another=register(150, 251))) == 0


def stays(block: dict[str, Any]) -> bool:
    """Whether the pass leaves a module alone."""
    before = copy.deepcopy(block)
    return absorbed(block) == 0 and block == before


@pytest.mark.parametrize("width", [18, 36])
def test_a_read_at_the_falling_edge_stays(width: int) -> None:
    """With the clock's net alone in view it and the register behind it became two registers at the falling edge."""
    block = module(width)
    block["cells"]["memory"]["parameters"]["CLKBMUX"] = "INV"
    assert stays(block)


@pytest.mark.parametrize("width", [18, 36])
def test_a_read_with_a_reset_stays(width: int) -> None:
    """RST clears the output register too, a clock earlier than the register behind it would follow."""
    block = module(width)
    block["cells"]["memory"]["connections"]["RSTB"] = [RESET]
    assert stays(block)


@pytest.mark.parametrize("width", [18, 36])
def test_a_read_that_is_registered_already_stays(width: int) -> None:
    block = module(width)
    block["cells"]["memory"]["parameters"]["REGMODE_B"] = "OUTREG"
    assert stays(block)


def test_a_second_run_takes_no_second_row() -> None:
    block = module(**{f"far{bit}": register(200 + bit, 300 + bit) for bit in range(WIDTH)})
    block["ports"]["out"]["bits"] = [300 + bit for bit in range(WIDTH)]
    assert absorbed(block) == WIDTH
    assert stays(block)


def test_one_register_mode_counts_for_a_memory_that_is_written_36_bits_wide() -> None:
    """However wide it is read: nextpnr's and the vendor's PDPW16KD has one REGMODE, which becomes that of both sides."""
    block = module(width=18, written=36, **enabled())
    assert absorbed(block) == WIDTH
    (memory,) = block["cells"].values()
    assert (memory["parameters"]["REGMODE_A"], memory["parameters"]["REGMODE_B"]) == ("OUTREG", "OUTREG")
    assert memory["connections"]["OCEB"] == [ENABLE]


def test_a_read_of_36_bits_beside_narrower_writes_stays() -> None:
    assert stays(module(width=36, written=18))
