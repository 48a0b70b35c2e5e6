# SPDX-License-Identifier: Apache-2.0
"""How fast a mapped design may be where nothing places it, estimated from the levels of logic of its longest path.

The rule is AMD's for what a placed design can keep (`report_failfast` of Vivado's Tcl store, its check of LUTs on a path): a LUT
with its wire is a level, and so is each end of the path that is no register's D, or one that a LUT does not feed alone; for each
family and speed it says how much time a level has. That rule does not count carries, block memories without a register behind
them, and multipliers without one inside. Here the way into a chain of carries is a level, and so are four blocks of it; for
the others each family says how many levels they are. What Vivado takes into a memory or a multiplier and Yosys leaves outside,
a register right before or behind, counts as taken in. It is an estimate: no wire has been laid.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from graphlib import TopologicalSorter
from typing import Any

from sluice.synthesis.timing.level_cells import Bit, LevelRule, MappedCells, is_carry, is_lut


@dataclass(frozen=True)
class LevelPath:
    """A longest path: the cells from register to register with what each drives, by the design's names, and its levels."""

    levels: int
    steps: list[tuple[str, str]]
    """Kind of cell, and the signal behind it, where the design has a name for that; the last is what the path ends in."""

    @property
    def luts(self) -> int:
        """LUTs on it."""
        return sum(is_lut(kind) for kind, _ in self.steps)

    @property
    def carries(self) -> int:
        """Blocks of carries on it, of four bits in 7 series and of eight in UltraScale+."""
        return sum(is_carry(kind) for kind, _ in self.steps)


def longest(module: Mapping[str, Any], rule: LevelRule, count: int) -> list[LevelPath]:
    """So many of a mapped module's longest paths, the longest first; of the bits of one word one counts."""
    netlist = _Levels(module, rule)
    found: dict[str, LevelPath] = {}
    for end in sorted(netlist.ends(), key=lambda end: -end.levels):
        if len(found) == count:
            break
        found.setdefault(end.signal or end.cell, LevelPath(math.ceil(end.levels), netlist.path(end)))
    return list(found.values())


@dataclass(frozen=True)
class _End:
    bit: Bit
    levels: Fraction
    cell: str
    kind: str
    signal: str


class _Levels:
    """A mapped module, and how many levels are in front of each bit of it."""

    def __init__(self, module: Mapping[str, Any], rule: LevelRule) -> None:
        self.cells = MappedCells(module, rule)
        self.names: dict[Bit, str] = {}
        nets = sorted(module["netnames"].items(), key=lambda item: len(item[0]))
        for name, net in nets:
            if not net.get("hide_name", 0):
                self.names = dict.fromkeys(net["bits"], name) | self.names
        self.levels: dict[Bit, Fraction] = {}
        self.source: dict[Bit, Bit] = {}
        self._walk()

    def _walk(self) -> None:
        arcs: dict[Bit, list[tuple[list[Bit], Fraction]]] = defaultdict(list)
        before: dict[Bit, set[Bit]] = defaultdict(set)
        for name in self.cells.cells:
            for out, ins, cost in self.cells.arcs(name):
                arcs[out].append((ins, cost))
                before[out].update(bit for bit in ins if not isinstance(bit, str))
            if self.cells.is_clocked(name):
                self.levels |= {out: self.cells.begin(name, out) for out in self.cells.outputs(name)}
        for bit in TopologicalSorter(before).static_order():
            best = self.levels.get(bit, Fraction(0))
            for ins, cost in arcs.get(bit, ()):
                for source in ins:
                    if not isinstance(source, str) and (late := self.levels.get(source, Fraction(0)) + cost) >= best:
                        best, self.source[bit] = late, source
            self.levels[bit] = best

    def ends(self) -> Iterator[_End]:
        """All that a clock samples, each with the levels of its whole path; the module's outputs are registers' outside."""
        for name, cell in self.cells.cells.items():
            if not self.cells.is_clocked(name):
                continue
            signal = next((self.names[bit] for bit in self.cells.outputs(name) if bit in self.names), "")
            for pin, way in cell["port_directions"].items():
                for bit in cell["connections"][pin] if way == "input" else ():
                    if bit in self.cells.driver:
                        levels = self.levels[bit] + self.cells.last(name, pin, bit)
                        yield _End(bit, levels, name, self.cells.kind(name), signal)
        for bit in self.cells.outside & set(self.cells.driver):
            yield _End(bit, self.levels[bit] + 1, "", "output", self.names.get(bit, ""))

    def path(self, end: _End) -> list[tuple[str, str]]:
        """Cells and signals on the longest way to an end."""
        bits = [end.bit]
        while bits[-1] in self.source:
            bits.append(self.source[bits[-1]])
        steps = [(self._behind(bit), self.names.get(bit, "")) for bit in reversed(bits)]
        return [*steps, (end.kind, end.signal)]

    def _behind(self, bit: Bit) -> str:
        return self.cells.kind(self.cells.driver[bit][0]) if bit in self.cells.driver else "input"
