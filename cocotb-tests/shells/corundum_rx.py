# SPDX-License-Identifier: Apache-2.0
"""Corundum's application block with a datapath at its synchronous RX tap, as cocotb tests: driven as Corundum drives it."""

from __future__ import annotations

import itertools
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from datapath.frames.reference import marked
from datapath.frames.sized import udp
from shells.corundum import Block
from shells.streams import THROUGH, Beat, Frame, sometimes

STAMP_BITS = 96
"""PTP time stamp, in `tuser` above its bit 0, which says at `tlast` that the frame is bad."""


def stamped(block: Block, data: bytes) -> Frame:
    """A frame with a time stamp of its own."""
    return Frame(data, (block.rng.getrandbits(STAMP_BITS) << 1,))


def with_end(beats: list[Beat], bad: bool) -> list[Beat]:
    """Its transfers, the last one with a bad frame's bit."""
    beats[-1]["tuser"] |= bad
    return beats


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def smallest_frames_come_and_go_one_per_clock(dut: Any) -> None:
    """250 million a second, where 100 Gbit/s has 148.8: none waits, there is no bubble, and each keeps its time stamp."""
    block = Block(dut, "sync_rx", "red-512-corundum-rx")
    await block.start()
    await block.registers.configure(**THROUGH)
    kinds = [udp(block.rng, 60) for _ in range(100)]
    frames = [stamped(block, block.rng.choice(kinds)) for _ in range(10_000)]
    await block.source.play(itertools.chain.from_iterable(map(block.source.beats, frames)))
    await block.sink.settle()
    assert block.source.waits == 0
    assert block.sink.clocks == list(range(block.sink.clocks[0], block.sink.clocks[0] + len(frames)))
    assert block.sink.frames() == frames


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(backpressure=[0.0, 0.7])
async def what_is_kept_leaves_with_its_time_stamp(dut: Any, backpressure: float) -> None:
    """Frames of all lengths in order, bad ones gone, some dropped and some marked; the counters know how many."""
    block = Block(dut, "sync_rx", "red-512-corundum-rx")
    await block.start()
    await block.registers.configure(
        limit=24, ecn=1, wait=0, min=1 << 14, max=40 << 14, probability=1 << 29, weight_exponent=0
    )
    block.sink.is_shut = sometimes(block.rng, backpressure)
    good: dict[tuple[int, ...], Frame] = {}
    beats: list[Beat] = []
    bad = 0
    for _ in range(300):
        size = block.rng.choice((60, 64, 65, 128, 1514, block.rng.randint(60, 2000)))
        frame = stamped(block, udp(block.rng, size, ecn=block.rng.randrange(4)))
        is_bad = block.rng.random() < 0.2
        bad += is_bad
        beats += with_end(block.source.beats(frame), is_bad)
        if not is_bad:
            good[frame.side] = frame
    await block.source.play(beats, sometimes(block.rng, 0.1))
    await block.sink.settle()
    left = block.sink.frames()
    kept = [frame.side for frame in left]
    assert kept == [side for side in good if side in set(kept)], "good ones only, in order, each once"
    marks = [frame for frame in left if frame != good[frame.side]]
    assert marks == [Frame(marked(good[frame.side].data), frame.side) for frame in marks]
    counters = await block.registers.counters()
    assert counters["input_frames"] == 300
    assert counters["bad_frames"] == bad > 0
    assert counters["output_frames"] == len(left)
    assert block.registers.dropped_packets(counters) == len(good) - len(left) > 0
    assert marks


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_reset_in_the_midst_of_frames_is_a_new_beginning(dut: Any) -> None:
    """Nothing from before comes out, and everything from then on does."""
    block = Block(dut, "sync_rx", "red-512-corundum-rx")
    await block.start()
    before = [stamped(block, udp(block.rng, 1514)) for _ in range(40)]
    for clocks in (603, 617):
        playing = cocotb.start_soon(block.source.play(itertools.chain.from_iterable(map(block.source.beats, before))))
        await ClockCycles(dut.clk, clocks)
        assert not block.sink.beats_taken[-1]["tlast"], "in the midst of a frame at both ends"
        assert not block.source.signals["tlast"].value
        playing.cancel()
        block.taking.cancel()
        await block.reset()
        frames = [stamped(block, udp(block.rng, size)) for size in (60, 1514, 700)]
        await block.source.play(itertools.chain.from_iterable(map(block.source.beats, frames)))
        await block.sink.settle()
        assert block.sink.frames() == frames
        block.sink.beats_taken.clear()
