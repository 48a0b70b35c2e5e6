# SPDX-License-Identifier: Apache-2.0
"""What only much traffic reaches, as cocotb tests for a tile whose core refuses nothing: limits at all levels, far counters."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.triggers import FallingEdge, Timer
from cocotb.utils import get_sim_time
from lib.simulation import registers
from lib.tile.bench import TileBench
from lib.tile.mended import FAR_NS, PATIENCE, fault_bits
from lib.witness import model_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

CONFIG = os.environ["SLUICE_CONFIG"]
LONGEST = (1 << 16) - 1
LIMIT_BYTES_BITS = 26
CLOCK_NS = 4
TIME_FAULT = fault_bits(registers(CONFIG))["time"]
STANDING = PATIENCE + 44  # clocks after which a time that is far behind was taken
QUIET = 60  # clocks after which nothing is in judgment and nothing counts late
SPELLS, SPELL = 33, 1 << 13  # clocks of one


async def bench_of(dut: Any) -> TileBench:
    bench = TileBench(dut, model_of(CONFIG), registers(CONFIG))
    await bench.start()
    return bench


def limits(rng: random.Random, most_packets: int) -> list[dict[str, int]]:
    """One limit decides and the other is out of the way: with each bit set below any others, in any order."""
    packets = [1 << bit for bit in range(most_packets.bit_length())]
    packets += [rng.randint(1, most_packets) for _ in packets] + [most_packets]
    octets = [1 << bit | rng.getrandbits(bit) for bit in range(LIMIT_BYTES_BITS) for _ in range(2)]
    sets = [{"limit": limit, "limit_bytes": (1 << LIMIT_BYTES_BITS) - 1} for limit in packets]
    sets += [{"limit": most_packets, "limit_bytes": limit} for limit in octets]
    rng.shuffle(sets)
    return sets


async def until_done(task: Any, play: Callable[[], Awaitable[None]]) -> Any:
    while not task.done():
        await play()
    return task.result()


async def rest(bench: TileBench) -> None:
    for _ in range(QUIET):
        await bench.step(0, None, is_ready=False)


async def to_the_last_byte(bench: TileBench, rng: random.Random) -> None:
    """Into the room that a departure leaves: the longest packets, one that is a byte too long, one that fits, one more byte."""
    await bench.step(0, None, is_ready=True)
    await rest(bench)
    longest, room = divmod(bench.model.limit_bytes - bench.model.bytes, LONGEST)
    for size in (*[LONGEST] * longest, room + 1, room, 1):
        await bench.step(0, bench.random_packet(rng, max(1, size)), is_ready=False)


async def check_counters(bench: TileBench) -> None:
    """While nothing moves all counters are the model's."""
    await rest(bench)
    seen = await bench.counters()
    for clocks in range(1, 4):
        await Timer(clocks * CLOCK_NS, "ns")
        assert await bench.captured() == seen, "a snapshot does not stay as it is"
    occupancy = {"queue_packets": bench.model.packets, "queue_bytes": bench.model.bytes}
    for name, value in seen.items():
        expected = (bench.model.counters | occupancy).get(name, 0)
        assert value == expected, f"{name}: tile {value}, model {expected}"
    assert await bench.read("FAULTS") == 0, "mended where nothing was broken"


@cocotb.test()
async def each_limit_decides(dut: Any) -> None:
    """Verdicts right at a limit, from one packet to a full ring and from one byte to more than 2^25."""
    rng = random.Random(21)
    bench = await bench_of(dut)
    model = bench.model
    most_bytes = 0

    def is_above() -> bool:
        return model.packets > model.limit or model.bytes > model.limit_bytes

    async def play() -> None:
        """Up to the limit, or down to it, and then beside it."""
        nonlocal most_bytes
        share = rng.choice((1, 1, 1, 2, 3, 100))
        size = max(1, min(LONGEST, model.limit_bytes) // share)
        packet = bench.random_packet(rng, size if rng.random() < 0.9 else rng.randint(1, LONGEST))
        is_beside = model.limit - model.packets < 8 or model.limit_bytes - model.bytes < 8 * LONGEST
        most_bytes = max(most_bytes, model.bytes)
        await bench.step(0, packet, is_ready=is_above() or (is_beside and rng.random() < 0.4))

    for number, values in enumerate(limits(rng, model.places)):
        assert await until_done(cocotb.start_soon(bench.configure(values)), play) == []
        while is_above():
            await play()
        before = model.counters["overlimit_drop"]
        for _ in range(3 * model.places):
            if model.counters["overlimit_drop"] >= before + 30:
                break
            await play()
        else:
            raise AssertionError(f"{values} were not reached")
        if values["limit"] == model.places:
            await to_the_last_byte(bench, rng)
        if number % 8 == 0:
            await check_counters(bench)
    await check_counters(bench)
    assert most_bytes > 1 << 25


@cocotb.test()
async def times_apart_by_any_bit(dut: Any) -> None:
    """Time is set back where every sample of long enough is behind by some bit and a unit more, and is not where it is behind by
    a unit in which all bits differ."""
    bench = await bench_of(dut)

    async def stand(*behind: int) -> None:
        for now in behind:
            for _ in range(-(-STANDING // len(behind))):
                await bench.step(now, None, is_ready=True)

    rng = random.Random(36)
    for number in range(6):
        latest = number + 1 << 60 | rng.getrandbits(60)
        await bench.step(latest, None, is_ready=True)
        await stand(latest - 2 * FAR_NS)
        assert await bench.read("FAULTS") == TIME_FAULT
        await bench.write("FAULTS", TIME_FAULT)
    await bench.step(1 << 63, None, is_ready=True)
    await stand((1 << 63) - 1)
    assert await bench.read("FAULTS") == 0
    latest = (1 << 64) - FAR_NS
    await bench.step(latest, None, is_ready=True)
    await stand(*(latest - (FAR_NS << bit) - FAR_NS for bit in range(28)))
    assert await bench.read("FAULTS") == TIME_FAULT


@cocotb.test()
async def counters_carry_far(dut: Any) -> None:
    """The longest packets in every clock, all sent and then all but one dropped: every counter wraps on the way."""
    bench = await bench_of(dut)
    dut.s_arrival_flow.value, dut.s_arrival_ecn.value = (1 << 32) - 1, 3
    dut.s_arrival_bytes.value = LONGEST
    offered = 0

    async def spells() -> dict[str, int]:
        """Counters read in between add up; those at the end are of a tile at rest."""
        nonlocal offered
        start = get_sim_time("ns")
        dut.s_arrival_valid.value = 1
        for number in range(SPELLS):  # odd counts and even ones
            await Timer((SPELL + number % 2) * CLOCK_NS, "ns")
            bench.check_sums(await bench.counters())
        await FallingEdge(dut.clk)
        dut.s_arrival_valid.value = 0
        offered += int(get_sim_time("ns") - start) // CLOCK_NS
        await Timer(QUIET * CLOCK_NS, "ns")
        return await bench.counters()

    dut.m_departure_ready.value = 1
    sent = await spells()
    assert sent["received_packets"] == sent["departed_packets"] == offered
    assert sent["received_bytes"] == sent["departed_bytes"] == offered * LONGEST > 1 << 34
    assert await bench.configure({"limit": 1}) == []
    dut.m_departure_ready.value = 0
    seen = await spells()
    dropped = offered - sent["departed_packets"] - 1
    assert seen["overlimit_drop"] == dropped
    assert seen["dropped_bytes"] == dropped * LONGEST > 1 << 34
    assert (seen["queue_packets"], seen["queue_bytes"]) == (1, LONGEST)
