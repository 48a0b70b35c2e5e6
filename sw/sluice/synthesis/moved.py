# SPDX-License-Identifier: Apache-2.0
"""What netlist passes have moved, held against what was there before: the check without which no changed netlist is placed.

A pass takes registers beside a block memory or a multiplier away and uses those inside. So nothing else may differ between the
two netlists, and every block that differs is cut out of both with its registers: the same nets go in and come out, each register
has the clock that it had, and sim/model/netlist/netlist-beside.cc gives both the same random inputs and compares what comes out
in every clock, from the state after configuration on. What each cell does, `sluice.synthesis.gate_cells` says. As each cut
stands alone, a design may have any cells and any number of clocks, as a board's has; in the simulation its clocks are one.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.output import write_text
from sluice.synthesis import gates
from sluice.synthesis.gate_cells import CELLS, Pins
from sluice.synthesis.gate_elements import Elements, Unknown
from sluice.synthesis.passes.netlist import REGISTER, Cell, Module, nets

Netlist = dict[str, Any]
_BLOCKS = {"DP16KD", "MULT18X18D"}
_CLOCK_PINS = {"CLK", "CLK0", "CLK1", "CLK2", "CLK3", "CLKA", "CLKB"}
_SOURCES = ("netlist-beside.cc", "gate-netlist.h", "gate-elements.h", "gate-block-memory.h")
CLOCKS = 20_000
"""Of the simulation; nearly all words of a block memory have been written and read by then."""


@dataclass(frozen=True)
class Cut:
    """A block with the registers that went into it, before and after."""

    module: str
    block: str
    before: Mapping[str, Cell]
    after: Mapping[str, Cell]
    inputs: list[int]
    """Nets that neither a register nor the block drove."""
    outputs: list[int]
    """Nets that these drove and others read."""


def apply(netlist: Netlist, passes: Sequence[Callable[[Netlist], int]], work: Path) -> int:
    """The passes, in place, and the check; how many cells they changed. What is not the same ends in an error."""
    if not passes:
        return 0
    before = copy.deepcopy(netlist)
    changed = sum(change(netlist) for change in passes)
    try:
        check(before, netlist, work)
    except Unknown as error:
        raise UserError(f"a netlist pass went wrong: {error}") from None
    return changed


def check(before: Netlist, after: Netlist, work: Path, seed: int = 1) -> int:
    """How many blocks were changed, each of which does what it did with its registers outside; `Unknown` says which does not."""
    found = list(cuts(before, after))
    if found:
        files = [work / "cuts-before.txt", work / "cuts-after.txt"]
        write_text(files[0], gates.text(_together([(cut, cut.before) for cut in found]), "cuts"))
        write_text(files[1], gates.text(_together([(cut, cut.after) for cut in found]), "cuts"))
        differs = _run(files, seed)
        if differs is not None:
            place, bit = _place_of(found, differs)
            raise Unknown(f"{place.block} in {place.module} differs at net {bit}")
    return len(found)


def cuts(before: Netlist, after: Netlist) -> Iterator[Cut]:
    """All blocks that differ, with their registers; `Unknown` if anything else does."""
    for name, old in before["modules"].items():
        new, view = after["modules"][name], Module(old)
        gone = old["cells"].keys() - new["cells"].keys()
        changed = [cell for cell in new["cells"] if new["cells"][cell] != old["cells"].get(cell)]
        if old["ports"] != new["ports"] or any(old["cells"][cell]["type"] != REGISTER for cell in gone):
            raise Unknown(f"more than registers went from {name}")
        if any(cell not in old["cells"] or old["cells"][cell]["type"] not in _BLOCKS for cell in changed):
            raise Unknown(f"more than blocks changed in {name}")
        taken: set[str] = set()
        for block in changed:
            cut = _cut(name, view, new["cells"][block], block, gone)
            taken |= cut.before.keys() - {block}
            yield cut
        if taken != gone:
            raise Unknown(f"registers of {name} went into no block")


def _cut(name: str, module: Module, block_after: Cell, block: str, gone: set[str]) -> Cut:
    cells = module.cells
    # A register between two blocks is in the one that has its far net now.
    old_in, new_in, new_out = (
        set(_nets(*of)) for of in ((cells[block], "input"), (block_after, "input"), (block_after, "output"))
    )
    beside = set()
    for register in gone:
        data, out = (set(nets(cells[register]["connections"][pin])) for pin in ("DI", "Q"))
        if out & new_out or (out & old_in and not out & new_in and data <= new_in):
            beside.add(register)
    before = {block: cells[block], **{cell: cells[cell] for cell in sorted(beside)}}
    driven = {net for cell in before.values() for net in _nets(cell, "output")}
    read = {net for cell in (*before.values(), block_after) for net in _nets(cell, "input")}
    outputs = {net for net in driven if any(reader not in before for reader, _ in module.readers[net])}
    cut = Cut(name, block, before, {block: block_after}, sorted(read - driven), sorted(outputs))
    if _clocks(cut.before, cut.outputs) != _clocks(cut.after, cut.outputs):
        raise Unknown(f"{block} in {name} gives a register another clock")
    return cut


def _nets(cell: Cell, way: str = "") -> Iterator[int]:
    """Nets at a cell's pins, of one direction or of both."""
    for pin, bits in cell["connections"].items():
        if not way or cell["port_directions"][pin] == way:
            yield from nets(bits)


def _clocks(cells: Mapping[str, Cell], outputs: Sequence[int]) -> tuple[list[int | None], set[int | None]]:
    """The clock of each output that a register drives, and those of all registers."""
    elements, known = Elements(), dict[int, int]()
    number = gates.numbers(elements, known)
    for cell in cells.values():
        CELLS[cell["type"]](elements, Pins(cell, number))
    net = {own: bit for bit, own in known.items()}
    clocks = {own: net.get(clock) for own, clock in elements.clock_of.items()}
    return [clocks.get(number(bit)) for bit in outputs], set(clocks.values())


def _together(sides: Sequence[tuple[Cut, Mapping[str, Cell]]]) -> Netlist:
    """All cuts side by side in a module `cuts`, with one clock, and `in` and `out` in the order of the cuts'."""
    cells: dict[str, Cell] = {}
    ports = {"clk": [2], "in": list[int](), "out": list[int]()}
    free = itertools.count(3)
    for place, (cut, own) in enumerate(sides):
        renamed: dict[int, int] = defaultdict(free.__next__)
        ports["in"] += [renamed[bit] for bit in cut.inputs]
        ports["out"] += [renamed[bit] for bit in cut.outputs]
        for name, cell in own.items():
            connections = {
                pin: [bit if isinstance(bit, str) else 2 if pin in _CLOCK_PINS else renamed[bit] for bit in bits]
                for pin, bits in cell["connections"].items()
            }
            cells[f"{place} {name}"] = {**cell, "connections": connections}
    module = {"attributes": {}, "ports": {name: {"bits": bits} for name, bits in ports.items()}, "cells": cells}
    return {"modules": {"cuts": module}}


def _place_of(found: Sequence[Cut], output: int) -> tuple[Cut, int]:
    """The cut that has an output of them all, and the output's net."""
    for cut in found:
        if output < len(cut.outputs):
            return cut, cut.outputs[output]
        output -= len(cut.outputs)
    raise IndexError(output)


def _run(files: Sequence[Path], seed: int) -> int | None:
    """The first output in which both differ, if one does."""
    command = [str(_program()), *map(str, files), str(seed), str(CLOCKS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise UserError(f"{command[0]} failed: {done.stderr.strip() or f'exit status {done.returncode}'}")
    return int(done.stdout) if done.returncode else None


def _program() -> Path:
    """The program that compares, compiled once for its sources."""
    sources = [paths.root() / "sim/model/netlist" / name for name in _SOURCES]
    digest = hashlib.sha256("".join(file.read_text() for file in sources).encode()).hexdigest()[:16]
    built = paths.build() / "netlist" / f"beside-{digest}"
    if not built.exists():
        if not shutil.which("g++"):
            raise UserError("g++ is not installed: what the netlist passes moved cannot be compared")
        built.parent.mkdir(parents=True, exist_ok=True)
        part = built.with_suffix(f".{os.getpid()}")
        done = subprocess.run(
            ["g++", "-std=c++20", "-O2", str(sources[0]), "-o", str(part)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise UserError(f"g++ failed: {done.stderr.strip()}")
        part.rename(built)
    return built
