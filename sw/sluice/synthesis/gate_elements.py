# SPDX-License-Identifier: Apache-2.0
"""The few kinds of elements that sim/model/netlist/gate-netlist.h runs, and the text in which it reads them.

Nets are numbers; 0 and 1 are the constants. Everything happens at the rising edge of one clock, or between two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

ZERO, ONE = 0, 1
NOT, SUM, MUX = 0x5555, 0x6666, 0xCACA
"""Tables: of the first input; of the exclusive-or of two; of the third, which chooses the second or the first."""


class Unknown(Exception):
    """A cell or a setting that has no meaning here."""


@dataclass
class Element:
    """A line of the text: `inputs` and `outputs` are nets that this element reads between clock edges, and drives there."""

    text: str
    inputs: Sequence[int] = ()
    outputs: Sequence[int] = ()


class Elements:
    """All elements of a design; `ports` are nets by name, the lowest bit first."""

    def __init__(self) -> None:
        self.count = 2
        self.ports: dict[str, list[int]] = {}
        self.elements: list[Element] = []
        self.clocks: set[int] = set()
        self.clock_of: dict[int, int] = {}
        """Of a register, by the net that it drives."""

    def text(self) -> str:
        """What sim/model/netlist/gate-netlist.h reads."""
        lines = [f"nets {self.count}"]
        lines += [f"port {name} {listed(nets)}" for name, nets in self.ports.items()]
        lines += [element.text for element in self._in_order()]
        return "\n".join(lines) + "\n"

    def fresh(self) -> int:
        """A net of its own."""
        self.count += 1
        return self.count - 1

    def table(self, init: int, a: int, b: int, c: int, d: int, out: int | None = None) -> int:
        """A table of four inputs; what it drives."""
        driven = self.fresh() if out is None else out
        inputs = (a, b, c, d)
        self.elements.append(Element(f"table {init} {a} {b} {c} {d} {driven}", inputs, (driven,)))
        return driven

    def register(self, start: int, data: int, enable: int, reset: int, clock: int, out: int) -> None:
        """A register whose reset goes before its enable."""
        self.clocks.add(clock)
        self.clock_of[out] = clock
        self.elements.append(Element(f"register {start} {data} {enable} {reset} {out}"))

    def element(self, text: str, inputs: Sequence[int] = (), outputs: Sequence[int] = ()) -> None:
        """Any other element."""
        self.elements.append(Element(text, inputs, outputs))

    def _in_order(self) -> Iterator[Element]:
        """Each element behind those that drive what it reads."""
        waiting: dict[int, list[Element]] = defaultdict(list)
        missing: dict[int, int] = {}
        driven = {net for element in self.elements for net in element.outputs}
        ready = []
        for element in self.elements:
            needed = set(element.inputs) & driven
            missing[id(element)] = len(needed)
            for net in needed:
                waiting[net].append(element)
            if not needed:
                ready.append(element)
        done = 0
        while ready:
            element = ready.pop()
            done += 1
            yield element
            for net in set(element.outputs):
                for reader in waiting[net]:
                    missing[id(reader)] -= 1
                    if not missing[id(reader)]:
                        ready.append(reader)
        if done != len(self.elements):
            raise Unknown("logic that depends on itself")


def listed(nets: Sequence[int]) -> str:
    """Nets behind their number."""
    return " ".join(map(str, (len(nets), *nets)))
