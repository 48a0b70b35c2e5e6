# SPDX-License-Identifier: Apache-2.0
"""All kinds of ticks of a tile's core: when they begin, and from when on arrivals see what they have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.tile.ticker import Ticker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice_golden.core import CoreModel


class Ticks:
    """Of one core, whose work for a tick takes so many cycles by its kind."""

    def __init__(self, core: CoreModel, cycles: Mapping[str, int], core_latency: int) -> None:
        self.core, self.cycles = core, cycles
        self.tickers = {kind: Ticker(cycles[kind] + core_latency + 2) for kind in core.ticks}
        self._next: list[str] = []
        self._settles: dict[str, int] = {}  # cycle from which on arrivals see what the last tick of a kind changed

    def apply(self, parameters: Mapping[str, int]) -> None:
        """A new set of the core's parameters. A new period begins with it."""
        before = {kind: self.core.interval_ns(kind) for kind in self.core.ticks}
        self.core.apply(parameters)
        for kind, ticker in self.tickers.items():
            if self.core.interval_ns(kind) != before[kind]:
                ticker.restart()

    def begin(self, cycle: int, seen_ns: int, before_ns: int, *, is_held: bool) -> None:
        """Begins a cycle in which the core sees this time, and that was presented in the one before. Where a set of parameters
        waits no tick begins."""
        for kind in self.core.ticks:
            if cycle == self._settles.get(kind):
                self.core.settle(kind)
        for kind in self._next:
            self.core.tick(kind, seen_ns)
            self._settles[kind] = cycle + self.cycles[kind]
        self._next = [
            kind
            for kind, ticker in self.tickers.items()
            if ticker.is_due(cycle, before_ns, self.core.interval_ns(kind), is_held=is_held)
        ]
