# SPDX-License-Identifier: Apache-2.0
"""Cocotb tests of a datapath under load: overload, backpressure to the input, marks and the shaper."""

from __future__ import annotations

import itertools

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from datapath.benches.bench import PERIOD_NS, TB
from datapath.frames.packets import behind_tags
from datapath.frames.sized import MOST, udp

from sluice_golden.blocks.arithmetic.flow_hash import MODES, flow_id, flow_key
from sluice_golden.packets.frame_parser import parse

NS_PER_BYTE_FRACTION = 18
LONG = 2500
START_NS = 1_000_000_000
SECRET_CLOCKS = 16_500
"""Until a new secret is in force, by its page 16,384."""


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def overload_drops_whole_frames(dut) -> None:
    """With the output blocked the input goes on; what finds no room is dropped whole and counted."""
    tb = TB(dut)
    await tb.start()
    await tb.configure(limit=20, min=1000 << 14, max=2000 << 14)
    tb.sink.pause = True
    sent = [udp(tb.rng, tb.rng.randint(60, 3000)) for _ in range(100)]
    await tb.send_all(sent)
    await tb.source.wait()
    await ClockCycles(dut.clk, 300)
    counters = await tb.counters()
    tb.check_identities(counters)
    assert counters["overlimit_drop"] > 50
    tb.sink.pause = False
    await tb.check_out(sent)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def stalling_input_loses_nothing(dut) -> None:
    """With STALL the input waits while the buffer is full: no frame is over the limit."""
    tb = TB(dut)
    await tb.start()
    await tb.configure(stall=1, limit=20, min=1000 << 14, max=2000 << 14)
    tb.pause(0.0, 0.7)
    sent = [udp(tb.rng, tb.rng.choice((60, 64, 1514, MOST))) for _ in range(60)]
    await tb.check_stall(sent)
    assert tb.survivors(sent) == sent


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def marks_change_ecn_and_checksum_only(dut) -> None:
    """A marked frame leaves with CE and a right checksum, and otherwise byte for byte, whatever is in front of its IP header;
    only ECT frames are marked."""
    tb = TB(dut)
    await tb.start()
    # The average is the queue itself, and more and more frames are marked as it grows.
    await tb.configure(ecn=1, mark_most=1 << 31, min=1 << 14, max=140 << 14, probability=1 << 31, weight_exponent=0)
    tb.sink.pause = True
    sizes = [tb.rng.randint(74, 400) if i % 5 else tb.rng.randint(LONG, LONG + 100) for i in range(140)]
    sent = [udp(tb.rng, size, ecn=i % 4, version=tb.rng.choice((4, 6))) for i, size in enumerate(sizes)]
    sent = [behind_tags(tb.rng, frame) for frame in sent]
    await tb.send_all(sent)
    await tb.source.wait()
    await ClockCycles(dut.clk, 300)
    tb.sink.pause = False
    await tb.check_out(sent)
    marks = [len(frame) for frame, verdict in zip(sent, tb.verdicts, strict=True) if verdict.action == "mark"]
    assert len(marks) > 20, "the test must mark"
    assert sum(size >= LONG for size in marks) > 2, "and long frames too"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def shaper_keeps_the_rate(dut) -> None:
    """Frames start one cost apart, as on a link of that rate, and leave without gaps."""
    tb = TB(dut)
    await tb.start()
    ns_per_byte, overhead = 2.5 + PERIOD_NS / len(dut.m_axis_tkeep), 24  # slower than the streams
    await tb.configure(
        ns_per_byte=int(ns_per_byte * 2**NS_PER_BYTE_FRACTION), overhead=overhead, min=500 << 14, max=900 << 14
    )
    sent = [
        udp(tb.rng, MOST),
        *(udp(tb.rng, tb.rng.randint(60, 1500)) for _ in range(40)),
    ]  # gather behind the long one
    await tb.send_all(sent)
    starts, is_first = [], True
    while len(starts) < len(sent):
        await RisingEdge(dut.clk)
        if dut.m_axis_tvalid.value:
            if is_first:
                starts.append(int(dut.now_ns.value))
            is_first = bool(dut.m_axis_tlast.value)
        else:
            assert is_first, "a gap inside a frame"
    costs = [(len(frame) + overhead) * ns_per_byte for frame in sent]
    for number, cost in enumerate(costs[1:-1], 1):  # the first frame spends what the idle link had saved
        gap = starts[number + 1] - starts[number]
        assert abs(gap - cost) <= 2 * PERIOD_NS, f"frame {number}: {gap} ns, cost {cost} ns"
    assert abs(starts[-1] - starts[1] - sum(costs[1:-1])) <= 2 * PERIOD_NS, "errors do not add up"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def time_that_steps_back_stands_still(dut) -> None:
    """A clock that steps back by 1 ns every 4 us lets out what the link takes in the time that passes, and no more."""
    tb = TB(dut, with_time=False)
    await tb.start()
    glitches = 0

    async def pass_time() -> None:
        nonlocal glitches
        now = START_NS
        for clock in itertools.count(1):
            await RisingEdge(dut.clk)
            now += PERIOD_NS
            if clock % 1000 == 0:
                now -= PERIOD_NS + 1
                glitches += 1
            dut.now_ns.value = now

    cocotb.start_soon(pass_time())
    ns_per_byte, overhead, size = 80, 24, 300
    await tb.configure(
        ns_per_byte=ns_per_byte << NS_PER_BYTE_FRACTION,
        overhead=overhead,
        burst=1 << 17,
        min=400 << 14,
        max=900 << 14,
        limit=1000,
    )
    for _ in range(300):
        await tb.send(bytes(size))
    await Timer(60, "us")
    before = await tb.counters()
    await Timer(200, "us")
    after = await tb.counters()
    passed = after["output_frames"] - before["output_frames"]
    assert glitches > 60
    assert abs(passed - 200_000 / ((size + overhead) * ns_per_byte)) < 1


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_new_rate_holds_for_all_that_wait(dut) -> None:
    """From COMMIT on each frame that starts takes its time at the new rate; without a limit the debt of the last one ends too,
    also where time stands still."""
    tb = TB(dut, with_time=False)
    await tb.start()
    size, step_ns, now = 300, 100, START_NS
    starts: list[int] = []

    async def pass_time() -> None:
        nonlocal now
        is_first = True
        while True:
            await RisingEdge(dut.clk)
            now += step_ns
            dut.now_ns.value = now
            if dut.m_axis_tvalid.value:
                if is_first:
                    starts.append(now)
                is_first = bool(dut.m_axis_tlast.value)

    async def at(ns_per_byte: int) -> None:
        await tb.configure(ns_per_byte=ns_per_byte << NS_PER_BYTE_FRACTION)

    cocotb.start_soon(pass_time())
    await tb.configure(ns_per_byte=10_000 << NS_PER_BYTE_FRACTION, burst=0, min=400 << 14, max=900 << 14, limit=1000)
    sent = [tb.rng.randbytes(size) for _ in range(40)]
    await tb.send_all(sent)
    await tb.source.wait()
    await ClockCycles(dut.clk, 500)
    assert len(starts) == 1, "the link is slow"

    await at(40)
    now += 10_000 * size  # the first frame ends at the rate at which it began
    behind = len(starts)
    await ClockCycles(dut.clk, 12 * 40 * size // step_ns)
    gaps = [later - earlier for earlier, later in itertools.pairwise(starts[behind:])]
    assert len(gaps) >= 10
    assert all(abs(gap - 40 * size) <= 2 * step_ns for gap in gaps), gaps

    await at(10_000)
    behind = len(starts)
    await ClockCycles(dut.clk, 5000)
    assert len(starts) <= behind + 1, "each frame that starts takes its time at the rate of its start"

    step_ns = 0
    await at(0)
    await tb.check_out(sent)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_new_secret_costs_no_frame(dut) -> None:
    """The host writes another secret while frames come and leave, twice: all leave, whole and in order. Ids are of the old one
    until the first word is written, and of the new one when its words say that it is in force."""
    tb = TB(dut)
    await tb.start()
    await tb.configure(min=1000 << 14, max=2000 << 14)
    tb.pause(0.2, 0.2)
    ids: list[int] = []
    cocotb.start_soon(tb._watch(dut.m_flow_valid, lambda: ids.append(int(dut.m_flow_id.value))))
    words = [word for word in tb.map["registers"] if word["name"].startswith("SECRET")]
    expected = b"".join(word["reset"].to_bytes(4, "big") for word in words)
    sent = []

    async def judged(secret: bytes) -> None:
        """Frames whose ids are those of a secret."""
        frames = [udp(tb.rng, 200) for _ in range(8)]
        await tb.send_all(frames)
        sent.extend(frames)
        await tb.source.wait()
        await ClockCycles(dut.clk, 300)
        assert ids[-len(frames) :] == [flow_id(secret, *flow_key(frame, parse(frame), MODES[0])) for frame in frames]

    for _ in range(2):
        await judged(expected)
        meanwhile = [udp(tb.rng, tb.rng.randint(60, 300)) for _ in range(120)]
        await tb.send_all(meanwhile)
        sent.extend(meanwhile)
        expected = tb.rng.randbytes(4 * len(words))
        for i, word in enumerate(words):
            await tb.write(word["name"], int.from_bytes(expected[4 * i : 4 * i + 4], "big"))
        assert not tb.source.empty(), "frames come all the time"
        assert await tb.read("SECRET0") == 1
        await ClockCycles(dut.clk, SECRET_CLOCKS)
        assert await tb.read("SECRET0") == 0
    await judged(expected)
    await tb.check_out(sent)
    assert await tb.read("FAULTS") == 0
