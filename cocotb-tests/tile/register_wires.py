# SPDX-License-Identifier: Apache-2.0
"""A tile's registers from outside: the map, a bench with a host, and the bus by hand."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from cocotbext.axi import AxiResp
from lib.simulation import registers
from lib.tile.bench import TileBench

from sluice_golden import models

CONFIG = os.environ["SLUICE_CONFIG"]
MAP = registers(CONFIG)
ADDRESS = {word["name"]: word["address"] for word in MAP["registers"]}
IN_FORCE = MAP["in_force_offset"]
LIMIT_DEFAULT = next(p["default"] for p in MAP["parameters"] if p["name"] == "limit")
INPUTS = ("awvalid", "awaddr", "wvalid", "wdata", "wstrb", "bready", "arvalid", "araddr", "rready")
OUTPUTS = ("awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rresp", "rdata")


async def bench_of(dut: Any) -> TileBench:
    bench = TileBench(dut, models()[CONFIG], MAP)
    await bench.start()
    return bench


class Wires:
    """The bus by hand: requests in exactly the clocks that a test wants, answers taken at once."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.port = {name: getattr(dut, f"s_axil_{name}") for name in (*INPUTS, *OUTPUTS)}

    async def start(self) -> None:
        """Clock and reset, with nothing else driving the bus."""
        for name in INPUTS:
            self.port[name].value = 0
        self.port["wstrb"].value = 0xF
        self.port["bready"].value = self.port["rready"].value = 1
        TileBench.quiet(self.dut)
        cocotb.start_soon(Clock(self.dut.clk, 4, unit="ns").start())
        self.dut.rst.value = 1
        for _ in range(4):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def writes(self, *pairs: tuple[str, int]) -> None:
        """Words in a row, each offered in the clock after the one before was taken; until all are answered OKAY and in force."""
        answered = 0

        async def count() -> None:
            nonlocal answered
            while True:
                await FallingEdge(self.dut.clk)
                if self.port["bvalid"].value:
                    assert self.port["bresp"].value == AxiResp.OKAY
                    answered += 1

        counting = cocotb.start_soon(count())
        for name, value in pairs:
            self.port["awaddr"].value, self.port["wdata"].value = ADDRESS[name], value
            self.port["awvalid"].value = self.port["wvalid"].value = 1
            await ReadOnly()
            while not (self.port["awready"].value and self.port["wready"].value):
                await FallingEdge(self.dut.clk)
                await ReadOnly()
            await FallingEdge(self.dut.clk)
        self.port["awvalid"].value = self.port["wvalid"].value = 0
        while answered < len(pairs):
            await FallingEdge(self.dut.clk)
        counting.cancel()
        while await self.read(ADDRESS["COMMIT"]):
            pass

    async def answer(self, address: int, value: int | None = None) -> int:
        """What one write, or one read, is answered."""
        asks, answers = (("ar",), "r") if value is None else (("aw", "w"), "b")
        self.port["araddr"].value = self.port["awaddr"].value = address
        self.port["wdata"].value = value or 0
        for channel in asks:
            self.port[f"{channel}valid"].value = 1
        await ReadOnly()
        while not all(self.port[f"{channel}ready"].value for channel in asks):
            await FallingEdge(self.dut.clk)
            await ReadOnly()
        await FallingEdge(self.dut.clk)
        for channel in asks:
            self.port[f"{channel}valid"].value = 0
        while not self.port[f"{answers}valid"].value:
            await FallingEdge(self.dut.clk)
        return int(self.port[f"{answers}resp"].value)

    async def read(self, address: int) -> int:
        self.port["araddr"].value, self.port["arvalid"].value = address, 1
        await ReadOnly()
        while not self.port["arready"].value:
            await FallingEdge(self.dut.clk)
            await ReadOnly()
        await FallingEdge(self.dut.clk)
        self.port["arvalid"].value = 0
        while not self.port["rvalid"].value:
            await FallingEdge(self.dut.clk)
        assert self.port["rresp"].value == AxiResp.OKAY, f"reading {address:#x}"
        return int(self.port["rdata"].value)

    async def limits(self) -> tuple[int, int, int]:
        """The limit as it is staged and in force, and REFUSED."""
        limit = ADDRESS["limit"]
        return await self.read(limit), await self.read(limit + IN_FORCE), await self.read(ADDRESS["REFUSED"])


async def wires_of(dut: Any) -> Wires:
    wires = Wires(dut)
    await wires.start()
    return wires
