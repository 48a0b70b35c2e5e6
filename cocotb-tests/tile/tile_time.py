# SPDX-License-Identifier: Apache-2.0
"""Time that steps back, as cocotb tests for any core: it stands still until it is as late again."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import cocotb
from lib.core.stimulus import stepped_back
from lib.simulation import registers
from lib.tile.bench import TileBench
from lib.tile.mended import fault_bits
from lib.witness import model_of

if TYPE_CHECKING:
    from sluice_golden.core import Packet

CONFIG = os.environ["SLUICE_CONFIG"]
TIME_FAULT = fault_bits(registers(CONFIG))["time"]
START_NS = 1_700_000_000_000_000_000  # a wall clock


async def bench_of(dut: Any) -> TileBench:
    bench = TileBench(dut, model_of(CONFIG), registers(CONFIG))
    await bench.start()
    return bench


async def until_idle(bench: TileBench, now_ns: int) -> None:
    """Lets all packets leave, and the link find nothing."""
    while not bench.model.is_idle() or bench.due is not None or bench.model.holds:
        await bench.step(now_ns, None, is_ready=True)
    for _ in range(20):
        await bench.step(now_ns, None, is_ready=True)


@cocotb.test()
@cocotb.parametrize(back_ns=[1, 4_000_000_000, START_NS])
async def an_idle_time_of_nothing(dut: Any, back_ns: int) -> None:
    """A packet behind an idle time that the clock has taken back finds the state as the queue left it."""
    rng = random.Random(1)
    bench = await bench_of(dut)

    def packet() -> Packet:
        return replace(bench.random_packet(rng, 1000), queue=0)  # of all queues, the one whose state is looked at

    for _ in range(200):
        await bench.step(START_NS, packet(), is_ready=False)
    await until_idle(bench, START_NS)
    before = bench.model.core.status()
    await bench.step(START_NS - back_ns, packet(), is_ready=True)
    await until_idle(bench, START_NS - back_ns)
    bench.check_status()
    if "average" in before:
        kept = bench.model.core.status()["average"] / before["average"]
        assert 0.99 < kept <= 1, "one packet of a small weight, and no time"


@cocotb.test()
async def among_packets(dut: Any) -> None:
    """Bit-exact while time steps back in every tenth clock, by one ns to all there is, with idle times in between."""
    rng = random.Random(12)
    bench = await bench_of(dut)
    if bench.model.of_queues:  # which let one go in two clocks or more: what is full would not run empty in time
        told = cocotb.start_soon(bench.configure({"limit": 20 if bench.model.is_listed else 60}))
        while not told.done():
            await bench.step(START_NS, None, is_ready=False)
    now, idle = START_NS, 0
    for _ in range(40):
        load, drain_rate = rng.choice(((1.0, 0.9), (0.9, 0.3), (0.02, 0.5), (0.02, 1.0), (0.02, 1.0)))
        for _ in range(300):
            now += rng.choice((0, 4, 4, 3_000, 80_000))
            packet = bench.random_packet(rng, 1000) if rng.random() < load else None
            idle += packet is not None and bench.model.is_idle()
            await bench.step(stepped_back(rng, now), packet, is_ready=rng.random() < drain_rate)
    await until_idle(bench, now)
    bench.check_status()
    assert bench.checked > 3000
    assert idle > 30


@cocotb.test()
@cocotb.parametrize(ahead_ns=[1 << 35, 1 << 38, 1 << 62])
async def a_sample_from_far_in_the_future(dut: Any, ahead_ns: int) -> None:
    """Stops time for 4,096 clocks, which FAULTS says, unless it is near enough to be waited for."""
    bench = await bench_of(dut)
    is_far = ahead_ns > 1 << 36
    for now in (START_NS, START_NS + ahead_ns, *[START_NS] * 4080):
        await bench.step(now, None, is_ready=True)
    assert await bench.read("FAULTS") == 0
    for _ in range(40):
        await bench.step(START_NS, None, is_ready=True)
    assert await bench.read("FAULTS") == (TIME_FAULT if is_far else 0)
    await bench.write("FAULTS", TIME_FAULT ^ 0xFFFFFFFF)
    assert await bench.read("FAULTS") == (TIME_FAULT if is_far else 0)
    await bench.write("FAULTS", TIME_FAULT)
    assert await bench.read("FAULTS") == 0
