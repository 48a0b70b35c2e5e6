# SPDX-License-Identifier: Apache-2.0
"""Ticks in the tile as cocotb tests, for any core that wants them: how many, and to which packet they come first."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from lib.core.parameter_sets import legal_set, near
from lib.core.stimulus import stepped_back
from lib.simulation import registers
from lib.tile.bench import TileBench
from lib.tile.mended import FAR_NS, PATIENCE
from lib.witness import model_of

CONFIG = os.environ["SLUICE_CONFIG"]
MODEL = model_of(CONFIG)
START_NS = 1_700_000_000_000_000_000  # a wall clock
FROM_HOST = {kind["name"]: kind["period"] for kind in registers(CONFIG)["ticks"] if kind["period"]}
"""Kinds of which a parameter holds the period."""


async def bench_of(dut: Any) -> TileBench:
    bench = TileBench(dut, MODEL, registers(CONFIG))
    await bench.start()
    return bench


async def wait(bench: TileBench, now_ns: int, cycles: int) -> None:
    for _ in range(cycles):
        await bench.step(now_ns, None, is_ready=False)


async def ticks_at(bench: TileBench, kind: str, now_ns: int, at_most: int | None = None) -> int:
    """Ticks of a kind that come when the time becomes this, for twice a tick's work or so many clocks at most, counted in the RTL
    and compared with the model's."""
    ticker = bench.model.tickers[kind]
    before, seen = ticker.ticks, 0
    cycles = 2 * ticker.spacing + 8
    for _ in range(cycles if at_most is None else min(cycles, at_most)):
        await bench.step(now_ns, None, is_ready=False)
        seen += int(getattr(bench.dut.core, f"tick_{kind}_valid").value)
    assert seen == ticker.ticks - before
    return seen


@cocotb.test()
@cocotb.parametrize(kind=MODEL.ticks)
async def one_tick_per_jump(dut: Any, kind: str) -> None:
    """A tick when the time has come, not before; one after a jump over many intervals; on the grid after a short delay."""
    bench = await bench_of(dut)

    def interval_ns() -> int:
        return bench.model.core.interval_ns(kind)

    async def next_comes(from_ns: int) -> int:
        due = from_ns + interval_ns()
        assert await ticks_at(bench, kind, due - 1) == 0
        assert await ticks_at(bench, kind, due) == 1
        return due

    assert await ticks_at(bench, kind, START_NS) == 0
    first = await next_comes(START_NS)
    assert await ticks_at(bench, kind, first) == 0
    second = first + interval_ns()
    assert await ticks_at(bench, kind, second + 700) == 1
    now = await next_comes(second)
    for jumped in (now + 1_000_000 * interval_ns() + 12_345, START_NS + (1 << 63) + (1 << 62)):
        assert await ticks_at(bench, kind, jumped) == 1
        await next_comes(jumped)


@cocotb.test()
@cocotb.parametrize(kind=MODEL.ticks)
async def up_to_the_end_of_time(dut: Any, kind: str) -> None:
    """A jump from the first interval into the last ones that 64 bits can tell; what would be due behind them never comes."""
    bench = await bench_of(dut)
    assert await ticks_at(bench, kind, 1000) == 0
    interval_ns = bench.model.core.interval_ns(kind)
    end = (1 << 64) - 1
    assert await ticks_at(bench, kind, end - 2 * interval_ns) == 1
    for _ in range(2):
        due = bench.model.tickers[kind].due
        assert due is not None
        if due <= end:
            assert await ticks_at(bench, kind, due - 1) == 0
            assert await ticks_at(bench, kind, due) == 1
    assert await ticks_at(bench, kind, end) == 0


@cocotb.test()
@cocotb.parametrize(kind=MODEL.ticks)
async def none_of_a_step_back(dut: Any, kind: str) -> None:
    """Time that steps back makes no tick, by however much, until it is taken, and none is lost: the next comes when due."""
    bench = await bench_of(dut)
    start = (1 << 63) + 1_000_000_007
    assert await ticks_at(bench, kind, start) == 0
    period = bench.model.core.interval_ns(kind)
    assert await ticks_at(bench, kind, start + period) == 1
    for back in (1, 2, period, 1_000_000 * period, start, start + period):
        assert await ticks_at(bench, kind, start + period - back, PATIENCE if back > FAR_NS else None) == 0
        assert await ticks_at(bench, kind, start + period) == 0
    due = start + period + bench.model.core.interval_ns(kind)
    assert await ticks_at(bench, kind, due - 1) == 0
    assert await ticks_at(bench, kind, start) == 0
    assert await ticks_at(bench, kind, due) == 1


@cocotb.test()
@cocotb.parametrize(kind=MODEL.ticks)
async def first_interval(dut: Any, kind: str) -> None:
    """It begins with the time of one certain cycle after reset, to the nanosecond."""
    bench = await bench_of(dut)
    for i in range(200):
        await bench.step(START_NS + i, None, is_ready=False)
    due = bench.model.tickers[kind].due
    assert due is not None
    assert await ticks_at(bench, kind, due - 1) == 0
    assert await ticks_at(bench, kind, due) == 1


@cocotb.test()
async def ticks_among_packets(dut: Any) -> None:
    """Bit-exact while ticks come as fast as they may and new sets of parameters still get their turn."""
    rng = random.Random(11)
    bench = await bench_of(dut)
    await wait(bench, START_NS, 40)
    widths = {p["name"]: p["width"] for p in bench.registers["parameters"] if p["name"] in MODEL.defaults()}
    longest = max(ticker.spacing for ticker in bench.model.tickers.values())
    sets = 0

    async def reconfigure() -> None:
        nonlocal sets
        while True:
            if len(bench.model.tickers) > 1:  # a set that waits for one kind's work holds the ticks of all others
                await ClockCycles(dut.clk, rng.choice((1, longest)))
            core = legal_set(rng, MODEL, widths, MODEL.defaults(), near)
            core |= {period: rng.choice((1, 300, 5_000, 1_000_000)) for period in FROM_HOST.values()}
            assert await bench.configure(core) == []
            sets += 1

    task = cocotb.start_soon(reconfigure())
    now = START_NS
    for stretch in range(60):
        load, drain_rate = rng.choice(((1.0, 0.9), (0.5, 0.6), (0.2, 0.1), (0.9, 0.05), (0.02, 0.5)))
        for _ in range(500):
            now += rng.choice((0, 3, 80_000)) if stretch % 3 else 4
            if rng.random() < 0.001:
                now += max(
                    (bench.model.core.interval_ns(kind) for kind in MODEL.ticks if kind not in FROM_HOST), default=0
                )
            packet = bench.random_packet(rng, 1000) if rng.random() < load else None
            await bench.step(stepped_back(rng, now), packet, is_ready=rng.random() < drain_rate)
    task.cancel()
    assert sets > min(30, bench.cycle / longest / 4)  # a set waits until a tick's work is over
    for kind, ticker in bench.model.tickers.items():
        assert ticker.ticks > min(150, bench.cycle / ticker.spacing / 4), f"{ticker.ticks} ticks {kind}"
    assert bench.checked > 10_000


@cocotb.test()
@cocotb.parametrize(kind=MODEL.ticks)
async def an_interval_of_nothing_else(dut: Any, kind: str) -> None:
    """`ticking` is high from the third clock after the time has come, until arrivals see what the tick has changed."""
    bench = await bench_of(dut)
    await wait(bench, START_NS, 1000)
    assert not dut.ticking.value
    due = START_NS + bench.model.core.interval_ns(kind)
    await bench.step(due, None, is_ready=False)
    await wait(bench, due, 3)
    assert dut.ticking.value
    while dut.ticking.value:
        await wait(bench, due, 1)
    for name, value in bench.model.core.status().items():
        assert int(getattr(dut.core, f"status_{name}").value) == value, name
