# SPDX-License-Identifier: Apache-2.0
"""The wrapper for ESnet SmartNIC's application, as cocotb tests: driven as the shell drives its own."""

from __future__ import annotations

import itertools
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cocotbext.axi import AxiResp
from datapath.frames.reference import marked
from datapath.frames.sized import MOST, udp
from lib.tile.axi_lite import AxiLiteHost
from lib.tile.datapath_registers import DatapathRegisters
from shells.esnet_ports import Side
from shells.streams import THROUGH, Beat, Frame, Sink, Source, sometimes

MACS = 2
HOST_STREAMS = 3 * MACS
"""Those of the PCIe functions, then of their first and second virtual ones."""

WAYS = range(2 * MACS)
"""From function 0 and 1 to the MACs, then from MAC 0 and 1 to the functions: so are the windows and `egr_flow_ctl` ordered."""

PLACES = (0b0000, 0b0001, 0b0010, 0b0011)
"""What `tdest` must say on each way: a MAC or a function, and its number."""


class Windows(DatapathRegisters):
    """The registers of one way's datapath at a time."""

    way = 0

    async def read_word(self, address: int) -> int:
        return await self.axil.read_dword(self.way << 16 | address)

    async def write_word(self, address: int, value: int) -> None:
        await self.axil.write_dword(self.way << 16 | address, value)


class Nic:
    """All four ways, and the registers at their clock."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(1)
        side, sides = ("tid", "tdest"), ("tid", "tdest", "tuser_rss_enable", "tuser_rss_entropy")
        driven: dict[str, int] = {}
        macs = [Side(dut, port, MACS, driven) for port in range(MACS)]
        host = [Side(dut, port, HOST_STREAMS, driven) for port in range(HOST_STREAMS)]
        functions, self.others = host[:MACS], host[MACS:]
        self.sources = [Source(part, dut.core_clk, "axis_h2c", side) for part in functions]
        self.sources += [Source(part, dut.core_clk, "axis_app_igr", side) for part in macs]
        self.sinks = [Sink(part, dut.core_clk, "axis_app_egr", sides) for part in macs]
        self.sinks += [Sink(part, dut.core_clk, "axis_c2h", sides) for part in functions]
        self.registers = Windows(dut, "red-512-esnet", dut.axil_aclk, prefix="app_axil")
        self.taking: list[Any] = []

    async def start(self) -> None:
        """Clocks, near enough 343.75 MHz as both are simulated in ps, and a reset."""
        cocotb.start_soon(Clock(self.dut.core_clk, 2910, unit="ps").start())
        cocotb.start_soon(Clock(self.dut.axil_aclk, 8, unit="ns").start())
        self.dut.egr_flow_ctl.value = 0
        self.dut.axis_h2c_tvalid.value = 0
        await self.reset()

    async def reset(self) -> None:
        """Of the neighbours too. They wait until the flow hashes have their tables."""
        for task in self.taking:
            task.cancel()
        for source in self.sources:
            source.valid.value = 0
        self.dut.core_srst.value = 1
        self.dut.axil_aresetn.value = self.dut.app_axil_aresetn.value = 0
        await Timer(64, unit="ns")
        await RisingEdge(self.dut.core_clk)
        self.dut.core_srst.value = 0
        self.dut.axil_aresetn.value = self.dut.app_axil_aresetn.value = 1
        await ClockCycles(self.dut.core_clk, 2)
        while not all(source.ready.value for source in self.sources):
            await RisingEdge(self.dut.core_clk)
        for sink in self.sinks:
            sink.beats_taken.clear()
            sink.clocks.clear()
        self.taking = [cocotb.start_soon(sink.run()) for sink in self.sinks]

    async def configure(self, **values: int) -> None:
        """The same parameters on each way."""
        for self.registers.way in WAYS:
            await self.registers.configure(**values)

    def frame(self, data: bytes) -> Frame:
        """As the shell gives it: where it comes from, and where the shell would send it, of which the NIC takes no notice."""
        return Frame(data, (self.rng.randrange(16), self.rng.randrange(16)))

    def frames(self, sizes: list[int]) -> list[Frame]:
        """Good ones of these sizes."""
        return [self.frame(udp(self.rng, size)) for size in sizes]

    def play(self, way: int, frames: list[Frame]) -> Any:
        """Offer them on a way, without a pause."""
        source = self.sources[way]
        return cocotb.start_soon(source.play(itertools.chain.from_iterable(map(source.beats, frames))))

    async def settle(self) -> None:
        """Wait until nothing has left for a while."""
        for sink in self.sinks:
            await sink.settle()


def sent(way: int, frames: list[Frame]) -> list[Frame]:
    """As they must leave on a way: not spread by a hash."""
    return [Frame(frame.data, (frame.side[0], PLACES[way], 0, 0)) for frame in frames]


def payload(frame: Frame) -> bytes:
    """What no mark changes, and random: it tells frames apart."""
    return frame.data[26:]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def smallest_frames_come_and_go_one_per_clock_on_all_ways(dut: Any) -> None:
    """343.75 million a second on each, where 100 Gbit/s has 148.8: none waits, there is no bubble, and each keeps its source."""
    nic = Nic(dut)
    await nic.start()
    await nic.configure(**THROUGH)
    kinds = [udp(nic.rng, 60) for _ in range(100)]
    frames = {way: [nic.frame(nic.rng.choice(kinds)) for _ in range(10_000)] for way in WAYS}
    for playing in [nic.play(way, frames[way]) for way in WAYS]:
        await playing
    await nic.settle()
    for way in WAYS:
        clocks = nic.sinks[way].clocks
        assert nic.sources[way].waits == 0
        assert clocks == list(range(clocks[0], clocks[0] + 10_000))
        assert nic.sinks[way].frames() == sent(way, frames[way])


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(way=[0, 3], backpressure=[0.0, 0.7])
async def what_is_kept_leaves_with_its_source(dut: Any, way: int, backpressure: float) -> None:
    """Frames of all lengths in order, overlong ones and such with a gap gone, some dropped and some marked, as counted."""
    nic = Nic(dut)
    await nic.start()
    await nic.configure(limit=24, ecn=1, wait=0, min=1 << 14, max=40 << 14, probability=1 << 29, weight_exponent=0)
    source, sink = nic.sources[way], nic.sinks[way]
    sink.is_shut = sometimes(nic.rng, backpressure)
    good: list[Frame] = []
    beats: list[Beat] = []
    faults = {"bad_frames": 0, "oversize_frames": 0}
    for _ in range(300):
        size = nic.rng.choice((60, 64, 65, 128, 1514, nic.rng.randint(60, 2000)))
        frame = nic.frame(udp(nic.rng, size, ecn=nic.rng.randrange(4)))
        fault = nic.rng.random()
        if fault < 0.1:
            gap, *rest = source.beats(Frame(nic.rng.randbytes(200), frame.side))
            beats += [gap | {"tkeep": (1 << 63) - 1}, *rest]
            faults["bad_frames"] += 1
        elif fault < 0.12:
            beats += source.beats(Frame(nic.rng.randbytes(MOST + 1), frame.side))
            faults["oversize_frames"] += 1
        else:
            beats += source.beats(frame)
            good.append(frame)
    await source.play(beats, sometimes(nic.rng, 0.1))
    await nic.settle()
    whole = {payload(frame): frame for frame in sent(way, good)}
    assert len(whole) == len(good)
    left = sink.frames()
    kept = [payload(frame) for frame in left]
    assert kept == [key for key in whole if key in set(kept)], "good ones only, in order, each once"
    marks = [frame for frame in left if frame != whole[payload(frame)]]
    assert marks == [Frame(marked(whole[payload(frame)].data), frame.side) for frame in marks]
    nic.registers.way = way
    counters = await nic.registers.counters()
    assert counters["input_frames"] == 300
    assert {name: counters[name] for name in faults} == faults
    assert all(faults.values())
    assert counters["output_frames"] == len(left)
    assert nic.registers.dropped_packets(counters) == len(good) - len(left) > 0
    assert marks
    assert not any(nic.sinks[other].beats_taken for other in WAYS if other != way)


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(way=WAYS)
async def while_a_fifo_is_filled_no_frame_begins_towards_it(dut: Any, way: int) -> None:
    """The one under way ends and one more may follow; the queue is kept, the input does not wait, and the other ways go on."""
    nic = Nic(dut)
    await nic.start()
    await nic.configure(**THROUGH)
    frames = {each: nic.frames([1514] * 60) for each in WAYS}
    playing = [nic.play(each, frames[each]) for each in WAYS]
    await ClockCycles(dut.core_clk, 400)
    dut.egr_flow_ctl.value = 1 << way
    await ClockCycles(dut.core_clk, 1)
    before = len(nic.sinks[way].beats_taken)
    for each in playing:
        await each
    await nic.settle()
    beats = len(nic.sources[way].beats(frames[way][0]))
    held = nic.sinks[way].frames()
    assert 0 < before <= beats * len(held) <= before + 2 * beats
    for each in WAYS:
        assert nic.sources[each].waits == 0
        assert nic.sinks[each].frames() == sent(each, frames[each][: len(held)] if each == way else frames[each])
    dut.egr_flow_ctl.value = 0
    await nic.settle()
    assert nic.sinks[way].frames() == sent(way, frames[way])


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_reset_in_the_midst_of_frames_is_a_new_beginning(dut: Any) -> None:
    """Nothing from before comes out, and everything from then on does."""
    nic = Nic(dut)
    await nic.start()
    before = nic.frames([1514] * 40)
    for clocks in (603, 617):
        playing = [nic.play(way, before) for way in WAYS]
        await ClockCycles(dut.core_clk, clocks)
        for way in WAYS:
            assert not nic.sinks[way].beats_taken[-1]["tlast"], "in the midst of a frame at both ends"
            assert not nic.sources[way].signals["tlast"].value
            playing[way].cancel()
        await nic.reset()
        frames = {way: nic.frames([60, 1514, 700]) for way in WAYS}
        for way in WAYS:
            nic.play(way, frames[way])
        await nic.settle()
        for way in WAYS:
            assert nic.sinks[way].frames() == sent(way, frames[way])


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def time_is_that_of_the_clock(dut: Any) -> None:
    """At 1 ns a byte frames of 1,000 bytes begin 343.75 clocks after each other."""
    nic = Nic(dut)
    await nic.start()
    await nic.configure(**THROUGH, ns_per_byte=1 << 18, overhead=0)
    await nic.play(1, nic.frames([1000] * 41))
    await nic.settle()
    first = nic.sinks[1].clocks[::16]
    assert len(first) == 41
    late = [clock - first[-1] + 343.75 * (40 - i) for i, clock in enumerate(first)]
    assert max(late[1:]) - min(late[1:]) < 2


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_host_has_a_window_for_each_way_and_none_for_processors(dut: Any) -> None:
    """Each window is of its own datapath, every 4 KiB anew; without a P4 processor there is an error and no wait."""
    nic = Nic(dut)
    await nic.start()
    for nic.registers.way in WAYS:
        await nic.registers.configure(limit=100 + nic.registers.way)
    limit = nic.registers.addresses["limit"]
    for way in WAYS:
        for page in (0, 0x1000, 0xF000, 0x2C0000):
            assert await nic.registers.axil.read_dword(way << 16 | page | limit) == 100 + way
    assert (await nic.registers.axil.write(nic.registers.addresses["ID"], b"1234")).resp == AxiResp.SLVERR
    processors = AxiLiteHost(dut, dut.axil_aclk, prefix="axil")
    assert (await processors.write(0xC4000, b"1234")).resp == AxiResp.SLVERR
    assert (await processors.read(0xC4000, 4)).resp == AxiResp.SLVERR


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def virtual_functions_are_heard_and_not_answered(dut: Any) -> None:
    """What they send is gone, and nothing comes to them or to anybody else."""
    nic = Nic(dut)
    await nic.start()
    for other in nic.others:
        assert other.axis_h2c_tready.value
        other.axis_h2c_tvalid.value = other.axis_h2c_tlast.value = 1
    for _ in range(500):
        await RisingEdge(dut.core_clk)
        assert all(other.axis_h2c_tready.value and not other.axis_c2h_tvalid.value for other in nic.others)
    assert not any(sink.beats_taken for sink in nic.sinks)
