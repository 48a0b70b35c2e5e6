# SPDX-License-Identifier: Apache-2.0
"""A mapped module in Yosys' JSON form, seen by who drives and who reads each net, for passes that change it in place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Cell = dict[str, Any]
Net = int
"""Nets are numbers in Yosys' form; constants are strings."""

REGISTER = "TRELLIS_FF"


class Module:
    """One module; `cells` is the netlist's own, `drop` takes cells out of it."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.cells: dict[str, Cell] = module["cells"]
        self.driver: dict[Net, str] = {}
        self.readers: dict[Net, set[tuple[str, str]]] = defaultdict(set)
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                for net in nets(bits):
                    if cell["port_directions"][port] == "output":
                        self.driver[net] = name
                    else:
                        self.readers[net].add((name, port))
        for name, port in module["ports"].items():
            for net in nets(port["bits"]):
                self.readers[net].add(("", name))

    def of_type(self, cell_type: str) -> list[str]:
        """Names of all cells of a type."""
        return [name for name, cell in self.cells.items() if cell["type"] == cell_type]

    def net(self, cell: str, pin: str) -> Net | str:
        """What a pin of one bit is connected to."""
        bit: Net | str = self.cells[cell]["connections"][pin][0]
        return bit

    def is_register(self, name: str) -> bool:
        """Whether a cell of this name exists and is a register."""
        return name in self.cells and self.cells[name]["type"] == REGISTER

    def starts_at_0(self, name: str) -> bool:
        """A register that starts at 0 and is not reset; it may have an enable."""
        if not self.is_register(name):
            return False
        cell = self.cells[name]
        parameters = {key: value.strip() for key, value in cell["parameters"].items()}
        return (
            parameters["CLKMUX"] == "CLK"
            and parameters["REGSET"] == "RESET"
            and parameters["CEMUX"] in ("1", "CE")
            and not nets(cell["connections"].get("LSR", []))
        )

    def is_plain(self, name: str) -> bool:
        """A register that starts at 0, takes a value in every clock and is not reset."""
        return self.starts_at_0(name) and self.enable(name) == "1"

    def enable(self, register: str) -> Net | str:
        """The enable of a register that starts at 0; "1" where it has none."""
        has_enable = self.cells[register]["parameters"]["CEMUX"].strip() == "CE"
        return self.net(register, "CE") if has_enable else "1"

    def registers_behind(
        self, block: str, outputs: Iterable[str], can_move: Callable[[str], bool]
    ) -> Mapping[str, str]:
        """Registers by the output of a block that they take; none unless each output that is read is read by one register
        alone, which can move."""
        found = {}
        for port in outputs:
            for net in nets(self.cells[block]["connections"].get(port, [])):
                if not self.readers[net]:
                    continue
                (register, pin), *others = self.readers[net]
                if others or pin != "DI" or not can_move(register):
                    return {}
                found[port] = register
        return found

    def drop(self, cells: Iterable[str]) -> None:
        """Takes cells out of the netlist, each once however often it is named; nets keep their drivers and readers as they
        were."""
        for name in set(cells):
            del self.cells[name]


def nets(bits: Iterable[Net | str]) -> list[Net]:
    """The nets among bits."""
    return [bit for bit in bits if isinstance(bit, int)]
