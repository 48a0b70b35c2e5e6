# SPDX-License-Identifier: Apache-2.0
"""The datapath in a test: frames in and out over AXI4-Stream, registers by name, time that runs with the clock."""

from __future__ import annotations

import itertools
import logging
import os
import random
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamFrame
from datapath.frames.reference import marked
from lib.simulation import datapath
from lib.tile.axi_stream import FrameSink, FrameSource
from lib.tile.datapath_registers import DatapathRegisters
from lib.tile.handles import Handles, Port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PERIOD_NS = 4
ACTIONS = ("pass", "mark", "drop")


@dataclass(frozen=True)
class Side:
    """What a frame carries beside its bytes: `tuser` above its bit 0, `tid` and `tdest`; 0 where the datapath has none."""

    user: int = 0
    id: int = 0
    dest: int = 0


@dataclass(frozen=True)
class Verdict:
    """What became of one frame."""

    action: str
    reason: int
    side: Side


class TB(DatapathRegisters):
    """One datapath with its streams, its registers, and what it said of each frame."""

    def __init__(self, dut: Any, with_streams: bool = True, with_time: bool = True) -> None:
        """Bind drivers and monitors; `start` lets them run. Without streams, or time, the test drives the ports itself."""
        super().__init__(dut, os.environ["SLUICE_DATAPATH"], dut.clk, dut.rst)
        self.dut, self.ports = dut, Handles(dut)
        self.seed = int(os.environ.get("SLUICE_SEED", "1"))
        self.rng = random.Random(self.seed)
        dut._log.info("seed %d", self.seed)
        self.with_streams, self.with_time = with_streams, with_time
        if with_streams:
            self.source = FrameSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
            self.sink = FrameSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
            self.source.log.setLevel(logging.WARNING)
            self.sink.log.setLevel(logging.WARNING)
        self.verdicts: deque[Verdict] = deque()
        self.parsed: deque[dict[str, int]] = deque()
        self.left: deque[Verdict] = deque()
        """What became of frames in the queue, of a tile that may drop them there."""
        declared = datapath(os.environ["SLUICE_DATAPATH"])
        self.side_bits = {name: declared[f"{name}_bits"] for name in ("user", "id", "dest")}
        self.is_asked = hasattr(dut, "m_left_valid")
        self.parsed_ports = {
            name: getattr(self.ports, f"m_parsed_{name}")
            for name in ("bytes", "outcome", "protocol", "source_port", "destination_port", "has_ports", "service")
        }

    async def start(self) -> None:
        """Clock, reset and monitors."""
        self.dut.now_ns.value = 0
        if hasattr(self.dut, "s_axis_rtt_us"):
            self.dut.s_axis_rtt_us.value = 0
        if not self.with_streams:
            self.dut.s_axis_tvalid.value = 0
            self.dut.m_axis_tready.value = 1
        cocotb.start_soon(Clock(self.dut.clk, PERIOD_NS, unit="ns").start())
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        await RisingEdge(self.dut.s_axis_tready)  # the flow hash has its tables
        if self.with_time:
            cocotb.start_soon(self._pass_time())
        if self.with_streams:
            dut = self.dut
            cocotb.start_soon(self._watch(dut.m_verdict_valid, lambda: self.verdicts.append(self._judged("m_verdict"))))
            cocotb.start_soon(self._watch(dut.m_parsed_valid, self._note_parsed))
            if self.is_asked:
                cocotb.start_soon(self._watch(dut.m_left_valid, lambda: self.left.append(self._judged("m_left"))))
        await ClockCycles(self.dut.clk, 2)

    def pause(self, idle: float, backpressure: float) -> None:
        """Idle cycles at the input and backpressure at the output, as shares of all cycles."""
        for end, share in ((self.source, idle), (self.sink, backpressure)):
            end.set_pause_generator(self._pauses(share) if share else None)
            end.pause = False

    def _pauses(self, share: float) -> Iterator[int]:
        rng = random.Random(self.rng.random())
        while True:
            yield int(rng.random() < share)

    async def _pass_time(self) -> None:
        edge, port = RisingEdge(self.dut.clk), self.ports.now_ns
        for now in itertools.count(0, PERIOD_NS):
            await edge
            port.value = now

    async def _watch(self, valid: Any, note: Callable[[], None]) -> None:
        """Notes what a port says in each clock in which it is valid; sleeps from then until it is again."""
        edge, port, is_valid = RisingEdge(self.dut.clk), Port(valid), RisingEdge(valid)
        while True:
            await edge
            if port.value:
                note()
            else:
                await is_valid

    def _note_parsed(self) -> None:
        self.parsed.append({name: port.value for name, port in self.parsed_ports.items()})

    def _judged(self, port: str) -> Verdict:
        def value(name: str) -> int:
            return getattr(self.ports, f"{port}_{name}").value

        side = Side(**{name: value(name) for name, bits in self.side_bits.items() if bits})
        return Verdict(ACTIONS[value("action")], value("reason"), side)

    def survivors(self, sent: list[bytes]) -> list[bytes]:
        """Of the good frames that were sent, those that have left or will, as they must look."""
        in_queue = iter(self.left)
        frames = []
        for frame, verdict in zip(sent, self.verdicts, strict=True):
            if verdict.action == "drop":
                continue
            fates = [verdict.action, next(in_queue).action if self.is_asked else "pass"]
            if "drop" not in fates:
                frames.append(marked(frame) if "mark" in fates else frame)
        assert next(in_queue, None) is None, "a frame leaves the queue once"
        return frames

    async def send(self, frame: bytes, bad: bool = False) -> None:
        """Queue a frame for the input."""
        await self.source.send(AxiStreamFrame(frame, tuser=[0] * (len(frame) - 1) + [1] if bad else None))

    async def send_all(self, frames: list[bytes]) -> None:
        """Queue frames for the input, one behind the other."""
        for frame in frames:
            await self.send(frame)

    async def receive(self) -> bytes:
        """The next frame that leaves."""
        return bytes((await self.sink.recv()).tdata)

    async def settle(self) -> None:
        """Wait until all that was sent has left or been dropped."""
        await self.source.wait()
        while True:
            await ClockCycles(self.dut.clk, 200)
            counters = await self.counters()
            if not counters["held_frames"] and self.sink.idle():
                assert counters["held_bytes"] == 0, "an idle datapath holds nothing"
                assert counters["queue_packets"] == 0, "each frame that left took its own descriptor along"
                assert counters["departed_bytes"] == counters["output_bytes"]
                return

    async def check_out(self, sent: list[bytes]) -> dict[str, int]:
        """Of the good frames that were sent what is kept leaves, as it must look and in order, and nothing else does. Returns the
        counters, which add up."""
        await self.settle()
        for number, frame in enumerate(self.survivors(sent)):
            assert await with_timeout(self.receive(), 1, "us") == frame, f"frame {number} of {len(frame)} bytes"
        assert self.sink.empty()
        counters = await self.counters()
        self.check_identities(counters)
        return counters

    async def check_stall(self, sent: list[bytes]) -> None:
        """With STALL in force, and an output so slow that these frames fill the buffer, the input waits and nothing is over the
        limit."""
        await self.send_all(sent)
        waits, edge = 0, RisingEdge(self.dut.clk)
        while not self.source.empty():
            await edge
            waits += self.ports.s_axis_tvalid.value and not self.ports.s_axis_tready.value
        counters = await self.check_out(sent)
        assert waits > 0, "the test must fill the buffer"
        assert counters["overlimit_drop"] == 0

    def check_identities(self, counters: dict[str, int]) -> None:
        """Every frame and byte that came in is accounted for."""
        gone = counters["bad_frames"] + counters["oversize_frames"] + self.dropped_packets(counters)
        assert counters["input_frames"] == gone + counters["held_frames"] + counters["output_frames"], counters
        gone = counters["bad_bytes"] + counters["oversize_bytes"] + counters["dropped_bytes"]
        gone += counters.get("queue_dropped_bytes", 0)
        assert counters["input_bytes"] == gone + counters["held_bytes"] + counters["output_bytes"], counters
        assert counters["received_packets"] == (
            self.dropped_packets(counters) + counters["queue_packets"] + counters["departed_packets"]
        ), counters
