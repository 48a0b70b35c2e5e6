# SPDX-License-Identifier: Apache-2.0
"""The register bus at any pace, as cocotb tests for any tile."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from tile.register_wires import ADDRESS, IN_FORCE, MAP, OUTPUTS, bench_of, wires_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def _pauses(rng: random.Random) -> Iterator[int]:
    while True:
        share = rng.choice((0.0, 0.3, 0.9))
        yield from (int(rng.random() < share) for _ in range(rng.randrange(1, 40)))


async def _watch(dut: Any, broken: list[str]) -> None:
    """AXI's rule for each channel that the block drives: an answer stays as it is until it is taken."""
    channels = {"b": ("bresp",), "r": ("rresp", "rdata")}
    offered: dict[str, tuple[int, ...] | None] = dict.fromkeys(channels)
    while True:
        await RisingEdge(dut.clk)
        for name, payload in channels.items():
            is_valid = bool(getattr(dut, f"s_axil_{name}valid").value)
            seen = tuple(int(getattr(dut, f"s_axil_{part}").value) for part in payload)
            if offered[name] is not None and (not is_valid or seen != offered[name]):
                broken.append(f"{name}: {offered[name]} became {seen if is_valid else 'nothing'}")
            is_taken = bool(getattr(dut, f"s_axil_{name}ready").value)
            offered[name] = seen if is_valid and not is_taken else None


@cocotb.test()
async def any_pace(dut: Any) -> None:
    """Writes, reads and commits at once with random pauses on all channels: the block is what a list of words would be."""
    bench = await bench_of(dut)
    rng = random.Random(5)
    write, read = bench.axil.write_if, bench.axil.read_if
    for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel):
        channel.set_pause_generator(_pauses(random.Random(rng.random())))
    broken: list[str] = []
    cocotb.start_soon(_watch(dut, broken))
    names = ["limit", "limit_bytes", "seed0", "seed1", "seed2"]
    staged, in_force = dict(bench.raw), dict(bench.raw)
    refusals = 0
    for _ in range(60):
        written = {name: rng.choice((0, 1, 20, 77, 1000)) for name in rng.sample(names, rng.randrange(1, 4))}
        writes = [cocotb.start_soon(bench.write(name, value)) for name, value in written.items()]
        reading = cocotb.start_soon(bench.read("VERSION"))
        for task in writes:
            await task
        staged |= written
        assert await reading == MAP["registers"][1]["reset"]
        seen = {name: cocotb.start_soon(bench.read(name)) for name in names}
        assert {name: await task for name, task in seen.items()} == {name: staged[name] for name in names}
        if rng.random() < 0.5:
            refused = await bench.configure({})
            refusals += bool(refused)
            if refused:
                staged = dict(in_force)
            else:
                in_force = dict(staged)
        for name in names:
            assert await bench.axil.read_dword(ADDRESS[name] + IN_FORCE) == in_force[name]
    assert 5 < refusals < 30
    assert not broken


@cocotb.test()
async def no_path_goes_through(dut: Any) -> None:
    """No output of the bus follows an input within a clock."""
    ports = (await wires_of(dut)).port
    rng = random.Random(6)
    ones = ("awvalid", "wvalid", "bready", "arvalid", "rready")
    words = itertools.cycle((ADDRESS["limit"], ADDRESS["COMMIT"], ADDRESS["VERSION"], 0x3C))
    for _ in range(500):
        await FallingEdge(dut.clk)
        for name in ones:
            ports[name].value = rng.getrandbits(1)
        ports["awaddr"].value, ports["araddr"].value = next(words), next(words)
        await Timer(100, "ps")
        shown = {name: int(ports[name].value) for name in OUTPUTS}
        for name in ones:
            old = int(ports[name].value)
            ports[name].value = 1 - old
            await Timer(50, "ps")
            assert {output: int(ports[output].value) for output in OUTPUTS} == shown, f"{name} is seen at once"
            ports[name].value = old
            await Timer(50, "ps")
