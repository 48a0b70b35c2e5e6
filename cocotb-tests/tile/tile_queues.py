# SPDX-License-Identifier: Apache-2.0
"""What a tile with several queues promises of them, as cocotb tests; of order and shares where its core keeps all packets."""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import cocotb
from lib.simulation import catalog, registers
from lib.tile.bench import TileBench
from lib.witness import model_of

from sluice_golden.core import Packet
from sluice_golden.tile.queues import AHEAD

if TYPE_CHECKING:
    from sluice_golden.tile.queue import Queued

CONFIG = os.environ["SLUICE_CONFIG"]
SETTINGS = next(c["settings"] for c in catalog()["configs"] if c["name"] == CONFIG)
QUEUES = range(SETTINGS["queues"])
IS_DRR = SETTINGS["scheduler"] == "drr"
KEEPS_ALL = not model_of(CONFIG).reasons


async def bench_of(dut: Any) -> TileBench:
    bench = TileBench(dut, model_of(CONFIG), registers(CONFIG))
    await bench.start()
    return bench


async def fill(bench: TileBench, packets: list[Packet]) -> None:
    """Packets in every clock, to a link that takes none, and then nothing until all are queued."""
    for packet in packets:
        await bench.step(0, packet, is_ready=False)
    for _ in range(60):
        await bench.step(0, None, is_ready=False)


async def departures(bench: TileBench, clocks: int) -> list[tuple[int, Queued]]:
    """Who leaves for a link that is always free, in so many clocks, and when."""
    seen: list[tuple[int, Queued]] = []
    for _ in range(clocks):
        before, first = bench.departed, bench.oldest
        await bench.step(0, None, is_ready=True)
        if bench.departed > before and first is not None:
            seen.append((bench.cycle, first))
    return seen


@cocotb.test(skip=not KEEPS_ALL)
@cocotb.parametrize(queue=[None, 0, 1])
async def one_leaves_in_two_clocks(dut: Any, queue: int | None) -> None:
    """Whether packets wait in all queues or in one."""
    bench = await bench_of(dut)
    count = min(120, bench.model.places_of_queue)
    await fill(bench, [Packet(i, 64, 0, queue=i % len(QUEUES) if queue is None else queue) for i in range(count)])
    seen = await departures(bench, 260)
    assert len(seen) == count
    assert seen[-1][0] - seen[AHEAD][0] == 2 * (count - 1 - AHEAD)


@cocotb.test(skip=not KEEPS_ALL or IS_DRR)
async def lower_numbers_go_first(dut: Any) -> None:
    """All that wait leave in the order of their queues, each queue in its own, but for those that were picked before."""
    bench = await bench_of(dut)
    rng = random.Random(5)
    packets = [Packet(i, 1000, 0, queue=rng.choice(QUEUES)) for i in range(200)]
    await fill(bench, packets)
    seen = [packet for _, packet in await departures(bench, 450)]
    early, late = seen[:AHEAD], seen[AHEAD:]
    assert [(p.queue, p.flow) for p in late] == sorted((p.queue, p.flow) for p in late)
    assert {p.flow for p in early} | {p.flow for p in late} == {p.flow for p in packets}


@cocotb.test(skip=not KEEPS_ALL or not IS_DRR)
@cocotb.parametrize(pause=[0, 8])
async def shares_follow_the_quanta(dut: Any, pause: int) -> None:
    """Queues that always have packets, of other sizes each, send bytes as their quanta are; on a link that pauses too."""
    bench = await bench_of(dut)
    quanta = [1514 * (1 + queue % 3) for queue in QUEUES]
    told = cocotb.start_soon(bench.configure({f"queue{queue}_quantum": quanta[queue] for queue in QUEUES}))
    while not told.done():
        await bench.step(0, None, is_ready=False)
    sizes, sent = (300, 1500, 700, 1000), Counter[int]()
    for clock in range(6000 + 6000 * (pause > 0)):
        queue = min(QUEUES, key=lambda queue: bench.model.of_queues[queue].packets)
        before, first = bench.departed, bench.oldest
        await bench.step(0, Packet(clock, sizes[queue % 4], 0, queue=queue), is_ready=pause == 0 or clock % pause == 0)
        if bench.departed > before and first is not None:
            sent[first.queue] += first.size
    whole = sum(sent.values())
    for queue in QUEUES:
        assert abs(sent[queue] / whole - quanta[queue] / sum(quanta)) < 0.01, sent


@cocotb.test(skip=not (KEEPS_ALL and IS_DRR))
@cocotb.parametrize(held=[1, 2, 3, 4])
async def a_queue_refilled_as_it_empties(dut: Any, held: int) -> None:
    """Beside one that is always full, a queue that always holds so few packets, refilled when one has left, gets what
    docs/queues.md says of the link, at a packet in eight clocks."""
    bench = await bench_of(dut)
    told = cocotb.start_soon(bench.configure({f"queue{queue}_quantum": 1514 for queue in QUEUES}))
    while not told.done():
        await bench.step(0, None, is_ready=False)
    await fill(bench, [Packet(1, 1514, 0, queue=0)] * 250 + [Packet(2, 1514, 0, queue=1)] * held)
    sent: Counter[int] = Counter()
    packet = None
    for clock in range(8 * 1200):
        before, first = bench.departed, bench.oldest
        await bench.step(0, packet, is_ready=clock % 8 == 0)
        packet = None
        if bench.departed > before and first is not None:
            sent[first.queue] += 1
            packet = Packet(3, 1514, 0, queue=first.queue)
    assert abs(sent[1] / sent.total() - {1: 1 / 6, 2: 1 / 3}.get(held, 1 / 2)) < 0.01, sent


@cocotb.test(skip=not KEEPS_ALL)
async def a_full_queue_leaves_the_others_alone(dut: Any) -> None:
    """One queue is offered more than its limit, in packets or in bytes, and drops; the others keep all they are offered."""
    bench = await bench_of(dut)
    limits = {"queue0_limit": 7, "queue1_limit_bytes": 9 * 64}
    told = cocotb.start_soon(bench.configure(limits))
    while not told.done():
        await bench.step(0, None, is_ready=False)
    await fill(bench, [Packet(i, 64, 0, queue=i % len(QUEUES)) for i in range(50 * len(QUEUES))])
    counters = bench.model.counters
    assert [counters[f"queue{queue}_dropped_packets"] for queue in QUEUES] == [43, 41, *[0] * (len(QUEUES) - 2)]
    assert counters["overlimit_drop"] == 84


@cocotb.test()
async def a_reset_at_any_time_empties_all(dut: Any) -> None:
    """Resets of one clock or a few in the middle of traffic; after each the tile is a new one."""
    rng = random.Random(6)
    bench = await bench_of(dut)
    for _ in range(40):
        drain_rate = rng.choice((0.1, 0.5, 1.0))
        for clock in range(rng.randrange(1, 300)):
            packet = bench.random_packet(rng, rng.choice((64, 1500))) if rng.random() < 0.8 else None
            await bench.step(clock, packet, is_ready=rng.random() < drain_rate)
        await bench.reset(rng.choice((1, 1, 2, 5)))
    assert bench.checked > 2000
