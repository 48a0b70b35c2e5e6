# SPDX-License-Identifier: Apache-2.0
"""The wrapper for NetFPGA SUME's output queues, as cocotb tests: driven as the shell drives its own."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cocotbext.axi import AxiResp
from datapath.frames.reference import marked
from datapath.frames.sized import udp
from lib.tile.datapath_registers import DatapathRegisters
from lib.tile.handles import Handles
from shells.streams import THROUGH, Beat, Frame, Sink, Source, sometimes

PORTS = 5
HOST = 4
"""The port that any odd bit of a byte of ports means; the even ones mean the others."""

ID, VERSION, RESET, FLIP, DEBUG, PACKETS_IN, PACKETS_OUT = range(0, 0x1C, 4)
COUNTERS = ("stored", "stored_bytes", "removed", "removed_bytes", "dropped", "dropped_bytes", "queued")
PAGE, WINDOW = 0x7FC, 0x800


class QueueRegisters(DatapathRegisters):
    """The shell's words, and through the window those of one port's datapath."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, "red-256-netfpga", dut.S_AXI_ACLK, prefix="S_AXI")

    async def select(self, port: int, half: int = 0) -> None:
        """Put half of a port's map into the window; all but what is in force is in the first one."""
        await self.axil.write_dword(PAGE, port | half << 3)

    async def read_word(self, address: int) -> int:
        return await self.axil.read_dword(WINDOW | address)

    async def write_word(self, address: int, value: int) -> None:
        await self.axil.write_dword(WINDOW | address, value)

    async def of_port(self, port: int) -> dict[str, int]:
        """The shell's counters of a port, which begin anew."""
        base = 0x1C * (port + 1)
        return {name: await self.axil.read_dword(base + 4 * i) for i, name in enumerate(COUNTERS)}


class Queues:
    """Both sides, registers at another clock, and what the shell is told of each frame."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(1)
        self.source = Source(Handles(dut), dut.axis_aclk, "s_axis", ("tuser",))
        self.sinks = [Sink(Handles(dut), dut.axis_aclk, f"m_axis_{port}", ("tuser",)) for port in range(PORTS)]
        self.registers = QueueRegisters(dut)
        self.taking: list[Any] = []
        self.numbers = itertools.count()

    async def start(self) -> None:
        """Clocks and a reset."""
        cocotb.start_soon(Clock(self.dut.axis_aclk, 5, unit="ns").start())
        cocotb.start_soon(Clock(self.dut.S_AXI_ACLK, 8, unit="ns").start())
        await self.reset()

    async def reset(self) -> None:
        """Of the neighbours too. The modules in front wait until the flow hashes have their tables."""
        for task in self.taking:
            task.cancel()
        self.source.valid.value = 0
        self.dut.axis_resetn.value = self.dut.S_AXI_ARESETN.value = 0
        await Timer(64, unit="ns")
        await RisingEdge(self.dut.axis_aclk)
        self.dut.axis_resetn.value = self.dut.S_AXI_ARESETN.value = 1
        await RisingEdge(self.source.ready.handle)
        for sink in self.sinks:
            sink.beats_taken.clear()
            sink.clocks.clear()
        self.taking = [cocotb.start_soon(sink.run()) for sink in self.sinks]

    async def configure(self, ports: Iterable[int], **values: int) -> None:
        """The same parameters at each of these ports."""
        for port in ports:
            await self.registers.select(port)
            await self.registers.configure(**values)

    def frame(self, data: bytes, ports: Iterable[int]) -> Frame:
        """As it comes to the queues: with its length, a source, its destinations and a number of its own."""
        to = 0
        for port in ports:
            to |= self.rng.choice((0x02, 0x08, 0x20, 0x80, 0xAA)) if port == HOST else 1 << 2 * port
        return Frame(data, (next(self.numbers) << 32 | to << 24 | self.rng.getrandbits(8) << 16 | len(data),))

    def beats(self, frames: Iterable[Frame]) -> Iterable[Beat]:
        """Their transfers. Only on the first of each frame `tuser` says anything."""
        for frame in frames:
            first, *others = self.source.beats(frame)
            yield first
            for beat in others:
                yield beat | {"tuser": self.rng.getrandbits(128)}

    async def settle(self) -> None:
        """Wait until nothing has left for a while."""
        seen = None
        while seen != (seen := [len(sink.beats_taken) for sink in self.sinks]):
            await ClockCycles(self.dut.axis_aclk, 300)

    async def told(self) -> dict[str, list[list[int]]]:
        """Follow what the shell is told, until cancelled: bytes of the frames of each port."""
        dut = self.dut
        self.said = {name: [[] for _ in range(PORTS)] for name in ("stored", "dropped", "removed")}
        while True:
            await RisingEdge(dut.axis_aclk)
            for name in ("stored", "dropped"):
                mask = int(getattr(dut, f"pkt_{name}").value)
                size = int(getattr(dut, f"bytes_{name}").value)
                assert (mask == 0) == (size == 0)
                for port in range(PORTS):
                    if mask >> port & 1:
                        self.said[name][port].append(size)
            for port in range(PORTS):
                size = int(getattr(dut, f"bytes_removed_{port}").value)
                assert bool(size) == bool(getattr(dut, f"pkt_removed_{port}").value)
                if size:
                    self.said["removed"][port].append(size)


def to_port(frames: Iterable[tuple[Frame, set[int]]], port: int) -> list[Frame]:
    """Those that are meant for it, among others or not."""
    return [frame for frame, ports in frames if port in ports]


def sizes(frames: Iterable[Frame]) -> list[int]:
    """Their lengths."""
    return [len(frame.data) for frame in frames]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def smallest_frames_come_and_go_in_two_clocks_each(dut: Any) -> None:
    """100 million a second, where four ports of 10 Gbit/s have 59.5: none waits, there is no bubble, each keeps its `tuser`."""
    queues = Queues(dut)
    await queues.start()
    await queues.configure(range(PORTS), **THROUGH)
    kinds = [udp(queues.rng, 60) for _ in range(100)]
    mixed = [{queues.rng.randrange(PORTS)} for _ in range(5_000)]
    sent = [(queues.frame(queues.rng.choice(kinds), ports), ports) for ports in [*mixed, *([{2}] * 5_000)]]
    await queues.source.play(queues.beats(frame for frame, _ in sent))
    await queues.settle()
    assert queues.source.waits == 0
    for port, sink in enumerate(queues.sinks):
        assert sink.frames() == to_port(sent, port)
        assert all(after == before + 1 for before, after in zip(sink.clocks[::2], sink.clocks[1::2], strict=True))
    last = queues.sinks[2].clocks[-10_000:]
    assert last == list(range(last[0], last[0] + 10_000))


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def each_port_decides_for_itself(dut: Any) -> None:
    """Frames of all lengths to one port, to several and to none; what is kept leaves in order with its `tuser`, some dropped,
    some marked, and of some only a part of their copies. The shell is told of each, and its counters know how many."""
    queues = Queues(dut)
    await queues.start()
    await queues.configure(
        range(PORTS), limit=24, ecn=1, wait=0, min=1 << 14, max=40 << 14, probability=1 << 29, weight_exponent=0
    )
    rng = queues.rng
    for sink in queues.sinks:
        sink.is_shut = sometimes(rng, 0.8)
    following = cocotb.start_soon(queues.told())
    sent = []
    for _ in range(300):
        ports = set(rng.sample(range(PORTS), rng.choice((0, 1, 1, 2, PORTS))))
        size = rng.choice((60, 64, 65, 128, 1514, rng.randint(60, 2000)))
        sent.append((queues.frame(udp(rng, size, ecn=rng.randrange(4)), ports), ports))
    await queues.source.play(queues.beats(frame for frame, _ in sent), sometimes(rng, 0.1))
    await queues.settle()
    following.cancel()
    assert queues.source.waits == 0
    marks, copies = 0, {}
    for port, sink in enumerate(queues.sinks):
        meant, left = to_port(sent, port), sink.frames()
        kept = {frame.side for frame in left}
        stored = [frame for frame in meant if frame.side in kept]
        dropped = [frame for frame in meant if frame.side not in kept]
        assert [frame.side for frame in left] == [frame.side for frame in stored], "in order, each once"
        for was, now in zip(stored, left, strict=True):
            assert now in (was, Frame(marked(was.data), was.side))
            marks += now != was
            copies[was.side] = copies.get(was.side, 0) + 1
        assert dropped
        assert queues.said["stored"][port] == queues.said["removed"][port] == sizes(stored)
        assert queues.said["dropped"][port] == sizes(dropped)
        counts = (len(stored), sum(sizes(stored))) * 2 + (len(dropped), sum(sizes(dropped)), 0)
        assert await queues.registers.of_port(port) == dict(zip(COUNTERS, counts, strict=True))
        assert not any((await queues.registers.of_port(port)).values()), "they begin anew when they are read"
    assert marks
    assert any(0 < copies.get(frame.side, 0) < len(ports) for frame, ports in sent)
    assert await queues.registers.axil.read_dword(PACKETS_IN) == len(sent)
    assert await queues.registers.axil.read_dword(PACKETS_OUT) == sum(copies.values())
    await queues.registers.select(3)
    counters = await queues.registers.counters()
    assert counters["input_frames"] == len(to_port(sent, 3))
    assert counters["output_frames"] == len(queues.sinks[3].frames())
    assert queues.registers.dropped_packets(counters) == counters["input_frames"] - counters["output_frames"]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_port_that_takes_nothing_stops_no_other(dut: Any) -> None:
    """Its queue fills and drops; whatever goes elsewhere has left meanwhile, and the input has never waited."""
    queues = Queues(dut)
    await queues.start()
    await queues.configure(range(PORTS), **THROUGH, limit=24)
    rng = queues.rng
    is_shut = True
    queues.sinks[1].is_shut = lambda: is_shut
    ports = [{rng.randrange(PORTS)} for _ in range(200)]
    sent = [(queues.frame(udp(rng, rng.randint(300, 1514)), to), to) for to in ports]
    await queues.source.play(queues.beats(frame for frame, _ in sent))
    await queues.settle()
    assert queues.source.waits == 0
    for port in {0, 2, 3, HOST}:
        assert queues.sinks[port].frames() == to_port(sent, port)
    assert not queues.sinks[1].beats_taken
    is_shut = False
    await queues.settle()
    left = queues.sinks[1].frames()
    assert left == to_port(sent, 1)[: len(left)]
    assert 24 <= len(left) < len(to_port(sent, 1))


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_reset_in_the_midst_of_frames_is_a_new_beginning(dut: Any) -> None:
    """Nothing from before comes out, and everything from then on does."""
    queues = Queues(dut)
    await queues.start()
    before = [queues.frame(udp(queues.rng, 1514), {n % PORTS}) for n in range(20)]
    playing = cocotb.start_soon(queues.source.play(queues.beats(before)))
    await ClockCycles(dut.axis_aclk, 500)
    assert any(not sink.beats_taken[-1]["tlast"] for sink in queues.sinks), "in the midst of a frame at both ends"
    assert not queues.source.signals["tlast"].value
    playing.cancel()
    await queues.reset()
    sent = [
        (queues.frame(udp(queues.rng, size), ports), ports) for size in (60, 1514) for ports in ({0, 3}, {1, 2, HOST})
    ]
    await queues.source.play(queues.beats(frame for frame, _ in sent))
    await queues.settle()
    for port, sink in enumerate(queues.sinks):
        assert sink.frames() == to_port(sent, port)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_registers_are_the_shells_and_a_window(dut: Any) -> None:
    """Its words where it has them; those of a port's datapath as they are; and an error for what is neither."""
    queues = Queues(dut)
    await queues.start()
    axil = queues.registers.axil
    assert await axil.read_dword(ID) == 0xDA03
    assert await axil.read_dword(VERSION) == 1
    await axil.write_dword(FLIP, 0x12345678)
    await axil.write_dword(DEBUG, 0x9ABCDEF0)
    assert await axil.read_dword(FLIP) == 0xFFFFFFFF ^ 0x12345678
    assert await axil.read_dword(DEBUG) == 0x9ABCDEF0
    for address, data in ((ID, b"1234"), (PACKETS_IN, b"1234"), (0xA8, b"1234"), (DEBUG, b"1")):
        assert (await axil.write(address, data)).resp == AxiResp.SLVERR
    assert (await axil.read(0xA8, 4)).resp == AxiResp.SLVERR
    assert await axil.read_dword(DEBUG) == 0x9ABCDEF0

    for port in range(PORTS):
        await queues.configure([port], limit=100 + port)
    for port in range(PORTS):
        for half in range(2):
            await queues.registers.select(port, half)
            assert await queues.registers.read("limit") == 100 + port
    assert (await axil.write(WINDOW | queues.registers.addresses["limit"], b"1234")).resp == AxiResp.SLVERR, "in force"
    await queues.registers.select(0)
    assert (await axil.write(WINDOW | queues.registers.addresses["ID"], b"1234")).resp == AxiResp.SLVERR
    await queues.registers.select(PORTS)
    assert (await axil.read(WINDOW, 4)).resp == AxiResp.SLVERR
    assert (await axil.write(WINDOW, b"1234")).resp == AxiResp.SLVERR

    is_shut = True
    queues.sinks[0].is_shut = lambda: is_shut
    await queues.source.play(queues.beats(queues.frame(udp(queues.rng, 60), {0}) for _ in range(3)))
    await queues.settle()
    await axil.write_dword(RESET, 1)
    assert await queues.registers.of_port(0) == dict.fromkeys(COUNTERS, 0) | {"queued": 3}
    assert await axil.read_dword(PACKETS_IN) == 0
    is_shut = False
    await queues.settle()
    assert await queues.registers.of_port(0) == dict.fromkeys(COUNTERS, 0) | {"removed": 3, "removed_bytes": 180}
