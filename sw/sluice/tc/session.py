# SPDX-License-Identifier: Apache-2.0
"""The directions of a live run as tc's devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sluice.driver import Device, DriverError
from sluice.errors import UserError
from sluice.packets import datapaths, running
from sluice.registers import RegisterMap, TileDriver
from sluice.tc import reading
from sluice.tc.kind import Kind, Shown, show
from sluice.tc.kinds import KINDS

_NAMES = ("forward", "backward")

_DIGEST = 0x24
"""Its address is the same in every map."""


@dataclass(frozen=True)
class Direction:
    """A way through a run that has a datapath."""

    name: str
    number: int
    kind: Kind
    device: Device
    registers: RegisterMap

    def shown(self, *, is_named: bool, details: bool, statistics: bool) -> Shown:
        """Its queue discipline now."""
        now = reading.read(self.device, self.registers)
        name = "" if is_named else self.name
        return show(self.kind, self.number, now, name, details=details, statistics=statistics)

    def change(self, kind: str, words: Sequence[str]) -> None:
        """Set what the words say, all of it or nothing."""
        if kind != self.kind.name:
            raise UserError(f"{self.name} is {self.kind.name}; {kind} is another run: sluice live {kind}")
        with self.device.locked():
            TileDriver(self.device, self.registers).configure(self.kind.settings(words))


@contextmanager
def directions(path: Path | None) -> Iterator[list[Direction]]:
    """Those of the run with that socket, or of the one that there is."""
    socket = running.find(path)
    with ExitStack() as stack:
        found = []
        for number, name in enumerate(_NAMES):
            try:
                device = stack.enter_context(Device(f"unix:{socket}#{number}"))
            except DriverError as error:
                if number and error.code == "EPROTO":  # it has a delay alone on its way back
                    break
                raise
            found.append(_direction(name, number, device))
        yield found


def named(all_: Sequence[Direction], name: str) -> list[Direction]:
    """The one of that name; all of them without one."""
    fitting = [direction for direction in all_ if name in {"", direction.name}]
    if not fitting:
        raise UserError(f'Cannot find device "{name}"; there is {" and ".join(each.name for each in all_)}')
    return fitting


def _direction(name: str, number: int, device: Device) -> Direction:
    digest = device.read(_DIGEST)
    chosen = next((each for each in datapaths.load() if each.digest == digest), None)
    if chosen is None:
        raise UserError(
            f"{name} has registers that this tree does not know, 0x{digest:08x}; was it built from another?"
        )
    if chosen.algorithm not in KINDS:
        raise UserError(
            f"{name} is {chosen.name}, and tc has no words for {chosen.algorithm}, but for {', '.join(KINDS)}"
        )
    return Direction(name, number, KINDS[chosen.algorithm], device, RegisterMap.load(chosen.register_map))
