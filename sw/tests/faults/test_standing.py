# SPDX-License-Identifier: Apache-2.0
"""What stands still behind a cell: only what all that its unknown bits may be agree on, and something of each cell."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from sluice.faults.mutants.standing import standing
from sluice.synthesis.passes.netlist import Module

UNKNOWN = "-"
A, B, S, Y = 10, 20, 30, 40  # nets from here on


def cell(kind: str, values: dict[str, str], width: int, *, is_signed: bool) -> dict[str, Any]:
    """One with these bits at its inputs, lowest first; an unknown one is a net that nothing drives."""
    first = {"A": A, "B": B, "S": S}
    connections: dict[str, Any] = {
        port: [first[port] + at if bit == UNKNOWN else bit for at, bit in enumerate(bits)]
        for port, bits in values.items()
    }
    return {
        "type": kind,
        "parameters": {f"{port}_SIGNED": str(int(is_signed)) for port in values if port != "S"},
        "port_directions": dict.fromkeys(values, "input") | {"Y": "output"},
        "connections": connections | {"Y": list(range(Y, Y + width))},
    }


def number(bits: str, *, is_signed: bool) -> int:
    """Of bits of which the lowest comes first."""
    value = sum(int(bit) << at for at, bit in enumerate(bits))
    return value - (1 << len(bits)) if is_signed and bits[-1] == "1" else value


def worked_out(kind: str, values: dict[str, str], *, is_signed: bool) -> int:
    """As the language has it, on numbers."""
    a, b = (number(values[port], is_signed=is_signed) if port in values else 0 for port in "AB")
    return {
        "$and": a & b,
        "$or": a | b,
        "$xor": a ^ b,
        "$not": ~a,
        "$eq": int(a == b),
        "$mux": b if values.get("S") == "1" else a,
    }[kind]


def possible(bits: str) -> list[str]:
    """All that bits may be."""
    return ["".join(known) for known in product(*("01" if bit == UNKNOWN else bit for bit in bits))]


@pytest.mark.parametrize("is_signed", [False, True])
@pytest.mark.parametrize("kind", ["$and", "$or", "$xor", "$not", "$eq", "$mux"])
def test_a_cell(kind: str, is_signed: bool) -> None:
    """Against each number that the unknown bits may make: what is said to stand is that in all of them, and what is the same in
    all is said to stand."""
    ports = {"$not": "A", "$mux": "ABS"}.get(kind, "AB")
    # An unknown sign stands in several bits, and these are taken for bits of their own.
    is_spread = kind == "$eq" and is_signed
    said = 0
    for widths in product((1, 2), repeat=2):
        sizes = dict(zip("ABS", (*(widths if kind != "$mux" else widths[:1] * 2), 1), strict=True))
        width = sizes["A"] if kind == "$mux" else 1 if kind == "$eq" else 2
        for bits in product(*(map("".join, product("01-", repeat=sizes[port])) for port in ports)):
            values = dict(zip(ports, bits, strict=True))
            made = cell(kind, values, width, is_signed=is_signed and kind != "$mux")
            found = standing(Module({"cells": {"cell": made}, "ports": {}}), [])
            results = [
                worked_out(kind, dict(zip(ports, whole, strict=True)), is_signed=is_signed and kind != "$mux")
                for whole in product(*map(possible, bits))
            ]
            for at in range(width):
                same = {result >> at & 1 for result in results}
                if Y + at in found:
                    said += 1
                    assert same == {int(found[Y + at])}, (values, at)
                assert len(same) > 1 or Y + at in found or is_spread, (values, at)
    assert said


def test_registers_pass_on_what_stands_and_selectors_are_0() -> None:
    """Through two registers, of which the first takes a selected fault's choice; and nothing of what hangs on an input."""
    selector, other = 1, 2
    choice = {"A": "0", "B": "-", "S": "-"}
    cells = {
        "second": register([51, 52], [61, 62]),
        "first": register([Y, other], [51, 52]),
        "choice": cell("$mux", choice, 1, is_signed=False),
    }
    cells["choice"]["connections"]["S"] = [selector]
    found = standing(Module({"cells": cells, "ports": {}}), [selector])
    assert found == {selector: "0", Y: "0", 51: "0", 61: "0"}


def register(d: list[int], q: list[int]) -> dict[str, Any]:
    """Some bits of one."""
    return {
        "type": "$dff",
        "parameters": {},
        "port_directions": {"D": "input", "Q": "output"},
        "connections": {"D": d, "Q": q},
    }
