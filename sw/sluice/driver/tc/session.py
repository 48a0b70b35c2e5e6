# SPDX-License-Identifier: Apache-2.0
"""The directions of a live run as tc's devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sluice.driver import directions, running
from sluice.driver.directions import Direction
from sluice.driver.tc import reading
from sluice.driver.tc.kind import Kind, Shown, show
from sluice.driver.tc.kinds import KINDS
from sluice.hardware.registers import TileDriver
from sluice.support.errors import UserError


@dataclass(frozen=True)
class Discipline:
    """A direction's datapath as a queue discipline."""

    direction: Direction
    kind: Kind

    @property
    def name(self) -> str:
        """Of the device."""
        return self.direction.name

    def shown(self, *, is_named: bool, details: bool, statistics: bool) -> Shown:
        """What it is now."""
        now = reading.read(self.direction.device, self.direction.registers)
        name = "" if is_named else self.name
        return show(self.kind, self.direction.number, now, name, details=details, statistics=statistics)

    def change(self, kind: str, words: Sequence[str]) -> None:
        """Set what the words say, all of it or nothing."""
        if kind != self.kind.name:
            raise UserError(f"{self.name} is {self.kind.name}; {kind} is another run: sluice live {kind}")
        with self.direction.device.locked():
            TileDriver(self.direction.device, self.direction.registers).configure(self.kind.settings(words))


@contextmanager
def disciplines(path: Path | None) -> Iterator[list[Discipline]]:
    """Those of the run with that socket, or of the one that there is."""
    with directions.directions(f"unix:{running.find(path)}") as found:
        yield [_discipline(direction) for direction in found]


def named(all_: Sequence[Discipline], name: str) -> list[Discipline]:
    """The one of that device; all of them without a name."""
    fitting = [each for each in all_ if name in {"", each.name}]
    if not fitting:
        raise UserError(f'Cannot find device "{name}"; there is {" and ".join(each.name for each in all_)}')
    return fitting


def _discipline(direction: Direction) -> Discipline:
    algorithm = direction.config.algorithm
    if algorithm not in KINDS:
        what = f"{direction.name} is {direction.config.name}"
        raise UserError(f"{what}, and tc has no words for {algorithm}, but for {', '.join(KINDS)}")
    return Discipline(direction, KINDS[algorithm])
