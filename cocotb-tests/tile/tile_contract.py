# SPDX-License-Identifier: Apache-2.0
"""The tile's promises as cocotb tests, for any core."""

from __future__ import annotations

import itertools
import os
import random
from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.triggers import FallingEdge
from lib.simulation import catalog, registers
from lib.tile.bench import TileBench
from lib.tile.looks import compare, counters_of
from lib.witness import model_of

from sluice_golden.tile.many_queues.lists import TURN

if TYPE_CHECKING:
    from sluice_golden.core import Packet

CONFIG = os.environ["SLUICE_CONFIG"]
WITNESSES = catalog()["witnesses"]
SIZES = (64, 64, 576, 1000, 1500, 9600)
RING_CLOCKS = 5  # from the clock before a verdict is on the port, when the model queues the packet, to its descriptor


async def bench_of(dut: Any) -> TileBench:
    bench = TileBench(dut, model_of(CONFIG), registers(CONFIG))
    await bench.start()
    return bench


def random_packet(bench: TileBench, rng: random.Random) -> Packet:
    return bench.random_packet(rng, rng.choice(SIZES))


def of_queues(bench: TileBench, rng: random.Random) -> dict[str, int]:
    """Limits and quanta of some of several queues."""
    choices = {
        "limit": (1, 5, 30, bench.model.places_of_queue),
        "limit_bytes": (1, 9600, 50_000, (1 << 26) - 1),
        "quantum": (1514, 9600, (1 << 20) - 1) if bench.model.is_listed else (0, 300, 1514, 9600, (1 << 20) - 1),
    }
    which = [""] if bench.model.is_listed else range(len(bench.model.of_queues))
    names = {f"queue{i}_{what}": values for i in which for what, values in choices.items()}
    return {name: rng.choice(values) for name, values in names.items() if name in bench.raw and rng.random() < 0.3}


async def drain(bench: TileBench, now_ns: int) -> None:
    while not bench.model.is_idle() or bench.due is not None or bench.model.holds:
        await bench.step(now_ns, None, is_ready=True)
    for _ in range(20):
        await bench.step(now_ns, None, is_ready=False)


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    """Verdicts, occupancy, descriptors and limits under random arrivals, departures and parameter sets."""
    rng = random.Random(4711)
    bench = await bench_of(dut)
    sets = 0

    async def reconfigure() -> None:
        nonlocal sets
        while True:
            seeds = {f"seed{i}": rng.randrange(16, 1 << 32) for i in range(3)} if rng.random() < 0.3 else {}
            limits = {
                "limit": rng.choice((1, 5, 30, bench.raw["limit"])),
                "limit_bytes": rng.choice((1, 9600, 50_000, (1 << 26) - 1)),
            }
            assert await bench.configure(limits | seeds | of_queues(bench, rng)) == []
            sets += 1

    task = cocotb.start_soon(reconfigure())
    now = 0
    for stretch in range(40):
        load, drain_rate = rng.choice(((1.0, 0.9), (1.0, 1.0), (0.5, 0.6), (0.2, 0.1), (0.9, 0.05), (0.02, 0.5)))
        bench.ahead = rng.choice((1, 1, 2, 31))
        for _ in range(500):
            now += rng.choice((0, 3, 800_000)) if stretch % 3 else 4
            packet = random_packet(bench, rng) if rng.random() < load else None
            await bench.step(now, packet, is_ready=rng.random() < drain_rate)
    task.cancel()
    assert bench.checked > 8000
    assert (
        bench.departed + bench.dropped > (500 if bench.model.fair else 1000)  # some turns are needed for a large packet
    )  # at the head: COBALT learns to drop nearly all of what overflows so often
    assert bench.departed > 100
    held = sum(ticker.ticks * ticker.spacing for ticker in bench.model.tickers.values())  # no set enters meanwhile
    assert sets > 50 * (1 - min(held, bench.cycle) / bench.cycle)
    if CONFIG in WITNESSES:
        assert bench.dropped > 100 or not bench.is_asked
        assert bench.thrown > 100 or not bench.model.core.takes_victims
    await drain(bench, now)
    bench.check_status()
    assert not bench.model.core.status().get("disagreed"), "a witness counts other packets than it is told of"
    assert await bench.read("FAULTS") == 0, "mended where nothing was broken"


@cocotb.test()
async def full_rate(dut: Any) -> None:
    """One arrival and one departure in every clock, for 2,000 clocks without a gap. A scheme that is told a buffer is told one
    that holds all of it."""
    rng = random.Random(1)
    bench = await bench_of(dut)
    told_most = ("buffer", "queue_quantum")  # and of lists that a packet leaves on each turn
    most = {p["name"]: (1 << p["width"]) - 1 for p in bench.registers["parameters"] if p["name"] in told_most}
    told = cocotb.start_soon(bench.configure(most))
    while not told.done():
        await bench.step(0, None, is_ready=False)
    longest = first = 0
    for i in range(2000):
        await bench.step(4 * i, random_packet(bench, rng), is_ready=True)
        longest = max(longest, bench.model.holds)
        first = first or i * bool(bench.departed)
    if bench.model.scheduled is None:
        assert bench.departed > 1000, bench.model.counters
    else:  # from one to the next; of few lists at least what one of them lets go
        clocks = TURN if bench.model.lists else 5 if bench.model.core.picks_late else 2
        assert bench.departed >= (2000 - first) // clocks, bench.model.counters
    if not bench.is_asked and bench.model.scheduled is None:  # a restart at the head costs some clocks
        assert longest <= RING_CLOCKS, f"{longest} packets wait for a link that is always free"
    await drain(bench, 8000)
    assert bench.checked == 2000


@cocotb.test(skip=CONFIG not in ("droptail", "droptail-4q", "red", "choke"))
async def a_packet_counts_until_some_clocks_after_it_left(dut: Any) -> None:
    """As docs/overview.md has it, of a queue that has room for one: the next is let in in the clock behind the last one in which
    the one that left still counts, and its verdict is on the port a clock later."""
    rng = random.Random(5)
    bench = await bench_of(dut)
    clocks = 3 if bench.model.core.takes_victims else 2
    told = cocotb.start_soon(bench.configure({"limit": 1}))
    while not told.done():
        await bench.step(0, None, is_ready=False)
    found = 0
    for clock in range(400):
        before = bench.departed
        await bench.step(4 * clock, random_packet(bench, rng), is_ready=clock % 40 == 0)
        if bench.departed > before:
            left = bench.cycle
        if bench.ports.m_verdict_valid.value and int(bench.ports.m_verdict_action.value) != 2 and bench.departed:
            assert bench.cycle == left + clocks + 2
            found += 1
    assert found > 3


@cocotb.test(skip=CONFIG in WITNESSES or not hasattr(cocotb.top, "s_ask_valid"))
async def asks_that_nobody_takes(dut: Any) -> None:
    """What docs/overview.md says of a link that asks in every clock and takes nothing: so many asks are taken, and so many
    packets leave when it takes them."""
    bench = await bench_of(dut)
    for i in range(300):
        await bench.step(0, random_packet(bench, random.Random(i)), is_ready=False)
    await bench.step(0, None, is_ready=False)
    dut.s_ask_valid.value = 1
    taken = 0
    for _ in range(20_000 if bench.model.fair else 300):  # turns of no packet take their time
        taken += bool(dut.s_ask_ready.value)
        await FallingEdge(dut.clk)
    assert bench.model.asked
    assert taken == bench.model.asked.places + 31
    dut.s_ask_valid.value = 0
    dut.m_departure_ready.value = 1
    left = 0
    for _ in range(600):
        left += bool(dut.m_departure_valid.value)
        await FallingEdge(dut.clk)
    assert left == taken


@cocotb.test()
async def counters_add_up(dut: Any) -> None:
    """Every snapshot taken in the middle of traffic adds up, and the last one equals the model's."""
    rng = random.Random(2)
    bench = await bench_of(dut)
    snapshots: list[dict[str, int]] = []

    async def watch() -> None:
        while True:
            snapshots.append(await bench.counters())

    task = cocotb.start_soon(watch())
    counted = 0 if bench.model.is_listed else len(bench.model.of_queues)
    for i in range(6000 + 2000 * counted):  # each queue has counters of its own to read
        await bench.step(
            900 * i, random_packet(bench, rng) if rng.random() < 0.7 else None, is_ready=rng.random() < 0.5
        )
    task.cancel()
    assert len(snapshots) > 10
    for snapshot in snapshots:
        bench.check_sums(snapshot)

    final: dict[str, int] = {}

    async def take() -> None:
        final.update(await bench.counters())

    await drain(bench, 6000 * 900)
    last = cocotb.start_soon(take())
    while not last.done():
        await bench.step(6000 * 900, None, is_ready=False)
    compare(bench.cycle, final, counters_of(bench.model, queue=0))
    assert final["received_packets"] > 4000


@cocotb.test()
async def reads_may_be_held_back(dut: Any) -> None:
    """Reads one right behind the other, of a host that takes its answers late, each get their own word."""
    bench = await bench_of(dut)
    await bench.step(0, None, is_ready=False)
    bench.axil.read_if.r_channel.set_pause_generator(itertools.cycle((1, 1, 1, 0)))
    reads = {name: cocotb.start_soon(bench.read(name)) for name in bench.raw}
    assert {name: await read for name, read in reads.items()} == bench.raw


@cocotb.test()
async def illegal_sets_are_refused(dut: Any) -> None:
    """Each illegal word, also one that is a single bit above what the ring takes, is refused with the name of a rule, reads back
    as before, and does not spoil the next set."""
    bench = await bench_of(dut)
    illegal = [("limit", 0, "limit_in_ring"), ("seed0", 1, "seed0_at_least_2"), ("seed2", 15, "seed2_at_least_16")]
    most = bench.model.places
    illegal += [("limit", most | 1 << bit, "limit_in_ring") for bit in range(18) if not most >> bit & 1]
    model = model_of(CONFIG)
    for p in bench.registers["parameters"]:
        if p["name"] in model.defaults():
            values = (0, (1 << p["width"]) - 1)
            refused = [v for v in values if not model.is_legal(model.defaults() | {p["name"]: v})]
            illegal += [(p["name"], value, "") for value in refused]

    async def check() -> None:
        for name, value, rule in illegal:
            before = {p: await bench.read(p) for p in bench.raw}
            broken = await bench.configure({name: value, "limit_bytes": 12345})
            assert broken, f"{name} = {value} was accepted"
            assert broken == [rule] or not rule
            assert {p: await bench.read(p) for p in bench.raw} == before
        assert await bench.configure({"limit": 17}) == []
        assert await bench.read("limit") == 17
        assert await bench.read("limit_bytes") == bench.raw["limit_bytes"]

    task = cocotb.start_soon(check())
    rng = random.Random(3)
    cycle = 0
    while not task.done():
        await bench.step(
            4 * cycle, random_packet(bench, rng) if rng.random() < 0.5 else None, is_ready=rng.random() < 0.5
        )
        cycle += 1
    task.result()
