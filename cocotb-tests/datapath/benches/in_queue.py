# SPDX-License-Identifier: Apache-2.0
"""Cocotb tests of a datapath whose tile drops and marks packets in its queue: a witness, which does so at random."""

from __future__ import annotations

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiStreamFrame
from datapath.benches.bench import PERIOD_NS, TB, Side
from datapath.frames.sized import MOST, random_frame, udp

NS_PER_BYTE_FRACTION = 18
ANSWER_NS = 64 * PERIOD_NS
"""More than the tile takes to answer an ask, with a restart in between."""
QUIET_CLOCKS = 10_000
"""More than the longest frame takes on the slow link."""


async def send(tb: TB, frame: bytes) -> Side:
    """Queue a frame for the input, with a side-band of its own."""
    side = Side(**{name: tb.rng.getrandbits(bits) for name, bits in tb.side_bits.items()})
    await tb.source.send(AxiStreamFrame(frame, tuser=side.user << 1, tid=side.id))
    return side


@cocotb.test(timeout_time=50, timeout_unit="ms")
@cocotb.parametrize(idle=[0.0, 0.5], backpressure=[0.0, 0.6])
async def what_is_dropped_in_the_queue_leaves_no_beat(dut, idle: float, backpressure: float) -> None:
    """What is kept leaves byte for byte and in order, marked where it was marked, with its side-band; m_left tells of each
    frame, and every snapshot in between adds up."""
    tb = TB(dut)
    await tb.start()
    tb.pause(idle, backpressure)
    snapshots, is_over = 0, False

    async def watch() -> None:
        nonlocal snapshots
        while not is_over:
            tb.check_identities(await tb.counters())
            snapshots += 1

    task = cocotb.start_soon(watch())
    sent = [random_frame(tb.rng) if i % 4 == 0 else udp(tb.rng, tb.rng.randint(60, 200), i % 3) for i in range(250)]
    sides = [await send(tb, frame) for frame in sent]
    await tb.source.wait()
    await ClockCycles(dut.clk, 2000)
    is_over = True
    await task
    await tb.settle()
    assert snapshots > 5
    assert [verdict.side for verdict in tb.verdicts] == sides
    admitted = [side for verdict, side in zip(tb.verdicts, sides, strict=True) if verdict.action != "drop"]
    assert [fate.side for fate in tb.left] == admitted
    left = [fate.side for fate in tb.left if fate.action != "drop"]
    for number, (frame, side) in enumerate(zip(tb.survivors(sent), left, strict=True)):
        seen = await with_timeout(tb.sink.recv(), 1, "us")
        assert bytes(seen.tdata) == frame, f"frame {number} of {len(frame)} bytes"
        assert (seen.tuser, seen.tid) == (side.user << 1, side.id)
    assert tb.sink.empty()
    counters = await tb.counters()
    tb.check_identities(counters)
    dropped = [fate for fate in tb.left if fate.action == "drop"]
    assert counters["queue_dropped_packets"] == len(dropped) > 10
    names = {reason["code"]: reason["name"].lower().replace(" ", "_") for reason in tb.map["reasons"]}
    fates = [*tb.verdicts, *tb.left]
    for code, name in names.items():
        assert counters[name] == sum(fate.reason == code for fate in fates), name


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def a_dropped_frame_takes_no_time_on_the_link(dut) -> None:
    """Behind a shaped link only what is kept is paid for, and no frame is judged before the link is free of the one before."""
    tb = TB(dut)
    await tb.start()
    ns_per_byte, overhead = 20, 24
    await tb.configure(ns_per_byte=ns_per_byte << NS_PER_BYTE_FRACTION, overhead=overhead)
    sent = [udp(tb.rng, tb.rng.randint(60, 600)) for _ in range(100)]
    await tb.send_all(sent)
    fates: list[tuple[int, str]] = []
    quiet = 0
    while quiet < QUIET_CLOCKS:
        await RisingEdge(dut.clk)
        quiet += 1
        if len(tb.left) > len(fates):
            fates.append((int(dut.now_ns.value), tb.left[-1].action))
            quiet = 0
    kept = iter(tb.survivors(sent))
    free, drops = 0, 0
    for now, action in fates:
        assert now >= free - ANSWER_NS, f"judged {free - now} ns before the link is free"
        if action == "drop":
            drops += 1
        else:
            start, free = now, now + (len(next(kept)) + overhead) * ns_per_byte
    total = sum((len(frame) + overhead) * ns_per_byte for frame in tb.survivors(sent)) - (free - start)
    assert drops > 5
    assert -ANSWER_NS < start - fates[0][0] - total < ANSWER_NS * drops
    assert [await tb.receive() for _ in tb.survivors(sent)] == tb.survivors(sent)


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def stalling_input_loses_nothing(dut) -> None:
    """With STALL the input waits while the buffer is full, also of frames that were dropped and whose turn has not come."""
    tb = TB(dut)
    await tb.start()
    await tb.configure(stall=1, limit=20)
    tb.pause(0.0, 0.8)
    await tb.check_stall([udp(tb.rng, tb.rng.choice((60, 60, 64, 1514, MOST))) for _ in range(100)])


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def a_blocked_output_overflows_nothing(dut) -> None:
    """With the output blocked and opened again, over and over, what finds no room is dropped whole and the rest is intact."""
    tb = TB(dut)
    await tb.start()
    sent = [udp(tb.rng, tb.rng.choice((60, 200, 1514, MOST))) for _ in range(250)]
    await tb.send_all(sent)
    while not tb.source.empty():
        tb.sink.pause = not tb.sink.pause
        await ClockCycles(dut.clk, tb.rng.choice((10, 200, 5000)))
    tb.sink.pause = False
    counters = await tb.check_out(sent)
    assert counters["overlimit_drop"] > 10
