# SPDX-License-Identifier: Apache-2.0
"""What cells of AMD's families are in levels of logic: the way through each, and where paths begin and end; the rule stands in
`sluice.synthesis.timing.levels`."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sluice.support.errors import UserError

Bit = int | str
"""A bit of a netlist as Yosys writes it: a number, or a constant as text."""

_REGISTERS = {"FDRE", "FDSE", "FDCE", "FDPE"}
_SHIFTS = {"SRL16E", "SRLC32E"}
_MEMORIES = {"RAMB18E1", "RAMB36E1", "RAMB18E2", "RAMB36E2", "URAM288"}
_MULTIPLIERS = {"DSP48E1", "DSP48E2"}
_FACTORS = {"A", "B", "D", "ACIN", "BCIN", "INMODE"}
"""What a multiplier multiplies; what else comes in, its adder adds."""
_TABLES = {f"LUT{inputs}" for inputs in range(1, 7)}
_WITHIN = {"INV", "MUXF7", "MUXF8", "MUXF9"}
"""Cells of no level: an inverter goes into the LUT that it feeds, and these multiplexers stand behind LUTs of their own slice."""
_LUT_MEMORIES = {"RAM32M", "RAM32M16", "RAM64M", "RAM64M8", "RAM32X1D", "RAM64X1D", "RAM128X1D", "RAM32X1S", "RAM64X1S"}
_CARRIES = {"CARRY4": 4, "CARRY8": 8}
_BLOCK = Fraction(1, 4)
_CLOCKED = _REGISTERS | _SHIFTS | _MEMORIES | _LUT_MEMORIES | _MULTIPLIERS
_KNOWN = _CLOCKED | _TABLES | _WITHIN | set(_CARRIES)


@dataclass(frozen=True)
class LevelRule:
    """What a family of one speed allows: the time of a level, and how many levels a block memory and a multiplier without the
    register that each can have inside are."""

    part: str
    level_ns: float
    memory: int
    multiplier: int

    def allowed(self, mhz: float) -> int:
        """How many levels a path may have at a clock rate."""
        return int(1000 / mhz / self.level_ns)

    def mhz(self, levels: int) -> float:
        """The clock rate that so many levels allow."""
        return 1000 / (levels * self.level_ns)


def _register_of(pin: str) -> str:
    """The register that a multiplier may have at a pin; ACIN, the neighbour's operand, goes into that of A."""
    return f"{pin.removesuffix('CIN') if pin in {'ACIN', 'BCIN'} else pin}REG"


class MappedCells:
    """The cells of a mapped module, who drives each bit and who hangs on it."""

    def __init__(self, module: Mapping[str, Any], rule: LevelRule) -> None:
        self.rule = rule
        self.cells: Mapping[str, Any] = {
            name: cell for name, cell in module["cells"].items() if not cell["type"].startswith("$")
        }
        self.driver: dict[Bit, tuple[str, str]] = {}
        self.loads: dict[Bit, list[tuple[str, str]]] = defaultdict(list)
        for name, cell in self.cells.items():
            for pin, bits in cell["connections"].items():
                for bit in bits:
                    if cell["port_directions"][pin] == "output":
                        self.driver[bit] = (name, pin)
                    elif not isinstance(bit, str):
                        self.loads[bit].append((name, pin))
        self.outside = {bit for port in module["ports"].values() for bit in port["bits"]}
        unknown = {self.kind(name) for name in self.cells} - _KNOWN
        if unknown:
            raise UserError(f"no levels are known of {', '.join(sorted(unknown))}")

    def kind(self, name: str) -> str:
        """What kind of cell it is."""
        return str(self.cells[name]["type"])

    def _bits(self, name: str, *pins: str) -> list[Bit]:
        return [bit for pin in pins for bit in self.cells[name]["connections"].get(pin, [])]

    def outputs(self, name: str) -> list[Bit]:
        """All bits that it drives."""
        cell = self.cells[name]
        return self._bits(name, *(pin for pin, way in cell["port_directions"].items() if way == "output"))

    def _inputs(self, name: str) -> list[Bit]:
        cell = self.cells[name]
        return self._bits(name, *(pin for pin, way in cell["port_directions"].items() if way == "input"))

    def _goes_to_registers(self, bits: list[Bit]) -> bool:
        """Whether nothing but registers' D, a shift's among them, hangs on these bits."""
        registers = _REGISTERS | _SHIFTS
        return all(
            bit not in self.outside
            and all(pin == "D" and self.kind(name) in registers for name, pin in self.loads[bit])
            for bit in bits
        )

    def _has(self, name: str, *registers: str) -> bool:
        """Whether a multiplier has one of these registers inside."""
        given = self.cells[name]["parameters"]
        return any(int(str(given.get(register, "0")), 2) for register in registers)

    def _is_open(self, name: str) -> bool:
        """Whether a multiplier has no register behind the product, in it or going into it."""
        return not self._has(name, "MREG", "PREG") and not self._goes_to_registers(self._bits(name, "P", "PCOUT"))

    def _multiplier(self, name: str, pin: str) -> int:
        """The levels from a multiplier's pin to the first register behind, or to its outputs: of a factor all, half where a
        register stands between the product and the adder; of what is only added the adder's half."""
        whole, half = self.rule.multiplier, math.ceil(self.rule.multiplier / 2)
        return whole if pin in _FACTORS and not self._has(name, "MREG") else half

    def arcs(self, name: str) -> Iterator[tuple[Bit, list[Bit], Fraction]]:
        """Through a cell without a clock: each output, the inputs that it hangs on, and the levels between."""
        kind = self.kind(name)
        if kind in _TABLES or kind in _WITHIN:
            for out in self.outputs(name):
                yield out, self._inputs(name), Fraction(kind in _TABLES)
        elif kind in _LUT_MEMORIES or kind in _SHIFTS:
            addresses = [pin for pin in self.cells[name]["port_directions"] if pin.startswith(("A", "DPRA"))]
            for out in self.outputs(name):
                yield out, self._bits(name, *addresses), Fraction(1)
        elif kind in _CARRIES:
            yield from self._carry(name)
        elif kind in _MULTIPLIERS and self._is_open(name):
            for pin in self._unregistered(name):
                for out in self._bits(name, "P", "PCOUT"):
                    yield out, self._bits(name, pin), Fraction(self._multiplier(name, pin))

    def _unregistered(self, name: str) -> Iterator[str]:
        """The inputs of a multiplier that have no register inside."""
        for pin, way in self.cells[name]["port_directions"].items():
            if way == "input" and pin != "CLK" and not self._has(name, _register_of(pin)):
                yield pin

    def _carry(self, name: str) -> Iterator[tuple[Bit, list[Bit], Fraction]]:
        connections = self.cells[name]["connections"]
        chained = [bit for bit in self._bits(name, "CI") if self._is_carry(bit)]
        entries = [bit for bit in self._bits(name, "CI", "CYINIT", "CI_TOP") if bit not in chained]
        for place in range(_CARRIES[self.kind(name)]):
            entries = [*entries, *(connections[pin][place] for pin in ("S", "DI"))]
            for pin in ("O", "CO"):
                if place < len(connections.get(pin, [])):
                    yield connections[pin][place], chained, _BLOCK
                    yield connections[pin][place], entries, 1 + _BLOCK

    def _is_carry(self, bit: Bit) -> bool:
        return bit in self.driver and self.kind(self.driver[bit][0]) in _CARRIES

    def begin(self, name: str, bit: Bit) -> Fraction:
        """The levels that a clocked cell's output begins with."""
        kind, pin = self.kind(name), self.driver[bit][1]
        if kind in _REGISTERS:
            return Fraction(0)
        if kind in _MEMORIES and not self._goes_to_registers([bit]):
            return Fraction(self.rule.memory)
        if kind in _MULTIPLIERS and pin in {"P", "PCOUT"} and not self._has(name, "PREG"):
            return (
                Fraction(self._multiplier(name, "A")) if self._is_open(name) or self._has(name, "MREG") else Fraction(0)
            )
        return Fraction(1)

    def last(self, name: str, pin: str, bit: Bit) -> int:
        """The levels of a path's end: none where a register stands beside the LUT that feeds it alone, or goes into a cell."""
        kind, driver = self.kind(name), self.kind(self.driver[bit][0])
        if kind in _MULTIPLIERS and not self._has(name, _register_of(pin)):
            return self._multiplier(name, pin)
        if kind in _REGISTERS and pin == "D":
            alone = len(self.loads[bit]) == 1 and bit not in self.outside
            return 0 if driver in _REGISTERS | _MEMORIES | _MULTIPLIERS or (driver in _TABLES and alone) else 1
        return 1

    def is_clocked(self, name: str) -> bool:
        """Whether a cell has a clock, so that paths begin and end in it."""
        return self.kind(name) in _CLOCKED


def is_lut(kind: str) -> bool:
    """Whether a kind of cell is a LUT."""
    return kind in _TABLES


def is_carry(kind: str) -> bool:
    """Whether a kind of cell is a block of carries."""
    return kind in _CARRIES
