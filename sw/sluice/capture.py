# SPDX-License-Identifier: Apache-2.0
"""Captures in and out: pcap and pcapng files of Ethernet frames, read whole, as flat arrays."""

from __future__ import annotations

import logging
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scapy.error import Scapy_Exception
from scapy.utils import RawPcapNgReader, RawPcapReader, RawPcapWriter

from sluice.errors import UserError

logging.getLogger("scapy.runtime").setLevel(logging.ERROR)  # what is wrong with a file is said here, in one line

ETHERNET = 1
"""Link type of the frames that a datapath takes."""

_END_NS = 2**32 * 10**9
"""Times from here on, in the year 2106, do not fit into a pcap file."""


@dataclass(frozen=True)
class Capture:
    """The Ethernet frames of a capture, in order.

    `numbers` are their places in the file from 1 on, `offset` and `length` their bytes in `data`, and
    `wire_length` what they had on the wire, where the capture cut them.
    """

    name: str
    numbers: NDArray[np.uint32]
    time_ns: NDArray[np.uint64]
    offset: NDArray[np.uint64]
    length: NDArray[np.uint32]
    wire_length: NDArray[np.uint32]
    data: NDArray[np.uint8]
    skipped: int

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.length)


def read(path: Path) -> Capture:
    """Read a capture; a user error says in one line what is wrong with it."""
    numbers, times, lengths, wire, parts = [], [], [], [], []
    skipped = 0
    for number, (link, time_ns, wire_length, frame) in enumerate(_records(path), 1):
        if link != ETHERNET or not frame:
            skipped += 1
            continue
        if time_ns >= _END_NS:
            raise UserError(f"{path} is damaged: the time of its record {number} is behind the year 2106")
        numbers.append(number)
        times.append(time_ns)
        lengths.append(len(frame))
        wire.append(wire_length)
        parts.append(frame)
    if not parts:
        reason = f"none of its {skipped} records is an Ethernet frame" if skipped else "it holds no frames"
        raise UserError(f"{path}: nothing to replay, {reason}")
    length = np.array(lengths, dtype=np.uint32)
    ends = np.cumsum(length, dtype=np.uint64)
    return Capture(
        name=path.name,
        numbers=np.array(numbers, dtype=np.uint32),
        time_ns=np.array(times, dtype=np.uint64),
        offset=ends - length,
        length=length,
        wire_length=np.array(wire, dtype=np.uint32),
        data=np.frombuffer(b"".join(parts), dtype=np.uint8),
        skipped=skipped,
    )


def write(path: Path, times_ns: list[int], frames: list[bytes]) -> None:
    """Write frames as a pcap file with nanosecond times."""
    try:
        with RawPcapWriter(str(path), linktype=ETHERNET, nano=True) as writer:
            writer.write_header(None)
            for time_ns, frame in zip(times_ns, frames, strict=True):
                writer.write_packet(frame, sec=time_ns // 10**9, usec=time_ns % 10**9)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from None


def _records(path: Path) -> Iterator[tuple[int, int, int, bytes]]:
    """Link type, time in ns, length on the wire and bytes of each record."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file, RawPcapReader(cast("Any", file)) as reader:
            is_ng = isinstance(reader, RawPcapNgReader)
            end = _end_of_blocks(path) if is_ng else 24
            meta: Any  # its fields depend on the format
            for frame, meta in reader:
                if is_ng:
                    yield meta.linktype, _ng_time_ns(meta), meta.wirelen, frame
                else:
                    end += 16 + meta.caplen
                    yield (
                        reader.linktype & 0xFFFF,  # above it, what the frame check sequence is like
                        meta.sec * 10**9 + meta.usec * (1 if reader.nano else 1000),
                        meta.wirelen,
                        frame,
                    )
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (Scapy_Exception, EOFError, struct.error, IndexError):
        raise UserError(f"{path} is not a pcap or pcapng capture") from None
    if end != size:
        raise UserError(f"{path} is cut short: {size} bytes, but its last record ends at {end}")


def _ng_time_ns(meta: Any) -> int:
    if meta.tshigh is None:
        return 0
    ticks = (meta.tshigh << 32) + meta.tslow
    return int(ticks * 10**9 // meta.tsresol)


def _end_of_blocks(path: Path) -> int:
    """Where the last block of a pcapng file ends, by the lengths that the blocks state."""
    data = path.read_bytes()
    order = "<" if data[8:12] == b"\x4d\x3c\x2b\x1a" else ">"
    at = 0
    while at < len(data):
        if len(data) - at < 12:
            return at + 12
        (length,) = struct.unpack_from(f"{order}I", data, at + 4)
        at += max(12, length)
    return at
