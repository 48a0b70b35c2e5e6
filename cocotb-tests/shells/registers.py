# SPDX-License-Identifier: Apache-2.0
"""A wrapper's registers by name, through the shell's own AXI4-Lite."""

from __future__ import annotations

import logging
from typing import Any

from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from lib.simulation import registers

THROUGH = {"min": 500 << 14, "max": 900 << 14}
"""Thresholds of RED above the frames that are always on their way through: they are no queue."""


class Registers:
    """The register map of the datapath inside."""

    def __init__(self, dut: Any, prefix: str, clock: Any, datapath: str) -> None:
        self.axil = AxiLiteMaster(AxiLiteBus.from_prefix(dut, prefix), clock)
        for port in (self.axil.read_if, self.axil.write_if):
            port.log.setLevel(logging.WARNING)
        self.map = registers(datapath)
        self.addresses = {word["name"]: word["address"] for word in self.map["registers"]}

    async def read(self, name: str) -> int:
        return await self.axil.read_dword(self.addresses[name])

    async def configure(self, **values: int) -> None:
        """Stage raw parameters and commit them; fails if they are refused."""
        for name, value in (*values.items(), ("COMMIT", 1)):
            await self.axil.write_dword(self.addresses[name], value)
        while await self.read("COMMIT") & 1:
            pass
        assert await self.read("REFUSED") == 0

    async def counters(self) -> dict[str, int]:
        """All counters at one instant."""
        await self.axil.write_dword(self.addresses["SNAPSHOT"], 1)
        return {counter["name"]: await self.axil.read_dword(counter["address"]) for counter in self.map["counters"]}

    def dropped(self, counters: dict[str, int]) -> int:
        """Sum of the drops by reason."""
        names = {r["address"] for r in self.map["reasons"] if r["action"] == "drop"}
        return sum(counters[c["name"]] for c in self.map["counters"] if c["address"] in names)
