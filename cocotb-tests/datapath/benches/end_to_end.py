# SPDX-License-Identifier: Apache-2.0
"""Cocotb tests of a whole datapath: what goes in comes out, whole and in order, or is counted as dropped."""

from __future__ import annotations

import os

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamFrame
from datapath.benches.bench import TB
from datapath.frames.sized import MOST, beats_of, random_frame, udp, with_null_beats
from lib.simulation import datapath

TIMEOUT_US = 20_000


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
@cocotb.parametrize(idle=[0.0, 0.4], backpressure=[0.0, 0.5])
async def frames_pass(dut, idle: float, backpressure: float) -> None:
    """Every frame that was not dropped leaves, in order and byte for byte; the others are counted."""
    tb = TB(dut)
    await tb.start()
    tb.pause(idle, backpressure)
    sent = [random_frame(tb.rng) for _ in range(60)]
    await tb.send_all(sent)
    counters = await tb.check_out(sent)
    assert len(tb.verdicts) == len(tb.parsed) == len(sent)
    assert [seen["bytes"] for seen in tb.parsed] == [len(frame) for frame in sent]
    kept = tb.survivors(sent)
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
    assert clocks == datapath(os.environ["SLUICE_DATAPATH"])["latency_cycles"]


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def bad_and_overlong_frames_leave_no_trace(dut) -> None:
    """A frame with `tuser` at its end, and one longer than the longest, vanish; their neighbours do not."""
    tb = TB(dut)
    await tb.start()
    sent = []
    for _ in range(60):
        kind = tb.rng.choice(("good", "bad", "overlong"))
        frame = udp(tb.rng, tb.rng.randint(60, 2000) if kind != "overlong" else MOST + tb.rng.randint(1, 3000))
        sent.append((kind, frame))
        await tb.send(frame, bad=kind == "bad")
    counters = await tb.check_out([frame for kind, frame in sent if kind == "good"])
    assert counters["bad_frames"] == sum(kind == "bad" for kind, _ in sent)
    assert counters["oversize_frames"] == sum(kind == "overlong" for kind, _ in sent)
    assert counters["oversize_bytes"] == sum(len(frame) for kind, frame in sent if kind == "overlong")


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def beats_of_nothing(dut) -> None:
    """A beat without bytes changes nothing, wherever it is; what is no frame is bad: nothing at all, and bytes behind a gap."""
    tb = TB(dut)
    await tb.start()
    tb.pause(0.2, 0.2)
    lanes = len(dut.s_axis_tkeep)
    kinds = ("good", "good", "good", "empty", "gap", "longest", "overlong")
    expected = dict.fromkeys(("input", "bad", "oversize"), 0)
    good = []
    for kind in [*kinds, *tb.rng.choices(kinds[:5], k=60)]:
        size = {"empty": 0, "longest": MOST, "overlong": MOST + 1}.get(kind, tb.rng.randint(1, 5 * lanes + 100))
        beats = beats_of(tb.rng.randbytes(size), lanes)
        if kind == "gap" and (len(beats) == 1 or lanes == 1):
            continue
        if kind == "gap":
            beats[tb.rng.randrange(len(beats) - 1)] = tb.rng.randbytes(lanes - 1)
        measured = (len(beats) - 1) * lanes + len(beats[-1]) if beats else 0
        data, keep = with_null_beats(tb.rng, beats, lanes)
        await tb.source.send(AxiStreamFrame(data, tkeep=keep))
        fate = {"empty": "bad", "gap": "bad", "overlong": "oversize"}.get(kind, "")
        expected["input"] += measured
        if fate:
            expected[fate] += measured
        else:
            good.append(b"".join(beats))
    counters = await tb.check_out(good)
    assert {name: counters[f"{name}_bytes"] for name in expected} == expected
    assert counters["bad_frames"] > 10
