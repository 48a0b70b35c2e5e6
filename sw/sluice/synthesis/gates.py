# SPDX-License-Identifier: Apache-2.0
"""A mapped ECP5 netlist, in Yosys' JSON form, as text for sim/model/netlist/gate-netlist.h; nothing of the passes is used here.

Modules that are kept apart, as CARE's multipliers are, go into the one that has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sluice.synthesis.gate_cells import CELLS, Pins
from sluice.synthesis.gate_elements import MUX, ONE, ZERO, Elements, Unknown

Netlist = dict[str, Any]
Number = Callable[[int | str], int]
"""The net of a bit in Yosys' form."""
CLOCK = "clk"


def text(netlist: Netlist, top: str) -> str:
    """The netlist of a module and of all that it instantiates; `Unknown` says what has no meaning in it."""
    elements = Elements()
    module = netlist["modules"][top]
    number = numbers(elements, {})
    for name, port in module["ports"].items():
        elements.ports[name] = [number(bit) for bit in port["bits"]]
    _add(elements, netlist["modules"], module, number)
    (clock,) = elements.ports.get(CLOCK, [None])
    if not elements.clocks <= {clock}:
        raise Unknown(f"a clock other than {CLOCK}")
    return elements.text()


def numbers(elements: Elements, known: dict[int, int]) -> Number:
    """Nets of a module's bits, given those of its ports that its parent has named."""

    def number(bit: int | str) -> int:
        if isinstance(bit, str):
            return ONE if bit == "1" else ZERO
        if bit not in known:
            known[bit] = elements.fresh()
        return known[bit]

    return number


def _add(elements: Elements, modules: Netlist, module: Netlist, number: Number) -> None:
    for name, cell in module["cells"].items():
        kind = cell["type"]
        try:
            if kind in CELLS:
                CELLS[kind](elements, Pins(cell, number))
            elif kind in modules and not _is_black(modules[kind]):
                _add_instance(elements, modules, cell, number)
            elif kind != "$scopeinfo":
                raise Unknown("a cell of this kind is not known")
        except Unknown as error:
            raise Unknown(f"{name} ({kind}): {error}") from None


def _is_black(module: Netlist) -> bool:
    """Whether a module is a cell of the family without a meaning here."""
    return bool(int(module["attributes"].get("blackbox", "0"), 2))


def _add_instance(elements: Elements, modules: Netlist, cell: Netlist, outer: Number) -> None:
    module = modules[cell["type"]]
    known: dict[int, int] = {}
    for port, bits in cell["connections"].items():
        if cell["port_directions"][port] == "input":
            inside = module["ports"][port]["bits"]
            known |= {own: outer(bit) for own, bit in zip(inside, bits, strict=True)}
    inner = numbers(elements, known)
    _add(elements, modules, module, inner)
    for port, bits in cell["connections"].items():
        if cell["port_directions"][port] == "output":
            for own, bit in zip(module["ports"][port]["bits"], bits, strict=True):
                elements.table(MUX, inner(own), ZERO, ZERO, ZERO, outer(bit))
