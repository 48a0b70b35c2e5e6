# SPDX-License-Identifier: Apache-2.0
"""Datapaths behind the driver: those of a live run, one for each of its directions, or one behind a window of memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from sluice.driver.device import Device, DriverError
from sluice.hardware import datapaths
from sluice.hardware.datapaths import DatapathConfig
from sluice.hardware.registers import RegisterMap
from sluice.support.errors import UserError

_NAMES = ("forward", "backward")

_DIGEST = 0x24
"""Its address is the same in every map."""


@dataclass(frozen=True)
class Direction:
    """A way through a datapath."""

    name: str
    number: int
    config: DatapathConfig
    device: Device
    registers: RegisterMap


@contextmanager
def directions(where: str) -> Iterator[list[Direction]]:
    """Those of what the driver opens there; of a socket without a direction's number all that are behind it."""
    is_run = where.startswith("unix:") and "#" not in where
    with ExitStack() as stack:
        found: list[Direction] = []
        for number, name in enumerate(_NAMES if is_run else _NAMES[:1]):
            try:
                device = stack.enter_context(Device(f"{where}#{number}" if is_run else where))
            except DriverError as error:
                if number and error.code == "EPROTO":  # it has a delay alone on its way back
                    break
                raise
            found.append(_direction(name, number, device))
        yield found


def _direction(name: str, number: int, device: Device) -> Direction:
    digest = device.read(_DIGEST)
    chosen = next((each for each in datapaths.load() if each.digest == digest), None)
    if chosen is None:
        raise UserError(
            f"{name} has registers that this tree does not know, 0x{digest:08x}; was it built from another?"
        )
    return Direction(name, number, chosen, device, RegisterMap.load(chosen.register_map))
