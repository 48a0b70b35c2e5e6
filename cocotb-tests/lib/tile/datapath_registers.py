# SPDX-License-Identifier: Apache-2.0
"""A datapath's registers by name, over AXI4-Lite, of its own or of a wrapper around it."""

from __future__ import annotations

from typing import Any

from lib.simulation import registers
from lib.tile.axi_lite import AxiLiteHost


class DatapathRegisters:
    """The register map of a datapath behind the ports of this prefix."""

    def __init__(self, dut: Any, name: str, clock: Any, reset: Any = None, prefix: str = "s_axil") -> None:
        self.axil = AxiLiteHost(dut, clock, reset, prefix)
        self.map = registers(name)
        self.addresses = {word["name"]: word["address"] for word in self.map["registers"]}

    async def read_word(self, address: int) -> int:
        """A word of the map by address."""
        return await self.axil.read_dword(address)

    async def write_word(self, address: int, value: int) -> None:
        """Write a word of the map by address."""
        await self.axil.write_dword(address, value)

    async def read(self, name: str) -> int:
        """A register word by name."""
        return await self.read_word(self.addresses[name])

    async def write(self, name: str, value: int) -> None:
        """Write a register word by name."""
        await self.write_word(self.addresses[name], value)

    async def configure(self, **values: int) -> None:
        """Stage raw parameters and commit them; fails if they are refused."""
        for name, value in values.items():
            await self.write(name, value)
        await self.write("COMMIT", 1)
        while await self.read("COMMIT") & 1:
            pass
        assert await self.read("REFUSED") == 0

    async def counters(self) -> dict[str, int]:
        """All counters at one instant."""
        await self.write("SNAPSHOT", 1)
        values = {}
        for counter in self.map["counters"]:
            low = await self.read_word(counter["address"])
            values[counter["name"]] = low | await self.read_word(counter["address"] + 4) << 32
        return values

    def dropped_packets(self, counters: dict[str, int]) -> int:
        """Sum of the drops by reason."""
        names = {r["address"] for r in self.map["reasons"] if r["action"] == "drop"}
        return sum(counters[c["name"]] for c in self.map["counters"] if c["address"] in names)
