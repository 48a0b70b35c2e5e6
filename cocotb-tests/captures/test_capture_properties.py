# SPDX-License-Identifier: Apache-2.0
"""Whatever bytes a capture file has, its frames are read as far as they go or it is refused in one line."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from typing import TYPE_CHECKING

import numpy as np
from captures.test_capture_files import MICRO, block, interface, option, packet, pcap, section
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sluice.packets import capture
from sluice.support.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = settings(max_examples=300)
MAGICS = [struct.pack(f"{order}I", magic) for order in "<>" for magic in (0xA1B2C3D4, 0xA1B23C4D, 0x0A0D0D0A)]
COMPRESSED = [b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"]
END_NS = 2**32 * 10**9

orders = st.sampled_from("<>")
words = st.integers(0, 2**32 - 1) | st.sampled_from([0, 1, 12, 28, 2**31, 2**32 - 1])


@st.composite
def captures(draw: st.DrawFn) -> bytes:
    """A whole file of either format; of pcapng with sections, interfaces and options of any kind."""
    order = draw(orders)
    if draw(st.booleans()):
        return pcap(draw(st.integers(0, 4)), order, draw(st.sampled_from([10**6, 10**9])))
    parts = [section(order)]
    for _ in range(draw(st.integers(0, 5))):
        made = st.sampled_from(
            [
                section(order),
                interface(draw(st.sampled_from([1, 101])), order=order, snap=draw(words)),
                interface(
                    options=option(draw(st.sampled_from([0, 9, 14])), draw(st.binary(max_size=9)), order), order=order
                ),
                packet(draw(st.integers(0, 2**64 - 1)), order, draw(st.integers(0, 3))),
                packet(MICRO, order),
                block(draw(st.sampled_from([2, 3, 4, 6, 0xBAD])), draw(st.binary(max_size=64)), order),
            ]
        )
        parts.append(draw(made))
    return b"".join(parts)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """One of these with some words or bytes changed, taken out or put in, or cut, and perhaps compressed before or after."""
    data = draw(captures())
    compress = draw(st.sampled_from([None, gzip.compress, bz2.compress, lzma.compress]))
    if compress and draw(st.booleans()):
        data, compress = compress(data), None
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        put = draw(st.binary(max_size=4) | words.map(lambda word: struct.pack("<I", word)))
        data = data[:at] + put + data[at + draw(st.integers(0, 6)) :]
    data = data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data
    return compress(data) if compress else data


def judged(data: bytes, path: Path) -> None:
    """Frames whose arrays fit together, or one line."""
    path.write_bytes(data)
    said, found = "", None
    try:
        found = capture.read(path)
    except UserError as refusal:
        said = refusal.message
    if found is None:
        assert str(path) in said
        assert "\n" not in said
        return
    assert len(found) > 0
    assert "\n" not in found.damage
    assert np.all(found.length > 0)
    assert np.array_equal(found.offset, np.cumsum(found.length, dtype=np.uint64) - found.length)
    assert int(found.length.sum()) == len(found.data)
    assert np.all(np.diff(found.numbers.astype(np.int64)) > 0)
    assert np.all(found.time_ns < END_NS)


@EXAMPLES
@given(start=st.sampled_from([b"", *MAGICS, *COMPRESSED]), rest=st.binary(max_size=200))
@example(start=MAGICS[0], rest=b"")
def test_any_bytes(tmp_path: Path, start: bytes, rest: bytes) -> None:
    judged(start + rest, tmp_path / "any")


@EXAMPLES
@given(data=damaged())
def test_any_damage(tmp_path: Path, data: bytes) -> None:
    judged(data, tmp_path / "any")
