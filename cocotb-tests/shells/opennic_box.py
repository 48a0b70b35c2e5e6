# SPDX-License-Identifier: Apache-2.0
"""The wrapper for OpenNIC's 250 MHz box, host to wire, as cocotb tests: driven as the shell drives its box."""

from __future__ import annotations

import itertools
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from datapath.frames.reference import marked
from datapath.frames.sized import udp
from lib.tile.datapath_registers import DatapathRegisters
from lib.tile.handles import Handles
from shells.streams import THROUGH, Frame, Sink, Source, sometimes

SIDE = ("tuser_size", "tuser_src", "tuser_dst")
TO_MAC, TO_FUNCTION = 1 << 6, 1


def framed(data: bytes, number: int) -> Frame:
    """As the shell gives it: the number as its source, and no destination."""
    return Frame(data, (len(data), number & 0xFFFF, 0))


def sent_to(frame: Frame, destination: int) -> Frame:
    """As it must leave."""
    return Frame(frame.data, (*frame.side[:2], destination))


class Box:
    """Both directions, registers, and the reset pair."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(1)
        self.host = Source(Handles(dut), dut.axis_aclk, "s_axis_qdma_h2c", SIDE)
        self.wire = Sink(Handles(dut), dut.axis_aclk, "m_axis_adap_tx_250mhz", SIDE)
        self.from_wire = Source(Handles(dut), dut.axis_aclk, "s_axis_adap_rx_250mhz", SIDE)
        self.to_host = Sink(Handles(dut), dut.axis_aclk, "m_axis_qdma_c2h", SIDE)
        self.registers = DatapathRegisters(dut, "red-512-opennic", dut.axil_aclk)

    async def start(self) -> None:
        """Clocks in phase, 250 and 125 MHz, and a reset."""
        self.dut.mod_rstn.value = 1
        cocotb.start_soon(Clock(self.dut.axil_aclk, 8, unit="ns").start())
        cocotb.start_soon(Clock(self.dut.axis_aclk, 4, unit="ns").start())
        cocotb.start_soon(self.wire.run())
        cocotb.start_soon(self.to_host.run())
        await self.reset()

    async def ask_for_reset(self) -> None:
        """One clock of 0."""
        await RisingEdge(self.dut.axil_aclk)
        self.dut.mod_rstn.value = 0
        await RisingEdge(self.dut.axil_aclk)
        self.dut.mod_rstn.value = 1
        await ClockCycles(self.dut.axil_aclk, 2)
        assert not self.dut.mod_rst_done.value

    async def reset(self) -> None:
        """As the shell does it: a request, and the answer awaited. Then the flow hash makes its tables."""
        await self.ask_for_reset()
        await RisingEdge(self.dut.mod_rst_done)
        if not self.host.ready.value:
            await RisingEdge(self.host.ready.handle)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def smallest_frames_come_and_go_one_per_clock(dut: Any) -> None:
    """250 million a second, where 100 Gbit/s has 148.8: none waits, there is no bubble, and each keeps size and source."""
    box = Box(dut)
    await box.start()
    await box.registers.configure(**THROUGH)
    kinds = [udp(box.rng, 60) for _ in range(100)]
    frames = [framed(box.rng.choice(kinds), number) for number in range(10_000)]
    await box.host.play(itertools.chain.from_iterable(map(box.host.beats, frames)))
    await box.wire.settle()
    assert box.host.waits == 0
    assert box.wire.clocks == list(range(box.wire.clocks[0], box.wire.clocks[0] + len(frames)))
    assert box.wire.frames() == [sent_to(frame, TO_MAC) for frame in frames]


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(backpressure=[0.0, 0.7])
async def what_is_kept_leaves_with_its_size_and_source(dut: Any, backpressure: float) -> None:
    """Frames of all lengths, dropped and marked among them, in order; the counters know how many."""
    box = Box(dut)
    await box.start()
    await box.registers.configure(
        limit=24, ecn=1, wait=0, min=1 << 14, max=40 << 14, probability=1 << 29, weight_exponent=0
    )
    box.wire.is_shut = sometimes(box.rng, backpressure)
    sizes = [box.rng.choice((60, 64, 65, 128, 1514, box.rng.randint(60, 2000))) for _ in range(300)]
    frames = [framed(udp(box.rng, size, ecn=box.rng.randrange(4)), number) for number, size in enumerate(sizes)]
    await box.host.play(itertools.chain.from_iterable(map(box.host.beats, frames)), sometimes(box.rng, 0.1))
    await box.wire.settle()
    left = box.wire.frames()
    numbers = [frame.side[1] for frame in left]
    assert numbers == sorted(set(numbers)), "in order, each once"
    marks = 0
    for frame, number in zip(left, numbers, strict=True):
        whole = sent_to(frames[number], TO_MAC)
        if frame != whole:
            assert frame == Frame(marked(whole.data), whole.side)
            marks += 1
    counters = await box.registers.counters()
    assert counters["input_frames"] == len(frames)
    assert counters["output_frames"] == len(left)
    assert box.registers.dropped_packets(counters) == len(frames) - len(left) > 0
    assert marks > 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_other_direction_passes(dut: Any) -> None:
    """One beat per clock, through a reset of the module as well."""
    box = Box(dut)
    await box.start()
    sizes = [box.rng.choice((60, 64, 1514)) for _ in range(60)]
    frames = [framed(box.rng.randbytes(size), number) for number, size in enumerate(sizes)]
    beats = list(itertools.chain.from_iterable(map(box.from_wire.beats, frames)))
    playing = cocotb.start_soon(box.from_wire.play(beats))
    await box.ask_for_reset()
    before = len(box.to_host.beats_taken)
    await RisingEdge(dut.mod_rst_done)
    assert len(box.to_host.beats_taken) - before > 190, "of some 196 clocks"
    await playing
    await box.to_host.settle()
    assert box.from_wire.waits == 0
    assert len(box.to_host.clocks) == box.to_host.clocks[-1] - box.to_host.clocks[0] + 1 == len(beats)
    assert box.to_host.frames() == [sent_to(frame, TO_FUNCTION) for frame in frames]
    box.to_host.is_shut = sometimes(box.rng, 0.5)
    box.to_host.beats_taken.clear()
    await box.from_wire.play(beats, sometimes(box.rng, 0.2))
    await box.to_host.settle()
    assert box.to_host.frames() == [sent_to(frame, TO_FUNCTION) for frame in frames]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_reset_in_the_midst_of_frames_leaves_whole_ones(dut: Any) -> None:
    """Neither neighbour is reset: the host's frame loses its rest, the wire's is ended with zeros and as long as it said."""
    box = Box(dut)
    await box.start()
    frames = [framed(udp(box.rng, box.rng.randint(900, 1514)), number) for number in range(400)]
    beats = itertools.chain.from_iterable(map(box.host.beats, frames))
    box.wire.is_shut = sometimes(box.rng, 0.05)
    playing = cocotb.start_soon(box.host.play(beats))
    cut = 0
    for _ in range(4):
        await ClockCycles(dut.axis_aclk, 1000 + box.rng.randrange(40))
        await box.reset()
    await playing
    await box.wire.settle()
    left = box.wire.frames()
    for frame in left:
        size, number, _ = frame.side
        assert len(frame.data) == size
        if frame != sent_to(frames[number], TO_MAC):
            cut += 1
            until = len(frame.data.rstrip(b"\0"))
            until += -until % box.wire.lanes
            assert frame.data == frames[number].data[:until] + bytes(size - until)
    assert 0 < cut <= 4
    numbers = [frame.side[1] for frame in left]
    assert numbers == sorted(set(numbers))
    assert 200 < len(left) < 400
    assert numbers[-1] == 399
