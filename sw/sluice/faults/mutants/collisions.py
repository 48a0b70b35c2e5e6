# SPDX-License-Identifier: Apache-2.0
"""Memories as the tests simulate them: a bit that is read in the clock in which it is written is read inverted.

A block memory may answer anything then, so no design may depend on it, and the tests take a copy of each design that answers
wrongly (`cocotb-tests/lib/memories.py`). Verilog answers the old word. A design whose faults are to be found by those tests has
to be simulated as they do it, or faults of what forwards a word to who reads it too early would seem to change nothing.

A memory that is to lie in look-up tables is read without a clock and has the old word until the edge, so what stands behind it
may rely on that.
"""

from __future__ import annotations

from typing import Any

from sluice.faults.mutants.cells import CHOICE, MEMORY, REGISTER, Added, Bits, parameter
from sluice.synthesis.passes.netlist import Module, nets


def clocked_reads(module: dict[str, Any]) -> set[tuple[str, int]]:
    """The read ports of written block memories of which a register takes the word, at once or if an enable says so: of a netlist
    of word-level cells without faults, by the memory's name and the port's number."""
    netlist = Module(module)
    return {
        (name, port)
        for name, cell in module["cells"].items()
        if cell["type"] == MEMORY
        and parameter(cell, "WR_PORTS")
        and cell["attributes"].get("ram_style") != "distributed"
        for port in range(parameter(cell, "RD_PORTS"))
        if all(_is_clocked(netlist, reader) for bit in nets(_word(cell, port)) for reader in netlist.readers[bit])
    }


def undefine(module: dict[str, Any], reads: set[tuple[str, int]]) -> None:
    """Makes those of them wrong, each bit that is written at the address that is read."""
    added = Added(module)
    for name, port in sorted(reads):
        memory = module["cells"][name]
        word, address = _word(memory, port), _of_port(memory, "RD_ADDR", "ABITS", port)
        held = added.nets(len(word))
        memory["connections"]["RD_DATA"] = [
            dict(zip(word, held, strict=True)).get(bit, bit) for bit in memory["connections"]["RD_DATA"]
        ]
        for writer in range(parameter(memory, "WR_PORTS")):
            enables = _of_port(memory, "WR_EN", "WIDTH", writer)
            is_same = added.cell("$eq", address, _of_port(memory, "WR_ADDR", "ABITS", writer), added.nets(1))
            is_written = added.cell("$and", is_same * len(word), enables, added.nets(len(word)))
            is_last = writer == parameter(memory, "WR_PORTS") - 1
            held = added.cell("$xor", held, is_written, word if is_last else added.nets(len(word)))


def _is_clocked(netlist: Module, reader: tuple[str, str]) -> bool:
    name, port = reader
    kind = netlist.cells[name]["type"] if name else ""
    if kind == CHOICE and port != "S":
        chosen = netlist.cells[name]["connections"]["Y"]
        return all(
            name and netlist.cells[name]["type"] == REGISTER for bit in nets(chosen) for name, _ in netlist.readers[bit]
        )
    return kind == REGISTER


def _word(memory: dict[str, Any], port: int) -> Bits:
    return _of_port(memory, "RD_DATA", "WIDTH", port)


def _of_port(memory: dict[str, Any], pins: str, step: str, port: int) -> Bits:
    """The bits of one of a memory's ports among those of all."""
    bits: Bits = memory["connections"][pins]
    size = parameter(memory, step)
    return bits[port * size : (port + 1) * size]
