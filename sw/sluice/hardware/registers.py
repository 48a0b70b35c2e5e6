# SPDX-License-Identifier: Apache-2.0
"""Register driver of a tile: names and units on one side, 32-bit words on the other.

The map comes from the generated `registers.json`, so nothing here knows an algorithm. The driver is
plain blocking code over a `Bus`: memory-mapped hardware, the Verilated model, or a cocotb AXI4-Lite
master (call the driver through `cocotb.bridge` and let the bus use `cocotb.resume`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sluice.support.errors import UserError
from sluice.support.units import finite

BUSY_POLLS = 1000
"""Reads of COMMIT after which a tile that is still busy counts as dead."""


class Bus(Protocol):
    """Access to 32-bit words at byte addresses."""

    def read(self, address: int) -> int:
        """The word at the address."""

    def write(self, address: int, value: int) -> None:
        """Store the word at the address."""


class RefusedError(UserError):
    """The tile refused a set of parameters; `rules` names what they break."""

    def __init__(self, rules: list[str]) -> None:
        super().__init__(f"the tile refuses these parameters: {', '.join(rules)}")
        self.rules = rules


@dataclass(frozen=True)
class Field:
    """A fixed-point number in a register: value = raw / 2^fraction, in `unit`."""

    name: str
    address: int
    width: int
    fraction: int
    unit: str

    def raw(self, value: float) -> int:
        """The word that holds the value, rounded to nearest, ties upwards; a user error if it does not fit or is no number.

        So the generator rounds defaults, and the discipline inside ns-3 what it is told (sim/ns3/queue/tile-parameters.cc).
        """
        is_near = 0 <= finite(self.name, value) <= 1 << self.width  # no number in between is too large to be scaled
        raw = _nearest(value * (1 << self.fraction)) if is_near else -1
        if not 0 <= raw < 1 << self.width:
            largest = ((1 << self.width) - 1) / (1 << self.fraction)
            raise UserError(f"{self.name}={value:g} is outside 0..{largest:.10g} {self.unit}")
        return raw

    def value(self, raw: int) -> float:
        """The number that a word holds."""
        return raw / (1 << self.fraction)


class RegisterMap:
    """The register map of one configuration."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Take the parsed `registers.json`."""
        self.config: str = data["config"]
        self.addresses: dict[str, int] = {entry["name"]: entry["address"] for entry in data["registers"]}
        self.widths: dict[str, int] = {entry["name"]: entry["width"] for entry in data["registers"]}
        self.defaults: dict[str, float] = {entry["name"]: entry["default"] for entry in data["parameters"]}
        self.digest: int = int(data["digest"])
        self.in_force_offset: int = data["in_force_offset"]
        self.parameters = {entry["name"]: _field(entry) for entry in data["parameters"]}
        self.follows: dict[str, dict[str, Any]] = {
            entry["name"]: entry["follows"] for entry in data["parameters"] if entry["follows"]
        }
        self.status = {entry["name"]: _field(entry) for entry in data["status"]}
        self.rules: dict[int, str] = {entry["bit"]: entry["name"] for entry in data["rules"]}
        self.counters: dict[str, int] = {entry["name"]: entry["address"] for entry in data["counters"]}
        self.counts_queues: bool = "selected_packets" in self.counters
        self.reasons: dict[str, int] = {entry["name"]: entry["address"] for entry in data["reasons"]}

    @classmethod
    def load(cls, path: Path) -> RegisterMap:
        """Read a `registers.json`."""
        return cls(json.loads(path.read_text()))

    def parameter(self, name: str) -> Field:
        """The parameter of that name; a user error that lists the known ones otherwise."""
        if name not in self.parameters:
            raise UserError(f"{self.config} has no parameter '{name}'; it has: {', '.join(self.parameters)}")
        return self.parameters[name]

    def following(self, facts: Mapping[str, float]) -> dict[str, float]:
        """The parameters that follow from these facts about a link, in their units."""
        return {
            name: facts[follows["fact"]] * follows["factor"]
            for name, follows in self.follows.items()
            if follows["fact"] in facts
        }

    def broken_rules(self, refused: int) -> list[str]:
        """Names of the rules whose bits are set in a REFUSED word."""
        return [name for bit, name in self.rules.items() if refused >> bit & 1]


class TileDriver:
    """A tile behind a bus, spoken to by names and units."""

    def __init__(self, bus: Bus, registers: RegisterMap) -> None:
        """Bind a register map to the bus that its tile hangs on."""
        self._bus = bus
        self.map = registers

    def read_parameter(self, name: str) -> float:
        """A parameter's value in force, in its unit."""
        field = self.map.parameter(name)
        return field.value(self._bus.read(field.address + self.map.in_force_offset))

    def read_staged(self, name: str) -> float:
        """A parameter's value as it was staged last, in its unit."""
        field = self.map.parameter(name)
        return field.value(self._bus.read(field.address))

    def stage(self, name: str, value: float) -> None:
        """Write a parameter; it takes effect with the next `commit`."""
        field = self.map.parameter(name)
        self._bus.write(field.address, field.raw(value))

    def commit(self) -> None:
        """Let the tile check the staged parameters and apply them as one set, or raise `RefusedError`."""
        addresses = self.map.addresses
        self._bus.write(addresses["REFUSED"], 0xFFFFFFFF)
        self._bus.write(addresses["COMMIT"], 1)
        for _ in range(BUSY_POLLS):
            if not self._bus.read(addresses["COMMIT"]) & 1:
                break
        else:
            raise UserError(f"{self.map.config}: the tile does not finish a commit")
        refused = self._bus.read(addresses["REFUSED"])
        if refused:
            raise RefusedError(self.map.broken_rules(refused))

    def configure(self, values: Mapping[str, float]) -> None:
        """Stage all values, then commit them together; what does not fit is found before anything is written."""
        fields = {name: self.map.parameter(name) for name in values}
        words = {fields[name].address: fields[name].raw(value) for name, value in values.items()}
        for address, word in words.items():
            self._bus.write(address, word)
        self.commit()

    def read_status(self, name: str) -> float:
        """A status value of the core in its unit."""
        field = self.map.status[name]
        return field.value(self._bus.read(field.address))

    def snapshot(self) -> dict[str, int]:
        """Latch all counters at one instant and read them by name."""
        self._bus.write(self.map.addresses["SNAPSHOT"], 1)
        return self._captured()

    def snapshot_of(self, queue: int) -> dict[str, int]:
        """The same, those named `selected_*` of one of many queues. Where packets of other queues have come in every clock since
        it was selected its counters are not there, and it is asked for again."""
        queues = 1 << self.map.widths.get("QUEUE_SELECT", 0)
        if not self.map.counts_queues or not 0 <= queue < queues:
            known = f"of queues 0 to {queues - 1}" if self.map.counts_queues else "none of single queues"
            raise UserError(f"{self.map.config} has no counters of queue {queue}; it has {known}")
        self._bus.write(self.map.addresses["QUEUE_SELECT"], queue)
        for _ in range(BUSY_POLLS):
            self._bus.write(self.map.addresses["SNAPSHOT"], 1)
            if not self._bus.read(self.map.addresses["SNAPSHOT"]):
                return self._captured()
        raise UserError(f"{self.map.config}: no clock is free to read the counters of queue {queue}")

    def reasons(self) -> dict[str, int]:
        """How often each reason occurred, as of the last `snapshot`."""
        return {name: self._wide(address) for name, address in self.map.reasons.items()}

    def _captured(self) -> dict[str, int]:
        return {name: self._wide(address) for name, address in self.map.counters.items()}

    def _wide(self, address: int) -> int:
        return self._bus.read(address) | self._bus.read(address + 4) << 32


def _nearest(scaled: float) -> int:
    """The nearest whole number, of two the upper one; adding a half would itself round, just below one half and beyond 2^52."""
    whole = math.floor(scaled)
    return whole + (scaled - whole >= 0.5)


def _field(entry: Mapping[str, Any]) -> Field:
    return Field(entry["name"], entry["address"], entry["width"], entry["fraction"], entry["unit"])
