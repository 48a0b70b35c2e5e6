# SPDX-License-Identifier: Apache-2.0
"""What the Versa board with RED does with frames, from RGMII pins to RGMII pins."""

from __future__ import annotations

import itertools
import random
import struct
from typing import Any

import cocotb
import pytest
from boards.versa import CLOCK_PS, MISSED, Bench, as_seen
from cocotb.task import bridge
from cocotb.utils import get_sim_time
from cocotbext.eth import GmiiFrame

from sluice.support.errors import UserError

BOARD = "lattice-versa-ecp5"
FRAMES = 1000
BYTE_PS = 8_000


def checksum(header: bytes) -> int:
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def ipv4(ecn: int, number: int, size: int) -> bytes:
    """An IPv4 header and its payload, which begins with the number."""
    header = struct.pack(">BBHHHBBH8s", 0x45, ecn, size, number & 0xFFFF, 0, 64, 17, 0, bytes(range(8)))
    header = header[:10] + struct.pack(">H", checksum(header)) + header[12:]
    return (header + struct.pack(">I", number)).ljust(size, bytes([number & 0xFF]))


def frame(rng: random.Random, number: int) -> bytes:
    """A frame of 60 to 1,518 bytes without FCS, most of them short, of any kind: one of them in eight is not IP."""
    size = (
        rng.choice((60, 61, 1518))
        if number < 12
        else rng.choices((rng.randint(60, 90), rng.randint(60, 1518)), (9, 1))[0]
    )
    ethernet = bytes(range(12))
    vlan = b"\x81\x00\x00\x07" if rng.random() < 0.3 else b""
    room = size - len(ethernet) - len(vlan) - 2
    kind = rng.randrange(8)
    if kind == 0:
        return ethernet + vlan + b"\x08\x06" + struct.pack(">I", number).ljust(room, b"a")
    if kind == 1:
        traffic_class = rng.randrange(4) << 20
        header = struct.pack(">IHBB", 6 << 28 | traffic_class, room - 40, 59, 64) + bytes(32)
        return ethernet + vlan + b"\x86\xdd" + (header + struct.pack(">I", number)).ljust(room, b"6")[:room]
    return ethernet + vlan + b"\x08\x00" + ipv4(rng.randrange(4), number, room)


def marked(data: bytes) -> bytes | None:
    """The frame with CE set; nothing where it is not capable of it."""
    at = 18 if data[12:14] == b"\x81\x00" else 14
    if data[at - 2 : at] == b"\x08\x00" and data[at + 1] & 3:
        header = bytearray(data[at : at + 20])
        header[1] |= 3
        header[10:12] = bytes(2)
        header[10:12] = struct.pack(">H", checksum(bytes(header)))
        return data[:at] + bytes(header) + data[at + 20 :]
    if data[at - 2 : at] == b"\x86\xdd" and data[at + 1] >> 4 & 3:
        return data[: at + 1] + bytes([data[at + 1] | 0x30]) + data[at + 2 :]
    return None


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_thousand_frames_each_way_at_line_rate(dut: Any) -> None:
    """With the link behind RED at 700 Mbit/s: what it lets through leaves port 1 whole, in order and with a right FCS, and all
    others are counted as dropped; every frame comes back."""
    rng = random.Random(1)
    bench = Bench(dut, BOARD)
    await bench.start()
    await bench.configure(
        ns_per_byte=8 / 0.7, overhead=24, ecn=1, mark_most=1, min=4, max=12, weight_exponent=5, probability=0.2
    )
    sent = [[frame(rng, number) for number in range(FRAMES)] for _ in range(2)]
    wires = [[GmiiFrame.from_payload(data) for data in way] for way in sent]
    began = get_sim_time("ps")
    for source, way in zip(bench.sources, wires, strict=True):
        for wire in way:
            source.send_nowait(wire)
    for port, source in enumerate(bench.sources):
        await source.wait()
        byte_times = (get_sim_time("ps") - began) / CLOCK_PS[f"eth{port}_rx_clk"]
        if port == 0:
            assert byte_times < sum(map(len, wires[0])) + 12 * FRAMES + 40, "the source made pauses"
    await bench.drain()

    back = [bench.sinks[0].recv_nowait() for _ in range(bench.sinks[0].count())]
    assert [(got.data, got.error) for got in back] == [as_seen(wire) for wire in wires[1]]

    left = [bench.sinks[1].recv_nowait() for _ in range(bench.sinks[1].count())]
    waiting, marks = iter(sent[0]), 0
    for got in left:
        assert got.check_fcs()
        assert got.error is None
        assert got.get_preamble_len() == 8 - MISSED
        data = bytes(got.get_payload())
        original = next(f for f in waiting if data in (f, marked(f)))  # none left: it was never sent, or comes late
        marks += data != original
    gaps = [after.sim_time_start - before.sim_time_end for before, after in itertools.pairwise(left)]
    assert min(gaps) >= (12 + MISSED) * BYTE_PS  # a step of this simulation is 1 ps

    await bench.snapshot()
    dropped = sum([await bench.count(name) for name in ("unforced_drop", "forced_drop", "overlimit_drop")])
    assert dropped == FRAMES - len(left)
    assert marks <= sum([await bench.count(name) for name in ("unforced_mark", "forced_mark")])
    counted = [await bench.count(f"{name}_frames") for name in ("input", "bad", "oversize", "output")]
    assert counted == [FRAMES, 0, 0, len(left)]
    assert dropped > 100
    assert marks > 20
    dut._log.info("%d left, %d dropped, %d marked", len(left), dropped, marks)


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def broken_frames_end_at_red_and_come_back_as_they_are(dut: Any) -> None:
    """A wrong FCS, an error that the PHY saw, a runt, a fragment: counted as bad, and frames between them leave unchanged."""
    rng = random.Random(2)
    bench = Bench(dut, BOARD)
    await bench.start()
    good = [frame(rng, number) for number in range(6)]
    wires = [GmiiFrame.from_payload(data) for data in good]
    flipped, seen = GmiiFrame.from_payload(good[0]), GmiiFrame.from_payload(good[1])
    flipped.data[30] ^= 4
    seen.error = [0] * len(seen.data)
    seen.error[40] = 1
    runt = GmiiFrame.from_payload(good[2][:59], min_len=0)
    broken = [flipped, seen, runt, GmiiFrame.from_raw_payload(good[3][:20]), GmiiFrame.from_raw_payload(b"abc")]
    order = [wire for pair in itertools.zip_longest(wires, broken) for wire in pair if wire]
    for source in bench.sources:
        for wire in order:
            source.send_nowait(GmiiFrame(wire))
    for source in bench.sources:
        await source.wait()
    await bench.drain()
    left = [bench.sinks[1].recv_nowait() for _ in range(bench.sinks[1].count())]
    assert [bytes(got.get_payload()) for got in left] == good
    back = [bench.sinks[0].recv_nowait() for _ in range(bench.sinks[0].count())]
    assert [(got.data, got.error) for got in back] == [as_seen(wire) for wire in order]
    await bench.snapshot()
    assert [await bench.count(f"{name}_frames") for name in ("input", "bad", "output")] == [10, 4, 6]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def the_serial_line_reads_writes_and_refuses(dut: Any) -> None:
    """A word is read back as it was written; an address without a word is an error; a break forgets half a command."""
    bench = Bench(dut, BOARD)
    await bench.start()
    read, write = bridge(bench.bus.read), bridge(bench.bus.write)
    assert await read(bench.map.addresses["ID"]) == int.from_bytes(b"SLUC", "big")
    await write(bench.map.parameters["seed0"].address, 0x89ABCDEF)
    assert await read(bench.map.parameters["seed0"].address) == 0x89ABCDEF
    with pytest.raises(UserError, match="0x7fc"):
        await read(0x7FC)
    await bench.send(b"\x80")
    await bench.hold(0, bits=30)
    await bench.hold(1, bits=2)
    assert await read(bench.map.addresses["ID"]) == int.from_bytes(b"SLUC", "big")
