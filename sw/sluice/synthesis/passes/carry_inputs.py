# SPDX-License-Identifier: Apache-2.0
"""Opens the carry input of the cells in which Nexus' carry chains begin, before place and route.

Yosys begins each chain with a cell that makes the first carry of its own two look-up tables and needs none; since 0.70 it ties
the open input to a cell that gives a constant 0, as it does with others, and nextpnr 0.11 takes nothing but a carry there.
This pass works on a netlist in Yosys' JSON form, in place, and changes no behaviour.
"""

from __future__ import annotations

from typing import Any

CARRY = "CCU2"
CONSTANTS = ("VHI", "VLO")
MAKES_ITS_CARRY = "0xFFFF"
"""The lower table of a cell whose carry does not hang on its carry input."""


def open_first(netlist: dict[str, Any]) -> int:
    """Opens what can be opened in every module of the netlist; how many inputs that were."""
    return sum(_open_first(module["cells"]) for module in netlist["modules"].values())


def _open_first(cells: dict[str, dict[str, Any]]) -> int:
    constant = {cell["connections"]["Z"][0] for cell in cells.values() if cell["type"] in CONSTANTS}
    first = [
        cell
        for cell in cells.values()
        if cell["type"] == CARRY
        and cell["parameters"]["INIT0"] == MAKES_ITS_CARRY
        and cell["connections"].get("CIN", [None])[0] in constant
    ]
    for cell in first:
        del cell["connections"]["CIN"], cell["port_directions"]["CIN"]
    return len(first)
