# SPDX-License-Identifier: Apache-2.0
"""Cocotb test of a datapath at line rate, where a minimum-size frame is one beat."""

from __future__ import annotations

import os

import cocotb
from cocotb.triggers import RisingEdge
from datapath.bench import TB
from datapath.frames import udp

FRAMES = int(os.environ.get("SLUICE_FRAMES", "100000"))


async def _drive(dut, frame: bytes, count: int) -> int:
    """One-beat frames in every clock, without the driver's cost; the clocks in which `tready` was low."""
    waits = 0
    dut.s_axis_tdata.value = int.from_bytes(frame, "little")
    dut.s_axis_tkeep.value = (1 << len(frame)) - 1
    dut.s_axis_tlast.value = 1
    dut.s_axis_tuser.value = 0
    dut.s_axis_tvalid.value = 1
    for _ in range(count):
        await RisingEdge(dut.clk)
        waits += not dut.s_axis_tready.value
    dut.s_axis_tvalid.value = 0
    return waits


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def minimum_frames_without_a_bubble(dut) -> None:
    """A minimum-size frame in every clock comes out in every clock."""
    tb = TB(dut, with_streams=False)
    await tb.start()
    if (
        "min" in tb.addresses
    ):  # at this rate a few frames are always on their way through, which is no queue to drop from
        await tb.configure(min=500 << 14, max=900 << 14)
    sender = cocotb.start_soon(_drive(dut, udp(tb.rng, 60), FRAMES))
    while not dut.m_axis_tvalid.value:
        await RisingEdge(dut.clk)
    for number in range(FRAMES):
        assert dut.m_axis_tvalid.value, f"bubble after {number} frames"
        await RisingEdge(dut.clk)
    assert not dut.m_axis_tvalid.value
    assert await sender == 0, "the input never waits"
    counters = await tb.counters()
    tb.check_identities(counters)
    assert counters["output_frames"] == FRAMES
