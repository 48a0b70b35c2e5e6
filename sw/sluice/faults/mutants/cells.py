# SPDX-License-Identifier: Apache-2.0
"""Cells of a netlist of word-level cells in Yosys' JSON form, and how some are added."""

from __future__ import annotations

from typing import Any

from sluice.synthesis.passes.netlist import Net, nets

MEMORY, REGISTER, CHOICE = "$mem_v2", "$dff", "$mux"

Bit = Net | str
Bits = list[Bit]


def parameter(cell: dict[str, Any], name: str) -> int:
    """One of a cell's numbers."""
    return int(cell["parameters"][name], 2)


class Added:
    """What is added to a module: nets, and cells of two unsigned inputs."""

    def __init__(self, module: dict[str, Any]) -> None:
        self._cells: dict[str, Any] = module["cells"]
        used = [bits for cell in self._cells.values() for bits in cell["connections"].values()]
        used += [named["bits"] for kind in ("ports", "netnames") for named in module[kind].values()]
        self._next = 1 + max(net for bits in used for net in nets(bits))

    def nets(self, number: int) -> Bits:
        """So many that nothing drives yet."""
        self._next += number
        return list(range(self._next - number, self._next))

    def cell(self, kind: str, a: Bits, b: Bits, y: Bits) -> Bits:
        """What it drives."""
        widths = {"A_WIDTH": a, "B_WIDTH": b, "Y_WIDTH": y}
        self._cells[f"$added${y[0]}"] = {
            "hide_name": 1,
            "type": kind,
            "parameters": {"A_SIGNED": "0", "B_SIGNED": "0"}
            | {name: f"{len(bits):032b}" for name, bits in widths.items()},
            "attributes": {},
            "port_directions": {"A": "input", "B": "input", "Y": "output"},
            "connections": {"A": a, "B": b, "Y": y},
        }
        return y
