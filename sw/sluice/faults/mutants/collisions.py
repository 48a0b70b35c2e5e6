# SPDX-License-Identifier: Apache-2.0
"""Memories as the tests simulate them: a bit that is read in the clock in which it is written is read inverted.

A block memory may answer anything then, so no design may depend on it, and the tests take a copy of each design that answers
wrongly (`cocotb-tests/lib/memories.py`). Verilog answers the old word. A design whose faults are to be found by those tests has
to be simulated as they do it, or faults of what forwards a word to who reads it too early would seem to change nothing.
"""

from __future__ import annotations

from typing import Any

from sluice.faults.mutants.cells import binary
from sluice.synthesis.passes.netlist import Module, Net, nets

MEMORY, REGISTER, CHOICE = "$mem_v2", "$dff", "$mux"


def clocked_reads(module: dict[str, Any]) -> set[tuple[str, int]]:
    """The read ports of written memories of which a register takes the word, at once or if an enable says so: of a netlist of
    word-level cells without faults, by the memory's name and the port's number."""
    netlist = Module(module)
    return {
        (name, port)
        for name, cell in module["cells"].items()
        if cell["type"] == MEMORY and _number(cell, "WR_PORTS")
        for port in range(_number(cell, "RD_PORTS"))
        if all(_is_clocked(netlist, reader) for bit in nets(_word(cell, port)) for reader in netlist.readers[bit])
    }


def undefine(module: dict[str, Any], reads: set[tuple[str, int]]) -> None:
    """Makes those of them wrong, each bit that is written at the address that is read."""
    cells = _Cells(module["cells"])
    for name, port in sorted(reads):
        memory = module["cells"][name]
        word, address = _word(memory, port), _of_port(memory, "RD_ADDR", "ABITS", port)
        held = cells.fresh(len(word))
        memory["connections"]["RD_DATA"] = [
            dict(zip(word, held, strict=True)).get(bit, bit) for bit in memory["connections"]["RD_DATA"]
        ]
        for writer in range(_number(memory, "WR_PORTS")):
            enables = _of_port(memory, "WR_EN", "WIDTH", writer)
            is_same = cells.add("$eq", address, _of_port(memory, "WR_ADDR", "ABITS", writer), cells.fresh(1))
            is_written = cells.add("$and", is_same * len(word), enables, cells.fresh(len(word)))
            is_last = writer == _number(memory, "WR_PORTS") - 1
            held = cells.add("$xor", held, is_written, word if is_last else cells.fresh(len(word)))


class _Cells:
    """A module's cells, to which some of two inputs are added."""

    def __init__(self, cells: dict[str, Any]) -> None:
        self._cells = cells
        pins = (bits for cell in cells.values() for bits in cell["connections"].values())
        self._next = 1 + max(net for bits in pins for net in nets(bits))

    def fresh(self, number: int) -> list[Net | str]:
        """So many nets that nothing drives yet."""
        self._next += number
        return list(range(self._next - number, self._next))

    def add(self, kind: str, a: list[Net | str], b: list[Net | str], y: list[Net | str]) -> list[Net | str]:
        """What it drives."""
        self._cells[f"$collision${y[0]}"] = binary(kind, a, b, y)
        return y


def _is_clocked(netlist: Module, reader: tuple[str, str]) -> bool:
    name, port = reader
    kind = netlist.cells[name]["type"] if name else ""
    if kind == CHOICE and port != "S":
        chosen = netlist.cells[name]["connections"]["Y"]
        return all(
            name and netlist.cells[name]["type"] == REGISTER for bit in nets(chosen) for name, _ in netlist.readers[bit]
        )
    return kind == REGISTER


def _word(memory: dict[str, Any], port: int) -> list[Net | str]:
    return _of_port(memory, "RD_DATA", "WIDTH", port)


def _of_port(memory: dict[str, Any], pins: str, step: str, port: int) -> list[Net | str]:
    """The bits of one of a memory's ports among those of all."""
    bits: list[Net | str] = memory["connections"][pins]
    size = _number(memory, step)
    return bits[port * size : (port + 1) * size]


def _number(memory: dict[str, Any], parameter: str) -> int:
    return int(memory["parameters"][parameter], 2)
