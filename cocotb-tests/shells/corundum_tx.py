# SPDX-License-Identifier: Apache-2.0
"""Corundum's application block with a datapath at its synchronous TX tap, as cocotb tests: driven as its TX engine and MAC do."""

from __future__ import annotations

import itertools
from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from datapath.frames.reference import marked
from datapath.frames.sized import udp
from shells.corundum import Block
from shells.streams import THROUGH, Frame, sometimes

TAGS = 32
"""Frames that the TX engine has under way at most. Its tags have the top bit set."""
OF_HOST = 1 << 15


def tagged(data: bytes, tag: int) -> Frame:
    """The tag is in `tuser` above its bit 0."""
    return Frame(data, ((tag | OF_HOST) << 1,))


class Nic:
    """The TX engine before the block and the MAC behind it: at most 32 tags are out, and each comes back once."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.block = Block(dut, "sync_tx", "red-512-corundum-tx")
        self.rng = self.block.rng
        self.free = deque(range(TAGS))
        self.sent: list[Frame] = []
        self.stamps: list[int] = []
        """Time stamps of the completions; 0 of a frame that was dropped."""
        self.share_shut = 0.0

    async def start(self) -> None:
        """All of it."""
        self.dut.s_axis_sync_tx_cpl_valid.value = 0
        self.dut.m_axis_sync_tx_cpl_ready.value = 0
        await self.block.start()
        cocotb.start_soon(self._mac())
        cocotb.start_soon(self._engine())

    async def send(self, frames: list[bytes]) -> None:
        """Each with a tag, as soon as there is one."""
        for data in frames:
            while not self.free:
                await RisingEdge(self.dut.clk)
            frame = tagged(data, self.free.popleft())
            self.sent.append(frame)
            await self.block.source.play_on(self.block.source.beats(frame))

    async def _mac(self) -> None:
        """Completes what left the block, with a time stamp."""
        dut, done = self.dut, 0
        for stamp in itertools.count(1):
            while True:
                await RisingEdge(dut.clk)
                taken = self.block.sink.beats_taken
                done = next((n for n in range(done, len(taken)) if taken[n]["tlast"]), len(taken))
                if done < len(taken):
                    break
            dut.s_axis_sync_tx_cpl_tag.value = taken[done]["tuser"] >> 1
            dut.s_axis_sync_tx_cpl_ts.value = stamp
            dut.s_axis_sync_tx_cpl_valid.value = 1
            done += 1
            await RisingEdge(dut.clk)
            while not dut.s_axis_sync_tx_cpl_ready.value:
                await RisingEdge(dut.clk)
            dut.s_axis_sync_tx_cpl_valid.value = 0

    async def _engine(self) -> None:
        """Takes completions. What is offered stays, and no tag comes back that is not out."""
        dut = self.dut
        offered = None
        while True:
            is_shut = self.rng.random() < self.share_shut
            dut.m_axis_sync_tx_cpl_ready.value = not is_shut
            await RisingEdge(dut.clk)
            if not dut.m_axis_sync_tx_cpl_valid.value:
                assert offered is None
                continue
            shown = int(dut.m_axis_sync_tx_cpl_tag.value), int(dut.m_axis_sync_tx_cpl_ts.value)
            assert offered in (None, shown)
            offered = shown
            if not is_shut:
                offered = None
                tag = shown[0]
                assert tag & OF_HOST
                assert tag ^ OF_HOST not in self.free
                self.free.append(tag ^ OF_HOST)
                self.stamps.append(shown[1])


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(slow=[0.0, 0.9])
async def every_frame_completes_once(dut: Any, slow: float) -> None:
    """Those that left by the MAC, those that were dropped by the block; the counters know how many. None keeps its tag."""
    nic = Nic(dut)
    await nic.start()
    block = nic.block
    await block.registers.configure(
        limit=24, ecn=1, wait=0, min=1 << 14, max=40 << 14, probability=1 << 29, weight_exponent=0
    )
    block.sink.is_shut = sometimes(nic.rng, slow)
    nic.share_shut = 0.5 if slow else 0.0
    sizes = [nic.rng.choice((60, 64, 65, 128, 1514, nic.rng.randint(60, 2000))) for _ in range(400)]
    await nic.send([udp(nic.rng, size, ecn=nic.rng.randrange(4)) for size in sizes])
    await block.sink.settle()
    await ClockCycles(dut.clk, 200)
    assert sorted(nic.free) == list(range(TAGS)), "every tag is back"
    assert len(nic.stamps) == 400
    left = block.sink.frames()
    waiting = iter(nic.sent)
    for frame in left:  # in order, those between were dropped
        assert any(frame in (sent, Frame(marked(sent.data), sent.side)) for sent in waiting)
    assert sorted(stamp for stamp in nic.stamps if stamp) == list(range(1, len(left) + 1))
    counters = await block.registers.counters()
    assert counters["input_frames"] == 400
    assert counters["output_frames"] == len(left)
    assert block.registers.dropped_packets(counters) == nic.stamps.count(0) == 400 - len(left) > 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def smallest_frames_come_and_go_one_per_clock(dut: Any) -> None:
    """If there were tags for all of them: none waits, there is no bubble, and each keeps its tag."""
    block = Block(dut, "sync_tx", "red-512-corundum-tx")
    await block.start()
    await block.registers.configure(**THROUGH)
    kinds = [udp(block.rng, 60) for _ in range(100)]
    frames = [tagged(block.rng.choice(kinds), number & 0x7FFF) for number in range(10_000)]
    await block.source.play(itertools.chain.from_iterable(map(block.source.beats, frames)))
    await block.sink.settle()
    assert block.source.waits == 0
    assert block.sink.clocks == list(range(block.sink.clocks[0], block.sink.clocks[0] + len(frames)))
    assert block.sink.frames() == frames


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def with_32_tags_the_rate_is_that_of_the_way_through(dut: Any) -> None:
    """Smallest frames, as many under way as there are tags: more than a quarter of one per clock."""
    nic = Nic(dut)
    await nic.start()
    await nic.block.registers.configure(**THROUGH)
    frame = udp(nic.rng, 60)
    await nic.send([frame] * 2000)
    await nic.block.sink.settle()
    clocks = nic.block.sink.clocks
    assert len(clocks) == 2000
    rate = (len(clocks) - 1) / (clocks[-1] - clocks[0])
    dut._log.info("%.3f frames per clock", rate)
    assert rate > 0.25


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_reset_in_the_midst_of_frames_is_a_new_beginning(dut: Any) -> None:
    """Nothing from before comes out or completes, and everything from then on does."""
    nic = Nic(dut)
    await nic.start()
    block = nic.block
    sending = cocotb.start_soon(nic.send([udp(nic.rng, 1514) for _ in range(40)]))
    await ClockCycles(dut.clk, 603)
    assert not block.sink.beats_taken[-1]["tlast"], "in the midst of a frame at both ends"
    assert not block.source.signals["tlast"].value
    sending.cancel()
    block.taking.cancel()
    nic.free = deque(range(TAGS))
    await block.reset()
    nic.sent.clear()
    nic.stamps.clear()
    await nic.send([udp(nic.rng, size) for size in (60, 1514, 700)])
    await block.sink.settle()
    assert block.sink.frames() == nic.sent
    assert len(nic.stamps) == 3
