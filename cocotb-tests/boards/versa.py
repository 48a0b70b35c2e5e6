# SPDX-License-Identifier: Apache-2.0
"""The Versa board with a PHY of cocotbext-eth's at each port and a computer on the serial line.

The three clocks are of nearly 125 MHz, as crystals are: port 0 receives 250 ppm faster than the board sends, port 1 250 ppm
slower, where Ethernet allows 200 between two. A PHY delays a clock that comes with its data: it samples what is there just behind
the edge.
"""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.task import bridge, resume
from cocotb.triggers import FallingEdge, Timer
from cocotbext.eth import GmiiFrame, RgmiiSink, RgmiiSource
from lib.simulation import registers

from sluice.driver.serial_host import BAUD, SerialHost
from sluice.hardware.registers import RegisterMap, TileDriver

BIT_NS = 1e9 / BAUD
CLOCK_PS = {"clk100": 8_000, "eth0_rx_clk": 7_998, "eth1_rx_clk": 8_002}
MISSED = 1
"""Bytes of a preamble that the sink does not see, as it wakes with the first one."""


class Bench:
    """The board of that name with its clocks, two PHYs and a computer on the serial line."""

    def __init__(self, dut: Any, board: str) -> None:
        self.dut = dut
        self.map = RegisterMap(registers(board))
        self.driver = TileDriver(SerialHost(self._exchange), self.map)
        self.bus = SerialHost(self._exchange)

    async def start(self) -> None:
        dut = self.dut
        dut.rst_n.value = 0
        dut.uart_rx.value = 1
        for name, period in CLOCK_PS.items():
            cocotb.start_soon(Clock(getattr(dut, name), period, unit="ps").start())
            await Timer(1300, unit="ps")  # no two are in phase
        self.sources = [
            RgmiiSource(getattr(dut, f"eth{i}_rx_data"), getattr(dut, f"eth{i}_rx_ctl"), getattr(dut, f"eth{i}_rx_clk"))
            for i in (0, 1)
        ]
        await Timer(1, unit="us")
        dut.rst_n.value = 1
        await Timer(1, unit="us")
        self.sinks = [
            RgmiiSink(getattr(dut, f"eth{i}_tx_data"), getattr(dut, f"eth{i}_tx_ctl"), getattr(dut, f"eth{i}_tx_clk"))
            for i in (0, 1)
        ]
        for end in (*self.sources, *self.sinks):
            end.log.setLevel("WARNING")

    async def configure(self, **values: float) -> None:
        await bridge(self.driver.configure)(values)

    async def count(self, name: str) -> int:
        """The lower word of a counter, of the last snapshot."""
        return await bridge(self.bus.read)((self.map.counters | self.map.reasons)[name])

    async def snapshot(self) -> None:
        await bridge(self.bus.write)(self.map.addresses["SNAPSHOT"], 1)

    @resume
    async def _exchange(self, command: bytes, size: int) -> bytes:
        answer = cocotb.start_soon(self._receive(size))
        await self.send(command)
        return await answer

    async def send(self, data: bytes) -> None:
        for byte in data:
            for bit in (0, *(byte >> i & 1 for i in range(8)), 1):
                await self.hold(bit, bits=1)

    async def hold(self, level: int, bits: int) -> None:
        """A level on the serial line for so many bits."""
        self.dut.uart_rx.value = level
        await Timer(bits * BIT_NS, unit="ns", round_mode="round")

    async def _receive(self, size: int) -> bytes:
        answer = bytearray()
        for _ in range(size):
            await FallingEdge(self.dut.uart_tx)
            await Timer(1.5 * BIT_NS, unit="ns", round_mode="round")
            byte = 0
            for i in range(8):
                byte |= int(self.dut.uart_tx.value) << i
                await Timer(BIT_NS, unit="ns", round_mode="round")
            assert int(self.dut.uart_tx.value) == 1
            answer.append(byte)
        return bytes(answer)

    async def drain(self) -> None:
        """Until nothing has left for as long as a longest frame takes at the slowest rate of these tests."""
        seen = None
        while seen != (seen := tuple(sink.queue_occupancy_frames for sink in self.sinks)):
            await Timer(60, unit="us")


def as_seen(wire: GmiiFrame) -> tuple[bytearray, list[int] | None]:
    """Data and errors of a frame that comes to a sink as it was sent."""
    return wire.data[MISSED:], wire.error and wire.error[MISSED:]
