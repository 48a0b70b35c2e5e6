# SPDX-License-Identifier: Apache-2.0
"""Corundum's application block in a test: one tap with a datapath, and its registers."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from lib.tile.datapath_registers import DatapathRegisters
from lib.tile.handles import Handles
from shells.streams import Sink, Source


class Block:
    """Both ends of the tap, driven as the NIC does."""

    def __init__(self, dut: Any, tap: str, datapath: str) -> None:
        self.dut = dut
        self.rng = random.Random(1)
        self.source = Source(Handles(dut), dut.clk, f"s_axis_{tap}", ("tuser",))
        self.sink = Sink(Handles(dut), dut.clk, f"m_axis_{tap}", ("tuser",))
        self.registers = DatapathRegisters(dut, datapath, dut.clk, prefix="s_axil_app_ctrl")

    async def start(self) -> None:
        """Clock and reset."""
        cocotb.start_soon(Clock(self.dut.clk, 4, unit="ns").start())
        await self.reset()

    async def reset(self) -> None:
        """All of the NIC, so the neighbours too. The FIFO before the tap waits until the flow hash has its tables."""
        self.source.valid.value = 0
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        self.sink.beats_taken.clear()
        self.taking = cocotb.start_soon(self.sink.run())
        if not self.source.ready.value:
            await RisingEdge(self.source.ready.handle)
