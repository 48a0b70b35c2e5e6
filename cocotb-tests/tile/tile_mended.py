# SPDX-License-Identifier: Apache-2.0
"""What a tile mends of itself and says in FAULTS, as cocotb tests for a copy that has a port which upsets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.triggers import FallingEdge
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiResp
from lib.tile.mended import fault_bits
from tile.register_wires import ADDRESS, MAP, wires_of

from sluice.faults.mutants.upset_port import Upset

if TYPE_CHECKING:
    from tile.register_wires import Wires

OCCUPANCY, LENGTH, BUS = (fault_bits(MAP)[name] for name in ("occupancy", "length", "bus"))
SIZE = 1000
FLIPPED = {Upset.PACKETS: ("queue_packets", 1 << 7), Upset.BYTES: ("queue_bytes", 1 << 17)}
LONGEST_COMMIT = 1 << 14  # clocks
MOST_GAP = 30  # clocks between a packet and the next
PASS, DROP = 0, 2
CLOCK_NS = 4
QUIET = 60  # clocks after which nothing is in judgment


async def start(dut: Any) -> Wires:
    dut.upset.value = 0
    return await wires_of(dut)


async def clocks(dut: Any, count: int) -> None:
    for _ in range(count):
        await FallingEdge(dut.clk)


async def fill(dut: Any, count: int) -> None:
    """So many packets, which the link does not take."""
    dut.s_arrival_bytes.value, dut.s_arrival_valid.value = SIZE, 1
    await clocks(dut, count)
    dut.s_arrival_valid.value = 0
    await clocks(dut, QUIET)


async def verdict(dut: Any) -> int:
    """What becomes of one more packet."""
    dut.s_arrival_valid.value = 1
    await clocks(dut, 1)
    dut.s_arrival_valid.value = 0
    while not dut.m_verdict_valid.value:
        await FallingEdge(dut.clk)
    return int(dut.m_verdict_action.value)


async def empty(dut: Any, count: int) -> None:
    """Lets so many leave, or all there are."""
    dut.m_departure_ready.value = 1
    await clocks(dut, count)
    dut.m_departure_ready.value = 0
    await clocks(dut, QUIET)


async def faults(wires: Wires) -> int:
    """FAULTS, which is cleared."""
    seen = await wires.read(ADDRESS["FAULTS"])
    await wires.writes(("FAULTS", seen))
    assert await wires.read(ADDRESS["FAULTS"]) == 0
    return seen


async def count(wires: Wires, name: str) -> int:
    await wires.writes(("SNAPSHOT", 1))
    return await wires.read(ADDRESS[name])


@cocotb.test()
@cocotb.parametrize(upset=list(FLIPPED), queued=[100, 200])
async def a_count_begins_anew_once_the_queue_is_empty(dut: Any, upset: Upset, queued: int) -> None:
    """A flipped bit makes it too high until nothing is queued, which FAULTS says of packets alone, or so low that it would fall
    below 0 on the way."""
    wires = await start(dut)
    name, bit = FLIPPED[upset]
    is_low = queued == 200
    each = {"queue_packets": 1, "queue_bytes": SIZE}[name]
    for _ in range(2):
        await fill(dut, queued)
        assert await count(wires, name) == queued * each
        dut.upset.value = 1 << upset
        await clocks(dut, 1)
        dut.upset.value = 0
        assert await count(wires, name) == queued * each + (-bit if is_low else bit)
        assert await wires.read(ADDRESS["FAULTS"]) == 0
        if is_low:
            await empty(dut, queued // 2)
            assert await verdict(dut) == PASS
        await empty(dut, queued)
        assert await count(wires, name) == 0
        assert await faults(wires) == (OCCUPANCY if is_low or upset == Upset.PACKETS else 0)


@cocotb.test()
async def an_empty_queue_refuses_for_a_moment(dut: Any) -> None:
    """A count that is too high refuses what comes right behind the last packet, and nothing from the rest on."""
    wires = await start(dut)
    await wires.writes(("limit", 100), ("COMMIT", 1))
    refused = []
    for gap in range(MOST_GAP):
        await fill(dut, 1)
        dut.upset.value = 1 << Upset.PACKETS
        await clocks(dut, 1)
        dut.upset.value, dut.m_departure_ready.value = 0, 1
        await clocks(dut, 1 + gap)
        refused.append(await verdict(dut) == DROP)
        await empty(dut, 2)
    moment = sum(refused)
    assert 0 < moment < MOST_GAP
    assert refused == [True] * moment + [False] * (MOST_GAP - moment)


@cocotb.test()
async def a_set_that_is_never_in_force_is_given_up(dut: Any) -> None:
    """After 2^14 clocks in which other writes wait, and the next set has its turn."""
    wires = await start(dut)
    dut.upset.value = 1 << Upset.APPLIED
    since = get_sim_time("ns")
    await wires.writes(("limit", 40), ("COMMIT", 1), ("limit", 50))
    waited = (get_sim_time("ns") - since) // CLOCK_NS
    assert LONGEST_COMMIT < waited < LONGEST_COMMIT + 200, waited
    dut.upset.value = 0
    assert await faults(wires) == BUS
    await wires.writes(("COMMIT", 1))
    assert await wires.limits() == (50, 50, 0)
    assert await faults(wires) == 0


@cocotb.test()
async def an_access_without_an_answer_is_an_error(dut: Any) -> None:
    """Soon, and the next one is answered."""
    wires = await start(dut)
    for value in (None, 30):
        dut.upset.value = 1 << Upset.ANSWER
        assert await wires.answer(ADDRESS["limit"], value) == AxiResp.SLVERR
        dut.upset.value = 0
        assert await wires.answer(ADDRESS["limit"], value) == AxiResp.OKAY
        assert await faults(wires) == BUS


@cocotb.test()
@cocotb.parametrize(first=[LENGTH, BUS])
async def bits_are_cleared_one_by_one(dut: Any, first: int) -> None:
    """A length that has changed, and an access without an answer, each of which happens twice and is told once."""
    wires = await start(dut)
    await fill(dut, 8)
    dut.m_departure_ready.value = 1
    await clocks(dut, 2)
    dut.upset.value = 1 << Upset.LENGTH
    await clocks(dut, 2)
    dut.upset.value = 1 << Upset.ANSWER
    await empty(dut, 8)
    for _ in range(2):
        assert await wires.answer(ADDRESS["limit"]) == AxiResp.SLVERR
    dut.upset.value = 0
    assert await wires.read(ADDRESS["FAULTS"]) == LENGTH | BUS
    await wires.writes(("FAULTS", first))
    assert await faults(wires) == (LENGTH | BUS) ^ first
