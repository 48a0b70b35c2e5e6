# SPDX-License-Identifier: Apache-2.0
"""Moves registers beside an ECP5 multiplier into it, before place and route.

A MULT18X18D has registers of its own at both inputs and at its output. Vendors' tools use them for plain
registers around a product; Yosys 0.70 does not, and the way to a row of multipliers is then half of a clock.
This pass works on a netlist in Yosys' JSON form, in place, and changes no behaviour: it takes only registers
without enable and reset, which feed nothing else, and only where all bits of a port can follow.

The product's registers move wherever they can: the product then stays inside (2.6 ns to the register, 0.6 ns
from it, against 3.1 ns and the way to a register outside). The factors' registers move both or none, because
nextpnr 0.11 times a multiplier with one registered factor as if it had none; and only those with a register on
their far side, because logic before them is better placed with registers of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

Cell = dict[str, Any]
Net = int
"""Nets are numbers in Yosys' form; constants are strings."""

MULTIPLIER, REGISTER = "MULT18X18D", "TRELLIS_FF"
FACTOR_BITS, PRODUCT_BITS = 18, 36
CONTROL = {"CLK0": None, "CE0": "1", "RST0": "0"}
"""Control inputs of the multiplier's registers; the clock comes from the registers that they replace."""


def absorb(netlist: dict[str, Any]) -> int:
    """Moves what can be moved in every module of the netlist; the number of registers that went."""
    return sum(_Module(module).absorb() for module in netlist["modules"].values())


class _Module:
    """One module, with who drives and who reads each net."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.cells: dict[str, Cell] = module["cells"]
        self.driver: dict[Net, str] = {}
        self.readers: dict[Net, set[tuple[str, str]]] = defaultdict(set)
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                for net in _nets(bits):
                    if cell["port_directions"][port] == "output":
                        self.driver[net] = name
                    else:
                        self.readers[net].add((name, port))
        for name, port in module["ports"].items():
            for net in _nets(port["bits"]):
                self.readers[net].add(("", name))

    def absorb(self) -> int:
        """Multiplier by multiplier; a register between two of them can go to one only."""
        moved: set[str] = set()
        for name in [name for name, cell in self.cells.items() if cell["type"] == MULTIPLIER]:
            factors = {side: self._before(name, side, moved) for side in "AB"}
            product = self._behind(name, moved)
            if not all(factors.values()):
                factors = {}
            if self._share_a_clock(product, *factors.values()):
                for side, registers in factors.items():
                    moved |= self._move(name, registers, f"INPUT{side}", "DI")
                moved |= self._move(name, product, "OUTPUT", "Q")
        for name in moved:
            del self.cells[name]
        return len(moved)

    def _before(self, multiplier: str, side: str, moved: set[str]) -> Mapping[str, str]:
        """Registers by the port of a factor that they feed; none unless each can move."""
        ports = {f"{side}{bit}" for bit in range(FACTOR_BITS)}
        connections = self.cells[multiplier]["connections"]
        found = {}
        for port in ports & connections.keys():
            for net in _nets(connections[port]):
                own = {(multiplier, reader) for reader in ports}
                register = self.driver.get(net, "")
                if not self._is_plain(register, moved) or not self.readers[net] <= own:
                    return {}
                if not self._is_register(self.driver.get(self._net(register, "DI"), ""), moved):
                    return {}
                found[port] = register
        return found

    def _behind(self, multiplier: str, moved: set[str]) -> Mapping[str, str]:
        """Registers by the port of the product that they take; none unless each can move."""
        connections = self.cells[multiplier]["connections"]
        found = {}
        for port in (f"P{bit}" for bit in range(PRODUCT_BITS)):
            for net in _nets(connections.get(port, [])):
                if not self.readers[net]:
                    continue
                (register, pin), *others = self.readers[net]
                if others or pin != "DI" or not self._is_plain(register, moved):
                    return {}
                found[port] = register
        return found

    def _net(self, register: str, pin: str) -> Net:
        net: Net = self.cells[register]["connections"][pin][0]
        return net

    def _is_register(self, name: str, moved: set[str]) -> bool:
        return name in self.cells and self.cells[name]["type"] == REGISTER and name not in moved

    def _is_plain(self, name: str, moved: set[str]) -> bool:
        """A register that starts at 0, takes a value in every clock and is not reset."""
        if not self._is_register(name, moved):
            return False
        cell = self.cells[name]
        parameters = {key: value.strip() for key, value in cell["parameters"].items()}
        wanted = {"CEMUX": "1", "CLKMUX": "CLK", "REGSET": "RESET"}
        return wanted.items() <= parameters.items() and not _nets(cell["connections"].get("LSR", []))

    def _share_a_clock(self, *stages: Mapping[str, str]) -> bool:
        """Whether one clock drives the registers of all stages, as it must those of a multiplier."""
        names = {name for stage in stages for name in stage.values()}
        return len({net for name in names for net in self.cells[name]["connections"]["CLK"]}) == 1

    def _move(self, multiplier: str, registers: Mapping[str, str], stage: str, far_pin: str) -> set[str]:
        """The multiplier's ports take the nets at the far pins of the registers, whose names are returned."""
        cell = self.cells[multiplier]
        for port, name in registers.items():
            far = self.cells[name]["connections"]
            cell["connections"][port] = far[far_pin]
            cell["connections"] |= {pin: [value or far["CLK"][0]] for pin, value in CONTROL.items()}
            cell["port_directions"] |= dict.fromkeys(CONTROL, "input")
            control = {"CLK": "CLK0", "CE": "CE0", "RST": "RST0"}
            cell["parameters"] |= {f"REG_{stage}_{what}": pin for what, pin in control.items()}
        return set(registers.values())


def _nets(bits: Iterable[Net | str]) -> list[Net]:
    return [bit for bit in bits if isinstance(bit, int)]
