# SPDX-License-Identifier: Apache-2.0
"""Cocotb tests of a whole datapath: what goes in comes out, whole and in order, or is counted as dropped."""

from __future__ import annotations

import cocotb
from cocotb.triggers import with_timeout
from datapath.bench import TB
from datapath.frames import MOST, random_frame, udp

TIMEOUT_US = 20_000


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
@cocotb.parametrize(idle=[0.0, 0.4], backpressure=[0.0, 0.5])
async def frames_pass(dut, idle: float, backpressure: float) -> None:
    """Every frame that was not dropped leaves, in order and byte for byte; the others are counted."""
    tb = TB(dut)
    await tb.start()
    tb.pause(idle, backpressure)
    sent = [random_frame(tb.rng) for _ in range(150)]
    for frame in sent:
        await tb.send(frame)
    await tb.settle()
    assert len(tb.verdicts) == len(tb.parsed) == len(sent)
    assert [seen["bytes"] for seen in tb.parsed] == [len(frame) for frame in sent]
    kept = [frame for frame, verdict in zip(sent, tb.verdicts, strict=True) if verdict.action != "drop"]
    for number, frame in enumerate(kept):
        assert await with_timeout(tb.receive(), 1, "us") == frame, f"frame {number} of {len(frame)} bytes"
    assert tb.sink.empty()
    counters = await tb.counters()
    tb.check_identities(counters)
    assert counters["input_frames"] == len(sent)
    assert counters["output_frames"] == len(kept)
    assert counters["output_bytes"] == sum(map(len, kept))


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def bad_and_overlong_frames_leave_no_trace(dut) -> None:
    """A frame with `tuser` at its end, and one longer than the longest, vanish; their neighbours do not."""
    tb = TB(dut)
    await tb.start()
    sent, kept = [], []
    for _ in range(60):
        kind = tb.rng.choice(("good", "bad", "overlong"))
        frame = udp(tb.rng, tb.rng.randint(60, 2000) if kind != "overlong" else MOST + tb.rng.randint(1, 3000))
        sent.append((kind, frame))
        if kind == "good":
            kept.append(frame)
        await tb.send(frame, bad=kind == "bad")
    await tb.settle()
    for frame in kept:
        assert await with_timeout(tb.receive(), 1, "us") == frame
    assert tb.sink.empty()
    counters = await tb.counters()
    tb.check_identities(counters)
    assert counters["bad_frames"] == sum(kind == "bad" for kind, _ in sent)
    assert counters["oversize_frames"] == sum(kind == "overlong" for kind, _ in sent)
    assert counters["oversize_bytes"] == sum(len(frame) for kind, frame in sent if kind == "overlong")
