# SPDX-License-Identifier: Apache-2.0
"""What hangs on what in a netlist with selectable faults: logic and registers behind a net, and what is seen of them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from sluice.faults.mutants.cells import MEMORY, REGISTER, Bit
from sluice.faults.mutants.selectable import INPUT, INPUT_BITS
from sluice.faults.mutants.standing import standing
from sluice.synthesis.passes.netlist import Module, Net, nets

WRITTEN = {"WR_ADDR": "ABITS", "WR_DATA": "WIDTH"}
"""Ports of a memory that count only while it is written, with the parameter that says how many bits a write port has of each."""
BIT_BY_BIT = (REGISTER, "$mux", "$pmux", "$not", "$and", "$or", "$xor")
"""Cells of which an output bit depends on the input bits of the same place, and on the choice `S`."""


class Design:
    """A netlist with selectable faults, in which windows are looked for."""

    def __init__(self, netlist: Path, top: str) -> None:
        module = json.loads(netlist.read_text())["modules"][top]
        self.module = Module(module)
        self.outputs = {name: port["bits"] for name, port in module["ports"].items() if port["direction"] == "output"}
        self.parameters = {
            net
            for name, port in module["ports"].items()
            if name.startswith("parameters_")
            for net in nets(port["bits"])
        }
        self.selector: dict[Net, int] = {net: bit for bit, net in enumerate(module["ports"][INPUT]["bits"])}
        self.ports_of: dict[Net, list[str]] = defaultdict(list)
        for name, bits in self.outputs.items():
            for net in nets(bits):
                self.ports_of[net].append(name)
        self.observable = self._observable()
        self.standing = standing(self.module, self.selector)

    def site(self, number: int) -> str:
        """The comparison that selects a fault."""
        wanted = f"{number:0{INPUT_BITS}b}"
        for name in {reader for net in self.selector for reader, _ in self.module.readers[net] if reader}:
            cell = self.module.cells[name]["connections"]
            at = cell["A"].index(next(iter(self.selector)))
            if "".join(map(str, reversed(cell["B"][at : at + INPUT_BITS]))) == wanted:
                return name
        raise KeyError(f"no mutant {number}")

    def is_logic(self, name: str) -> bool:
        """Neither a register nor a memory."""
        return self.module.cells[name]["type"] not in (REGISTER, MEMORY)

    def inputs(self, name: str) -> Iterator[tuple[str, list[Bit]]]:
        """Input ports of a cell."""
        cell = self.module.cells[name]
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                yield port, bits

    def write_enable(self, name: str, port: str, net: Net) -> Net | None:
        """The net of a memory's cell without which what is on an address or data port is not written, if it is one."""
        cell = self.module.cells[name]
        width, step = (int(cell["parameters"][key], 2) for key in ("WIDTH", WRITTEN[port]))
        bits, enables = cell["connections"][port], cell["connections"]["WR_EN"]
        found: set[Bit] = set()
        for at in (at for at, bit in enumerate(bits) if bit == net):
            first = at // step * width
            found.update(enables[first : first + width] if port == "WR_ADDR" else [enables[at]])
        enable = found.pop()
        return None if found or isinstance(enable, str) else enable

    def fixed(self, name: str, net: Net) -> str | None:
        """What a bit of a table is in all of its entries, whichever is read; or what another net is where no fault is selected,
        if it is always the same."""
        if self.module.cells[name]["type"] != MEMORY:
            return self.standing.get(net)
        parameters, read = self.module.cells[name]["parameters"], self.module.cells[name]["connections"]["RD_DATA"]
        if int(parameters["WR_PORTS"], 2) or net not in read:
            return None
        size, width = (int(parameters[key], 2) for key in ("SIZE", "WIDTH"))
        held = set(parameters["INIT"][::-1][read.index(net) % width : size * width : width])
        return held.pop() if held in ({"0"}, {"1"}) else None

    def _observable(self) -> set[Net]:
        """Nets that some output depends on, now or later."""
        found: set[Net] = set()
        front = [*self.ports_of]
        while front:
            net = front.pop()
            if net not in found:
                found.add(net)
                front.extend(self._sources(net))
        return found

    def _sources(self, net: Net) -> Iterator[Net]:
        """What a net is made of by the cell that drives it."""
        name = self.module.driver.get(net)
        if name is None:
            return
        cell = self.module.cells[name]
        output = next(
            bits
            for port, bits in cell["connections"].items()
            if cell["port_directions"][port] == "output" and net in bits
        )
        for port, bits in self.inputs(name):
            is_by_bit = cell["type"] in BIT_BY_BIT and port != "S" and len(bits) % len(output) == 0
            yield from nets(bits[output.index(net) :: len(output)] if is_by_bit else bits)

    def cone(self, start: Iterable[Net]) -> tuple[set[Net], set[tuple[str, int, int]]]:
        """All nets that logic makes of these, and the register bits behind them: cell, D, Q."""
        reached, front, behind = set(start), list(start), set()
        while front:
            net = front.pop()
            for name, port in self.module.readers[net]:
                if not name:
                    continue
                cell = self.module.cells[name]
                if self.is_logic(name):
                    fresh = {
                        out
                        for p, bits in cell["connections"].items()
                        if cell["port_directions"][p] == "output"
                        for out in nets(bits)
                    }
                    front.extend(fresh - reached)
                    reached |= fresh
                elif cell["type"] == REGISTER and port == "D":
                    pins = zip(cell["connections"]["D"], cell["connections"]["Q"], strict=True)
                    behind |= {(name, net, q) for d, q in pins if d == net}
        return reached, behind
