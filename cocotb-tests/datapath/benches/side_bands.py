# SPDX-License-Identifier: Apache-2.0
"""Cocotb tests of what goes with a frame beside its bytes: `tuser` above its bit 0, `tid` and `tdest`."""

from __future__ import annotations

import cocotb
from cocotbext.axi import AxiStreamFrame
from datapath.benches.bench import TB, Side
from datapath.frames.reference import marked
from datapath.frames.sized import MOST, beats_of, udp, with_null_beats


def stream_frame(tb: TB, frame: bytes, side: Side, bad: bool) -> AxiStreamFrame:
    """The frame on a stream that shows `tuser` with the first bytes, and later anything; bit 0 counts with the last beat only."""
    lanes = len(tb.dut.s_axis_tkeep)
    beats = beats_of(frame, lanes)
    data, keep = with_null_beats(tb.rng, beats, lanes) if tb.rng.random() < 0.3 else (frame, [1] * len(frame))
    total = -(-len(data) // lanes)
    first = next(i for i in range(total) if keep[i * lanes])
    users = [tb.rng.getrandbits(1 + tb.side_bits["user"]) for _ in range(total)]
    users[first] = side.user << 1 | users[first] & 1
    users[-1] = users[-1] & ~1 | bad
    return AxiStreamFrame(
        data,
        tkeep=keep,
        tuser=[users[i // lanes] for i in range(len(data))],
        tid=side.id,
        tdest=side.dest,
    )


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[0.0, 0.3], backpressure=[0.0, 0.6])
async def side_bands_go_with_their_frames(dut, idle: float, backpressure: float) -> None:
    """Right with every verdict and on every beat that leaves, with frames dropped, marked, bad and overlong among them."""
    tb = TB(dut)
    await tb.start()
    await tb.configure(limit=24, ecn=1, wait=0, min=1 << 14, max=40 << 14, probability=1 << 29, weight_exponent=0)
    tb.pause(idle, backpressure)
    sent: list[tuple[bytes, Side]] = []
    for _ in range(250):
        kind = tb.rng.choices(("good", "bad", "overlong"), (24, 4, 1))[0]
        size = MOST + 1 if kind == "overlong" else tb.rng.choice((60, 60, 61, 64, 72, tb.rng.randint(60, 600)))
        frame = udp(tb.rng, size, ecn=tb.rng.randrange(4))
        side = Side(**{name: tb.rng.getrandbits(bits) for name, bits in tb.side_bits.items()})
        await tb.source.send(stream_frame(tb, frame, side, bad=kind == "bad"))
        if kind == "good":
            sent.append((frame, side))
    await tb.settle()
    assert [verdict.side for verdict in tb.verdicts] == [side for _, side in sent]
    for (frame, side), verdict in zip(sent, tb.verdicts, strict=True):
        if verdict.action == "drop":
            continue
        left = await tb.sink.recv()
        assert bytes(left.tdata) == (marked(frame) if verdict.action == "mark" else frame)
        assert (left.tuser, left.tid, left.tdest) == (side.user << 1, side.id, side.dest), "the same on every beat"
    assert tb.sink.empty()
    assert {verdict.action for verdict in tb.verdicts} == {"pass", "mark", "drop"}
