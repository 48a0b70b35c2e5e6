# SPDX-License-Identifier: Apache-2.0
"""A tile behind the crossing of clocks, as cocotb tests: its registers from a host's clock, its time from a third one."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, Timer
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiResp
from lib.simulation import registers
from lib.tile.axi_lite import AxiLiteHost

if TYPE_CHECKING:
    from collections.abc import Iterator

MAP = registers("droptail")
ADDRESS = {word["name"]: word["address"] for word in MAP["registers"]}

PERIODS = (("host", "here", "clock"), [(8000, 4000, 6400), (3000, 9100, 2500), (4000, 4000, 4000), (40000, 3000, 8000)])
"""Of the host's, the tile's and the time's clock, ps."""


async def start(dut: Any, periods: dict[str, int], rng: random.Random) -> None:
    """All clocks, at any phase, and the resets, which are high together and fall in any order."""
    resets = {"host": dut.host_rst, "here": dut.rst, "clock": dut.time_rst}
    for reset in resets.values():
        reset.value = 1
    dut.time_ns.value = 0
    clocks = {"host": dut.host_clk, "here": dut.clk, "clock": dut.time_clk}
    for name, clock in clocks.items():
        cocotb.start_soon(Clock(clock, periods[name], unit="ps").start())
        await Timer(rng.randrange(1, 5000), unit="ps")
    await Timer(4 * max(periods.values()), unit="ps")
    for name in rng.sample(sorted(resets), 3):
        await RisingEdge(clocks[name])
        resets[name].value = 0
        await Timer(rng.randrange(1, 50_000), unit="ps")


def pauses(rng: random.Random) -> Iterator[bool]:
    """A host that is not always ready."""
    while True:
        yield rng.random() < 0.4


@cocotb.test(timeout_time=400, timeout_unit="us")
@cocotb.parametrize(PERIODS)
async def a_host_reads_what_it_wrote(dut: Any, host: int, here: int, clock: int) -> None:
    """Values, refusals and a set of parameters; reads and writes side by side, several under way."""
    rng = random.Random(host)
    await start(dut, {"host": host, "here": here, "clock": clock}, rng)
    axil = AxiLiteHost(dut, dut.host_clk, dut.host_rst)
    for channel in (axil.write_if.b_channel, axil.read_if.r_channel, axil.write_if.w_channel, axil.read_if.ar_channel):
        channel.set_pause_generator(pauses(random.Random(rng.random())))

    for _ in range(20):
        words = {name: rng.getrandbits(32) for name in ("seed0", "seed1", "seed2")}
        identity = cocotb.start_soon(axil.read_dword(ADDRESS["ID"]))
        writes = [cocotb.start_soon(axil.write_dword(ADDRESS[name], value)) for name, value in words.items()]
        assert await identity == int.from_bytes(b"SLUC", "big")
        for write in writes:
            await write
        reads = {name: cocotb.start_soon(axil.read_dword(ADDRESS[name])) for name in words}
        assert {name: await read for name, read in reads.items()} == words

    assert (await axil.write(ADDRESS["ID"], bytes(4))).resp == AxiResp.SLVERR
    assert (await axil.read(0x7FC, 4)).resp == AxiResp.SLVERR
    await axil.write_dword(ADDRESS["limit"], 7)
    await axil.write_dword(ADDRESS["COMMIT"], 1)
    while await axil.read_dword(ADDRESS["COMMIT"]):
        pass
    assert await axil.read_dword(ADDRESS["limit"] + MAP["in_force_offset"]) == 7


@cocotb.test(timeout_time=400, timeout_unit="us")
@cocotb.parametrize(PERIODS)
async def time_comes_whole_in_order_and_soon(dut: Any, host: int, here: int, clock: int) -> None:
    """Each time that is seen is one that there was, never before the last one, and at most 7 cycles of the tile and 3 of its own
    clock old."""
    rng = random.Random(clock)
    until: dict[int, float] = {0: 0}

    async def ptp() -> None:
        now = 0
        while True:
            await RisingEdge(dut.time_clk)
            until[now] = get_sim_time("ps")
            now += 1 + rng.getrandbits(rng.randrange(1, 50))
            dut.time_ns.value = now

    await start(dut, {"host": host, "here": here, "clock": clock}, rng)
    cocotb.start_soon(ptp())
    seen, oldest = [], 0.0
    for row in range(600):
        await RisingEdge(dut.clk)
        await ReadOnly()
        now = int(dut.now_ns.value)
        seen.append(now)
        if row > 40:
            oldest = max(oldest, get_sim_time("ps") - until.get(now, get_sim_time("ps")))
    assert set(seen) <= set(until) | {max(seen)}
    assert all(before <= after for before, after in itertools.pairwise(seen))
    assert len(set(seen)) > 600 * here / (10 * here + 10 * clock)
    assert 3 * here < oldest <= 7 * here + 3 * clock
