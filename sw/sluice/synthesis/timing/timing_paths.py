# SPDX-License-Identifier: Apache-2.0
"""The slowest paths of a placed and routed design, from the delays of every cell and wire that nextpnr writes as SDF.

nextpnr's own report has one path for each pair of clocks. The path to a register is here what is slowest on the way to it: from
each cell back to its latest input. Of the bits of one word the slowest counts. Delays are the largest of SDF's three, in ps; a
path has the setup time of its end in it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

Pin = tuple[str, str]
"""Cell and port."""

Delayed = tuple[Pin, float]
"""A pin that another one hangs on, and the time from it."""

_TIMES = r"\((?:[\d.-]+:){2}([\d.-]+)\)"
_WIRE = re.compile(rf"\(INTERCONNECT (\S+)/(\S+) (\S+)/(\S+) {_TIMES}")
_INSTANCE = re.compile(r"\(INSTANCE (\S+)\)")
_ARC = re.compile(rf"\(IOPATH (\S+) (\S+) {_TIMES}")
_CHECK = re.compile(rf"\(SETUPHOLD \(\w+ (\S+)\) \(\w+ (\S+)\) {_TIMES}")
_CELL = re.compile(
    r"(_(?:TRELLIS_\w+|LUT4|CCU2C?|PFUMX|L6MUX21|MULT\w+|DP16KD|PDP\w+|WIDEFN9|INV|FD1P3\w+|OXIDE_\w+)_.*|\$CCU2_COMB\d)$"
)
_NEVER = -1e9
_CARRY = re.compile(r"\$CCU2_COMB\d$")


@dataclass(frozen=True)
class Step:
    """A cell on a path, called after the nearest signal that the design names; when its output is there, and how much of this was
    the cell and the wire to it."""

    signal: str
    cell: str
    at_ps: float
    logic_ps: float
    wire_ps: float


@dataclass(frozen=True)
class TimingPath:
    """From the clock of a register to the next one's setup time."""

    steps: list[Step]

    @property
    def ns(self) -> float:
        """How long it takes."""
        return self.steps[-1].at_ps / 1000

    @property
    def mhz(self) -> float:
        """The clock rate that it allows."""
        return 1000 / self.ns

    @property
    def wire_percent(self) -> float:
        """How much of it is routing."""
        return 100 * sum(step.wire_ps for step in self.steps) / self.steps[-1].at_ps

    @property
    def levels(self) -> int:
        """Cells between the registers; a chain of carries, which no wire goes between, is one."""
        inner = self.steps[1:-1]
        chained = [_CARRY.search(a.cell) and _CARRY.search(b.cell) and not b.wire_ps for a, b in pairwise(inner)]
        return len(inner) - sum(map(bool, chained))


def slowest(sdf: str, count: int) -> list[TimingPath]:
    """So many of the slowest paths, the slowest first."""
    delays = _Delays(sdf)
    ends = sorted(((delays.arrival(pin) + setup, pin) for pin, setup in delays.setups.items()), reverse=True)
    found: dict[str, TimingPath] = {}
    for total, pin in ends:
        if len(found) == count or total <= 0:
            break
        if signal_of(pin[0]) not in found:
            found[signal_of(pin[0])] = TimingPath(list(delays.path(pin)))
    return list(found.values())


def signal_of(cell: str) -> str:
    """The signal that a cell is called after: Yosys calls one without a name after what it drives, or feeds. Nothing for what
    nextpnr has put in between."""
    if cell.startswith("$nextpnr"):
        return ""
    name = cell
    while (shorter := _CELL.sub("", name)) != name:
        name = shorter
    return re.sub(r"(\.\d+)+$", "", name).removeprefix("block.")


class _Delays:
    """A design as SDF has it."""

    def __init__(self, sdf: str) -> None:
        self.wires: dict[Pin, Delayed] = {}
        self.arcs: dict[Pin, list[Delayed]] = defaultdict(list)
        self.setups: dict[Pin, float] = {}
        """Of pins that a clock samples."""
        self.clocks: set[Pin] = set()
        self._latest: dict[Pin, tuple[float, Pin | None]] = {}
        cell = ""
        for line in sdf.replace("\\", "").splitlines():
            if wire := _WIRE.search(line):
                self.wires[wire[3], wire[4]] = ((wire[1], wire[2]), float(wire[5]))
            elif instance := _INSTANCE.search(line):
                cell = instance[1]
            elif arc := _ARC.search(line):
                self.arcs[cell, arc[2]].append(((cell, arc[1]), float(arc[3])))
            elif check := _CHECK.search(line):
                self.clocks.add((cell, check[2]))
                pin = (cell, check[1])
                self.setups[pin] = max(float(check[3]), self.setups.get(pin, 0))

    def arrival(self, pin: Pin) -> float:
        """When the latest change is at a pin, after the clock; far below 0 where no clock leads to it."""
        front = [pin]
        while front:
            before = list(self._before(front[-1]))
            unknown = [source for source, _ in before if source not in self._latest]
            if unknown:
                front += unknown
                continue
            now = front.pop()
            late = [(self._latest[source][0] + delay, source) for source, delay in before]
            self._latest[now] = (0, None) if now in self.clocks else max(late, default=(_NEVER, None))
        return self._latest[pin][0]

    def _before(self, pin: Pin) -> Iterator[Delayed]:
        if pin not in self.clocks and pin not in self._latest:
            if pin in self.wires:
                yield self.wires[pin]
            yield from self.arcs.get(pin, ())

    def path(self, end: Pin) -> Iterator[Step]:
        """The slowest way to the end, from its register on."""
        pins = [end]
        while (source := self._latest[pins[-1]][1]) is not None:
            pins.append(source)
        pins.reverse()  # clock, output, input, output, ..., input
        wire, signal = 0.0, ""
        for before, pin in pairwise(pins):
            took = self._latest[pin][0] - self._latest[before][0]
            if before[0] != pin[0]:
                wire = took
            else:
                signal = signal_of(pin[0]) or signal
                yield Step(signal, pin[0], self._latest[pin][0], took, wire)
                wire = 0.0
        setup = self.setups[end]
        yield Step(signal_of(end[0]), end[0], self._latest[end][0] + setup, setup, wire)
