# SPDX-License-Identifier: Apache-2.0
"""Corundum's application block with a datapath at its synchronous RX tap, as cocotb tests: driven as Corundum drives it."""

from __future__ import annotations

import itertools
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from datapath.frames import udp
from datapath.reference import marked
from shells.registers import THROUGH, Registers
from shells.streams import Beat, Frame, Sink, Source, sometimes

STAMP_BITS = 96
"""PTP time stamp, in `tuser` above its bit 0, which says at `tlast` that the frame is bad."""
STRAIGHT = ("direct_tx", "direct_rx", "sync_tx", "if_tx", "if_rx")


class Block:
    """The tap, the registers, and every other port."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(1)
        self.mac = Source(dut, dut.clk, "s_axis_sync_rx", ("tuser",))
        self.host = Sink(dut, dut.clk, "m_axis_sync_rx", ("tuser",))
        self.registers = Registers(dut, "s_axil_app_ctrl", dut.clk, "red-512-corundum")

    async def start(self) -> None:
        """Clock and reset."""
        cocotb.start_soon(Clock(self.dut.clk, 4, unit="ns").start())
        await self.reset()

    async def reset(self) -> None:
        """All of the NIC, so the neighbours too. The MAC's FIFO waits until the flow hash has its tables."""
        self.mac.valid.value = 0
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        self.host.beats_taken.clear()
        self.taking = cocotb.start_soon(self.host.run())
        if not self.mac.ready.value:
            await RisingEdge(self.mac.ready)

    def stamped(self, data: bytes) -> Frame:
        """A frame with a time stamp of its own."""
        return Frame(data, (self.rng.getrandbits(STAMP_BITS) << 1,))

    def beats(self, frame: Frame, bad: bool = False) -> list[Beat]:
        """Its transfers, the last one with a bad frame's bit."""
        beats = self.mac.beats(frame)
        beats[-1]["tuser"] |= bad
        return beats


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def smallest_frames_come_and_go_one_per_clock(dut: Any) -> None:
    """250 million a second, where 100 Gbit/s has 148.8: none waits, there is no bubble, and each keeps its time stamp."""
    block = Block(dut)
    await block.start()
    await block.registers.configure(**THROUGH)
    kinds = [udp(block.rng, 60) for _ in range(100)]
    frames = [block.stamped(block.rng.choice(kinds)) for _ in range(10_000)]
    await block.mac.play(itertools.chain.from_iterable(map(block.beats, frames)))
    await block.host.settle()
    assert block.mac.waits == 0
    assert block.host.clocks == list(range(block.host.clocks[0], block.host.clocks[0] + len(frames)))
    assert block.host.frames() == frames


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(backpressure=[0.0, 0.7])
async def what_is_kept_leaves_with_its_time_stamp(dut: Any, backpressure: float) -> None:
    """Frames of all lengths in order, bad ones gone, some dropped and some marked; the counters know how many."""
    block = Block(dut)
    await block.start()
    await block.registers.configure(
        limit=24, ecn=1, wait=0, min=1 << 14, max=40 << 14, probability=1 << 29, weight_exponent=0
    )
    block.host.is_shut = sometimes(block.rng, backpressure)
    good: dict[tuple[int, ...], Frame] = {}
    beats: list[Beat] = []
    bad = 0
    for _ in range(300):
        size = block.rng.choice((60, 64, 65, 128, 1514, block.rng.randint(60, 2000)))
        frame = block.stamped(udp(block.rng, size, ecn=block.rng.randrange(4)))
        is_bad = block.rng.random() < 0.2
        bad += is_bad
        beats += block.beats(frame, is_bad)
        if not is_bad:
            good[frame.side] = frame
    await block.mac.play(beats, sometimes(block.rng, 0.1))
    await block.host.settle()
    left = block.host.frames()
    kept = [frame.side for frame in left]
    assert kept == [side for side in good if side in set(kept)], "good ones only, in order, each once"
    marks = [frame for frame in left if frame != good[frame.side]]
    assert marks == [Frame(marked(good[frame.side].data), frame.side) for frame in marks]
    counters = await block.registers.counters()
    assert counters["input_frames"] == 300
    assert counters["bad_frames"] == bad > 0
    assert counters["output_frames"] == len(left)
    assert block.registers.dropped(counters) == len(good) - len(left) > 0
    assert marks


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_other_taps_are_wires(dut: Any) -> None:
    """What is on one side of each is on the other, in the same clock; so are the completions of sent frames."""
    block = Block(dut)
    await block.start()
    pairs = [
        (getattr(dut, f"s_axis_{tap}_{signal}"), getattr(dut, f"m_axis_{tap}_{signal}"))
        for tap in STRAIGHT
        for signal in ("tdata", "tkeep", "tvalid", "tlast", "tuser", *(("tid", "tdest") if "if" in tap else ()))
    ]
    pairs += [
        (getattr(dut, f"s_axis_{tap}_tx_cpl_{signal}"), getattr(dut, f"m_axis_{tap}_tx_cpl_{signal}"))
        for tap in ("direct", "sync", "if")
        for signal in ("ts", "tag", "valid")
    ]
    pairs += [(getattr(dut, f"m_axis_{tap}_tready"), getattr(dut, f"s_axis_{tap}_tready")) for tap in STRAIGHT]
    pairs += [
        (getattr(dut, f"m_axis_{tap}_tx_cpl_ready"), getattr(dut, f"s_axis_{tap}_tx_cpl_ready"))
        for tap in ("direct", "sync", "if")
    ]
    pairs.append((dut.jtag_tdi, dut.jtag_tdo))
    for _ in range(20):
        await RisingEdge(dut.clk)
        values = [block.rng.getrandbits(len(given)) for given, _ in pairs]
        for (given, _), value in zip(pairs, values, strict=True):
            given.value = value
        await ReadOnly()
        assert [int(shown.value) for _, shown in pairs] == values


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_rest_asks_for_nothing_and_answers(dut: Any) -> None:
    """No request leaves, whatever comes in; a look into the block's memory finds zeros, and a write is done at once."""
    block = Block(dut)
    await block.start()
    outputs = [f"m_axil_ctrl_{channel}valid" for channel in ("aw", "w", "ar")]
    outputs += [f"m_axis_{kind}_dma_{way}_desc_valid" for kind in ("ctrl", "data") for way in ("read", "write")]
    outputs += [f"m_axi_{memory}_{channel}valid" for memory in ("ddr", "hbm") for channel in ("aw", "w", "ar")]
    outputs += ["m_axis_stat_tvalid", "gpio_out"]
    for _ in range(20):
        await RisingEdge(dut.clk)
        written, asked, ready = (block.rng.getrandbits(2) for _ in range(3))
        for kind in ("ctrl", "data"):
            getattr(dut, f"{kind}_dma_ram_wr_cmd_valid").value = written
            getattr(dut, f"{kind}_dma_ram_rd_cmd_valid").value = asked
            getattr(dut, f"{kind}_dma_ram_rd_resp_ready").value = ready
        await ReadOnly()
        for kind in ("ctrl", "data"):
            seen = [int(getattr(dut, f"{kind}_dma_ram_{name}").value) for name in (
                "wr_cmd_ready", "wr_done", "rd_cmd_ready", "rd_resp_valid", "rd_resp_data"
            )]  # fmt: skip
            assert seen == [0b11, written, ready, asked, 0]
        assert [name for name in outputs if getattr(dut, name).value] == []
        assert dut.m_axil_ctrl_bready.value
        assert dut.m_axil_ctrl_rready.value


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_reset_in_the_midst_of_frames_is_a_new_beginning(dut: Any) -> None:
    """Nothing from before comes out, and everything from then on does."""
    block = Block(dut)
    await block.start()
    before = [block.stamped(udp(block.rng, 1514)) for _ in range(40)]
    for clocks in (603, 617):
        playing = cocotb.start_soon(block.mac.play(itertools.chain.from_iterable(map(block.beats, before))))
        await ClockCycles(dut.clk, clocks)
        assert not block.host.beats_taken[-1]["tlast"], "in the midst of a frame at both ends"
        assert not block.mac.signals["tlast"].value
        playing.cancel()
        block.taking.cancel()
        await block.reset()
        frames = [block.stamped(udp(block.rng, size)) for size in (60, 1514, 700)]
        await block.mac.play(itertools.chain.from_iterable(map(block.beats, frames)))
        await block.host.settle()
        assert block.host.frames() == frames
        block.host.beats_taken.clear()
