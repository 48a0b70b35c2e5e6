# SPDX-License-Identifier: Apache-2.0
"""What is known of a datapath at one instant, as its registers say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sluice.driver.device import Device
from sluice.hardware.registers import RegisterMap, TileDriver


@dataclass(frozen=True)
class Reading:
    """Parameters in force and status values in their units, and counters."""

    parameters: Mapping[str, float]
    counters: Mapping[str, int]
    status: Mapping[str, float]

    def total(self, *names: str) -> int:
        """Sum of these counters."""
        return sum(self.counters[name] for name in names)


def read(device: Device, registers: RegisterMap) -> Reading:
    """All of it, while nobody else writes."""
    tile = TileDriver(device, registers)
    with device.locked():
        return Reading(
            {name: tile.read_parameter(name) for name in registers.parameters},
            tile.snapshot(),
            {name: tile.read_status(name) for name in registers.status},
        )
