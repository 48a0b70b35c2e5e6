# SPDX-License-Identifier: Apache-2.0
"""Captures in and out: pcap and pcapng files of Ethernet frames, read whole, as flat arrays."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sluice.packets import capture_format
from sluice.support.errors import UserError
from sluice.support.output import writing

ETHERNET = 1
"""Link type of the frames that a datapath takes."""

_END_NS = 2**32 * 10**9
"""Times from here on, in the year 2106, do not fit into a pcap file."""

_HEADER = struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, ETHERNET)
"""Of a pcap file that counts in ns."""


@dataclass(frozen=True)
class Capture:
    """The Ethernet frames of a capture, in order.

    `numbers` are their places in the file from 1 on, `offset` and `length` their bytes in `data`, and
    `wire_length` what they had on the wire, where the capture cut them. `damage` says what is wrong with the file behind
    them; empty: it was read to its end.
    """

    name: str
    numbers: NDArray[np.uint32]
    time_ns: NDArray[np.uint64]
    offset: NDArray[np.uint64]
    length: NDArray[np.uint32]
    wire_length: NDArray[np.uint32]
    data: NDArray[np.uint8]
    skipped: int
    damage: str = ""

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.length)


def read(path: Path) -> Capture:
    """Read a capture as far as it can be read; a user error says in one line why there is nothing in it."""
    numbers, times, wire, parts = [], [], [], []
    skipped = 0
    time_ns = 0
    damage = ""
    try:
        data, damage = capture_format.contents(path)
        for number, record in enumerate(capture_format.records(data), 1):
            if record.time_ns is not None:
                time_ns = record.time_ns
            if not 0 <= time_ns < _END_NS:
                raise capture_format.DamageError(
                    f"the time of its record {number} is not between the years 1970 and 2106"
                )
            if record.link_type != ETHERNET or not record.frame:
                skipped += 1
                continue
            numbers.append(number)
            times.append(time_ns)
            wire.append(record.wire_length)
            parts.append(record.frame)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except capture_format.FormatError as error:
        raise UserError(f"{path} is not a pcap or pcapng capture{': ' if str(error) else ''}{error}") from None
    except capture_format.DamageError as error:
        damage = damage or str(error)
    if not parts:
        reason = f"none of its {skipped} records is an Ethernet frame" if skipped else "it holds no frames"
        raise UserError(f"{path}: nothing to replay, {reason}{': ' if damage else ''}{damage}")
    return replace(
        of(path.name, times, parts),
        numbers=np.array(numbers, dtype=np.uint32),
        wire_length=np.array(wire, dtype=np.uint32),
        skipped=skipped,
        damage=damage,
    )


def of(name: str, times_ns: list[int], frames: list[bytes]) -> Capture:
    """Whole frames with their times as a capture."""
    length = np.array([len(frame) for frame in frames], dtype=np.uint32)
    ends = np.cumsum(length, dtype=np.uint64)
    return Capture(
        name=name,
        numbers=np.arange(1, len(frames) + 1, dtype=np.uint32),
        time_ns=np.array(times_ns, dtype=np.uint64),
        offset=ends - length,
        length=length,
        wire_length=length,
        data=np.frombuffer(b"".join(frames), dtype=np.uint8),
        skipped=0,
    )


def write(path: Path, times_ns: list[int], frames: list[bytes]) -> None:
    """Write frames as a pcap file with nanosecond times."""
    head = struct.Struct("<4I")
    with writing(path, "wb") as file:
        file.write(_HEADER)
        for time_ns, frame in zip(times_ns, frames, strict=True):
            file.write(head.pack(*divmod(time_ns, 10**9), len(frame), len(frame)))
            file.write(frame)
