# SPDX-License-Identifier: Apache-2.0
"""Which nets of a netlist with selectable faults stand still: what they are once as many clocks have passed since power-up, while
no fault is selected.

Constants are followed through registers and through the cells that select a fault, or that a core with one candidate, or with two
reasons, leaves of a wider choice; of some of these one input may decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sluice.faults.mutants.cells import CHOICE, REGISTER, Bit, parameter
from sluice.synthesis.passes.netlist import Module, Net

Known = list[str | None]
"""Bits that are 0, 1, or not known."""


def standing(module: Module, selector: Iterable[Net]) -> dict[Net, str]:
    """What stands at 0 or at 1, where the nets of the selector are 0."""
    found: dict[Net, str] = dict.fromkeys(selector, "0")
    front = set(module.cells)
    while front:
        name = front.pop()
        cell = module.cells[name]
        for net, value in _of_cell(cell, found):
            if value is not None and found.get(net) is None:
                found[net] = value
                front |= {reader for reader, _ in module.readers[net] if reader}
    return found


def _of_cell(cell: dict[str, Any], found: dict[Net, str]) -> Iterator[tuple[Net, str | None]]:
    """The nets that a cell drives, with what they are as far as that is known."""
    pins: dict[str, list[Bit]] = cell["connections"]
    if cell["type"] == REGISTER:
        known = _known(pins["D"], found)
        yield from ((q, known[at]) for at, q in enumerate(pins["Q"]) if not isinstance(q, str))
    elif cell["type"] in _RULES:
        width = len(pins["Y"])
        a = _extended(cell, "A", _known(pins["A"], found), max(width, len(pins.get("B", ()))))
        b = _extended(cell, "B", _known(pins.get("B", ()), found), len(a))
        values = _RULES[cell["type"]](a, b, _known(pins.get("S", ()), found))
        yield from ((y, values[at]) for at, y in enumerate(pins["Y"]) if not isinstance(y, str))


def _known(bits: Sequence[Bit], found: dict[Net, str]) -> Known:
    """0 and 1, or None: an undefined bit may be either."""
    return [value if (value := found.get(bit) if isinstance(bit, int) else bit) in ("0", "1") else None for bit in bits]


def _extended(cell: dict[str, Any], port: str, bits: Known, width: int) -> Known:
    """As wide as the cell takes it."""
    if not bits or len(bits) >= width:
        return bits
    is_signed = f"{port}_SIGNED" in cell["parameters"] and parameter(cell, f"{port}_SIGNED")
    return bits + [bits[-1] if is_signed else "0"] * (width - len(bits))


def _and(a: Known, b: Known, _: Known) -> Known:
    return ["0" if "0" in pair else "1" if pair == ("1", "1") else None for pair in zip(a, b, strict=True)]


def _or(a: Known, b: Known, _: Known) -> Known:
    return ["1" if "1" in pair else "0" if pair == ("0", "0") else None for pair in zip(a, b, strict=True)]


def _xor(a: Known, b: Known, _: Known) -> Known:
    return [None if None in pair else str(int(pair[0] != pair[1])) for pair in zip(a, b, strict=True)]


def _not(a: Known, _b: Known, _s: Known) -> Known:
    return [None if bit is None else str(1 - int(bit)) for bit in a]


def _choice(a: Known, b: Known, s: Known) -> Known:
    if s[0] is not None:
        return a if s[0] == "0" else b
    return [x if x == y else None for x, y in zip(a, b, strict=True)]


def _equal(a: Known, b: Known, _: Known) -> Known:
    pairs = set(zip(a, b, strict=True))
    differ = bool(pairs & {("0", "1"), ("1", "0")})
    same = pairs <= {("0", "0"), ("1", "1")}
    return ["0" if differ else "1" if same else None]


_RULES = {"$and": _and, "$or": _or, "$xor": _xor, "$not": _not, CHOICE: _choice, "$eq": _equal}
