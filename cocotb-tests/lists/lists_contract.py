# SPDX-License-Identifier: Apache-2.0
"""What a tile of many queues promises its host, as cocotb tests: words of the queue that it selects."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from lib.simulation import registers
from lib.tile.bench import TileBench
from lib.witness import model_of

from sluice.hardware.registers import RegisterMap
from sluice_golden.core import Packet

CONFIG = os.environ["SLUICE_CONFIG"]
COLOURS = 3
LEVELS = 8
HAS_LEVELS = "SELECTED_LEVEL" in RegisterMap(registers(CONFIG)).addresses


async def bench_of(dut: Any) -> TileBench:
    bench = TileBench(dut, model_of(CONFIG), registers(CONFIG))
    await bench.start()
    return bench


async def check_own_numbers(dut: Any, word: str, of_all: str, most: int) -> None:
    """What was written for a queue reads back, of others what the parameter `of_all` says, or 0 where there is none; 0 makes it
    one of these again, and a reset all."""
    rng = random.Random(7)
    bench = await bench_of(dut)
    queues = len(bench.model.of_queues)

    async def number_of(queue: int) -> int:
        await bench.write("QUEUE_SELECT", queue)
        assert await bench.read("QUEUE_SELECT") == queue
        return await bench.read(word)

    async def set_and_read() -> None:
        own: dict[int, int] = {}
        for i in range(60):
            if of_all and i in (20, 40):
                assert await bench.configure({of_all: most * i // 60}) == []
            others = bench.raw[of_all] if of_all else 0
            queue = rng.choice((0, queues - 1, rng.randrange(queues), *own))
            assert await number_of(queue) == (own.get(queue) or others)
            own[queue] = rng.choice((0, 1, rng.randint(0, most), most))
            await bench.write(word, own[queue])
            assert await bench.read(word) == (own[queue] or others)
        for queue, number in own.items():
            assert await number_of(queue) == (number or others)

    for _ in range(3):
        told = cocotb.start_soon(set_and_read())
        while not told.done():
            await bench.step(0, None, is_ready=False)
        told.result()
        await bench.reset(2)


@cocotb.test()
async def each_queue_has_its_quantum(dut: Any) -> None:
    await check_own_numbers(dut, "SELECTED_QUANTUM", "queue_quantum", (1 << 20) - 1)


@cocotb.test()
async def each_queue_has_its_alpha(dut: Any) -> None:
    await check_own_numbers(dut, "SELECTED_ALPHA", "queue_alpha", 16)


@cocotb.test(skip=not model_of(CONFIG).profiles)
async def each_queue_has_its_profiles(dut: Any) -> None:
    await check_own_numbers(dut, "SELECTED_PROFILE", "", model_of(CONFIG).profiles ** COLOURS - 1)


@cocotb.test(skip=not model_of(CONFIG).profiles)
async def colours_change_between_two_packets(dut: Any) -> None:
    """A packet in each clock, each of any DSCP, of a queue whose green ones pass, yellow ones are dropped and red ones too where
    more is queued: which of them is what, says the table of the clock in which it comes. Where packets are judged at the head
    so many queues that one is in each clock."""
    rng = random.Random(11)
    bench = await bench_of(dut)
    lists = bench.model.lists
    queues = (5,) if lists else range(32)
    long = 30_000 // len(queues)

    async def set_one(raw: dict[str, int]) -> None:
        assert await bench.configure(raw) == []

    async def beside(done: Any, packets: bool) -> None:
        while not done.done():
            queue, dscp = rng.choice(queues), rng.getrandbits(6)
            packet = Packet(rng.getrandbits(32), 64, 0, queue=queue, dscp=dscp) if packets else None
            await bench.step(0, packet, is_ready=lists is None or len(lists.picked) > 8)
        done.result()

    for number, threshold in ((1, 1), (2, long)):
        drops = {"profile": number, "enable": 1, "min_threshold": threshold, "max_threshold": threshold}
        await beside(cocotb.start_soon(set_one(drops)), packets=False)
    for queue in queues:
        bench.profiles[queue] = 0x210
        for word in (("QUEUE_SELECT", queue), ("SELECTED_PROFILE", 0x210)):
            await beside(cocotb.start_soon(bench.write(*word)), packets=False)
    await beside(cocotb.start_soon(set_one({"limit": 4000})), packets=False)
    for _ in range(12):
        table = {f"dscp_colours{word}": rng.getrandbits(32) for word in range(4)}
        await beside(cocotb.start_soon(set_one(table)), packets=True)
    counted = bench.model.counters
    assert bench.checked > 800
    assert min(counted["wred_drop"], bench.checked - counted["wred_drop"]) > 200


@cocotb.test(skip=not HAS_LEVELS)
async def each_queue_has_its_level(dut: Any) -> None:
    await check_own_numbers(dut, "SELECTED_LEVEL", "", LEVELS - 1)


@cocotb.test(skip=not HAS_LEVELS)
async def a_level_holds_from_the_next_turn_on(dut: Any) -> None:
    """Queues whose levels change while they have packets and no turn is under way, as the link takes none."""
    rng = random.Random(13)
    bench = await bench_of(dut)
    queues = rng.sample(range(len(bench.model.of_queues)), 12)

    async def change() -> None:
        for queue in rng.sample(queues, 6):
            bench.levels[queue] = rng.randrange(LEVELS)
            await bench.write("QUEUE_SELECT", queue)
            await bench.write("SELECTED_LEVEL", bench.levels[queue])
        assert await bench.configure({"queue_quantum": rng.choice((300, 1514, 9600))}) == []

    for _ in range(6):
        for i in range(400):
            await bench.step(0, Packet(i, rng.choice((64, 1500)), 0, queue=rng.choice(queues)), is_ready=False)
        changed = cocotb.start_soon(change())
        while not changed.done():
            await bench.step(0, None, is_ready=False)
        changed.result()
        for _ in range(1200):
            await bench.step(0, None, is_ready=rng.random() < 0.25)
    assert bench.departed > 1000


@cocotb.test()
async def what_no_queue_can_have_is_refused(dut: Any) -> None:
    """A number that is too wide, with SLVERR, and what was there stays."""
    bench = await bench_of(dut)
    await bench.step(0, None, is_ready=False)
    for name, wide in (
        ("QUEUE_SELECT", 1 << (len(bench.model.of_queues) - 1).bit_length()),
        ("SELECTED_QUANTUM", 1 << 20),
        ("SELECTED_ALPHA", 1 << 5),
        ("SELECTED_LEVEL", LEVELS),
        ("SELECTED_PROFILE", model_of(CONFIG).profiles ** COLOURS),
    ):
        if name not in bench.map.addresses:
            continue
        before = await bench.read(name)
        answer = await bench.axil.write(bench.map.addresses[name], wide.to_bytes(4, "little"))
        assert int(answer.resp) == 2, f"{name}: {answer.resp}"
        assert await bench.read(name) == before


@cocotb.test(skip="selected_packets" not in RegisterMap(registers(CONFIG)).counters)
async def a_reset_begins_the_counters_of_queues_anew(dut: Any) -> None:
    """Of queues that had packets, at once and however often."""
    rng = random.Random(3)
    bench = await bench_of(dut)
    queues = len(bench.model.of_queues)
    found: dict[str, int] = {}

    async def look() -> None:
        await bench.write("QUEUE_SELECT", 5)
        found.update(await bench.counters())

    for _ in range(3):
        for is_reset in (False, True):
            if is_reset:
                await bench.reset(1)
            else:
                for i in range(300):
                    packet = Packet(i, 64, 0, queue=rng.choice((5, 5, rng.randrange(queues))))
                    await bench.step(0, packet, is_ready=rng.random() < 0.2)
            looking = cocotb.start_soon(look())
            while not looking.done():
                await bench.step(0, None, is_ready=False)
            accepted = found["selected_accepted_packets"]
            assert accepted == 0 if is_reset else accepted > 50, found
