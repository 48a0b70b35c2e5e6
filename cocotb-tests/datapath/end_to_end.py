# SPDX-License-Identifier: Apache-2.0
"""Cocotb tests of a whole datapath: what goes in comes out, whole and in order, or is counted as dropped."""

from __future__ import annotations

import os

import cocotb
from cocotb.triggers import RisingEdge, with_timeout
from datapath.bench import TB
from datapath.frames import MOST, random_frame, udp
from lib.simulation import catalog

TIMEOUT_US = 20_000


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
@cocotb.parametrize(idle=[0.0, 0.4], backpressure=[0.0, 0.5])
async def frames_pass(dut, idle: float, backpressure: float) -> None:
    """Every frame that was not dropped leaves, in order and byte for byte; the others are counted."""
    tb = TB(dut)
    await tb.start()
    tb.pause(idle, backpressure)
    sent = [random_frame(tb.rng) for _ in range(60)]
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
async def latency_is_as_declared(dut) -> None:
    """The verdict comes the catalogue's number of clocks after a frame's last beat."""
    tb = TB(dut)
    await tb.start()
    await tb.send(udp(tb.rng, 300))
    while not (dut.s_axis_tvalid.value and dut.s_axis_tready.value and dut.s_axis_tlast.value):
        await RisingEdge(dut.clk)
    clocks = 0
    while not dut.m_verdict_valid.value:
        await RisingEdge(dut.clk)
        clocks += 1
    declared = next(d for d in catalog()["datapaths"] if d["name"] == os.environ["SLUICE_DATAPATH"])
    assert clocks == declared["latency_cycles"]


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
