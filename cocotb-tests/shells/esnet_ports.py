# SPDX-License-Identifier: Apache-2.0
"""The ports of ESnet's application, of which each carries all streams of a kind side by side, as ports of single streams."""

from __future__ import annotations

from typing import Any

from lib.tile.handles import Handles, Port


class Part:
    """One stream's bits of a port. What was driven of the others stays."""

    def __init__(self, port: Port, index: int, count: int, driven: dict[str, int]) -> None:
        self.port, self.name = port, port.handle._name
        self.driven = driven
        self.bits = len(port) // count
        self.place = index * self.bits

    def __len__(self) -> int:
        return self.bits

    @property
    def value(self) -> int:
        return self.port.value >> self.place & (1 << self.bits) - 1

    @value.setter
    def value(self, value: int) -> None:
        others = self.driven.get(self.name, 0) & ~((1 << self.bits) - 1 << self.place)
        self.driven[self.name] = whole = others | int(value) << self.place
        self.port.value = whole


class Side:
    """A stream among `count` side by side: what has the application's names for it. `driven` is what a test drives, by port."""

    def __init__(self, dut: Any, index: int, count: int, driven: dict[str, int]) -> None:
        self.ports, self.index, self.count, self.driven = Handles(dut), index, count, driven

    def __getattr__(self, name: str) -> Part:
        return Part(getattr(self.ports, name), self.index, self.count, self.driven)
