# SPDX-License-Identifier: Apache-2.0
"""DropTail in the tile: the buffer's limit is the only thing that drops, at the exact packet and the exact byte."""

from __future__ import annotations

from typing import Any

import cocotb
from lib.simulation import RTL, registers, simulate
from lib.tile.bench import TileBench

from sluice_golden import models
from sluice_golden.core import Packet


@cocotb.test()
async def fills_to_the_last_byte(dut: Any) -> None:
    """With a limit of 5,000 bytes five packets of 1,000 fit, no sixth, and one byte does not either."""
    bench = TileBench(dut, models()["droptail"], registers("droptail"))
    await bench.start()
    setting = cocotb.start_soon(bench.configure({"limit": 10, "limit_bytes": 5000}))
    while not setting.done():
        await bench.step(0, None, is_ready=False)
    for size in (1000, 1000, 1000, 1000, 1000, 1000, 1):
        await bench.step(0, Packet(1, size, ecn=0), is_ready=False)
    for _ in range(20):
        await bench.step(0, None, is_ready=False)
    assert bench.model.packets == 5
    assert bench.model.counters["overlimit_drop"] == 2
    for _ in range(20):
        await bench.step(0, None, is_ready=True)
    for _ in range(12):
        await bench.step(0, Packet(2, 10, ecn=0), is_ready=False)
    for _ in range(20):
        await bench.step(0, None, is_ready=False)
    assert bench.model.packets == 10
    assert bench.model.counters["overlimit_drop"] == 4


def test_droptail() -> None:
    simulate(
        RTL / "droptail" / "sluice_tile_droptail.sv", "cores.test_droptail", bench="droptail-limit", inside=("core",)
    )
