# SPDX-License-Identifier: Apache-2.0
"""Packets that come whatever becomes of them: at a constant rate, or as a capture has them."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from sluice.packets import capture
from sluice.support.errors import UserError

LEAST_BYTES, MOST_BYTES = 64, 9216
"""Of a frame without its check sequence."""

_IPV4, _IPV6 = 0x0800, 0x86DD
_MIXED = 0x9E3779B1  # 2^32 / golden ratio, odd: flows that are numbered become ids that differ in all bits


class Packet(NamedTuple):
    """A frame that comes: when, from the trace's beginning on, its bytes, its flow and its ECN field."""

    time_ns: int
    bytes: int
    flow: int
    ecn: int


def constant(rate_bps: float, seconds: float, frame_bytes: int = 1000, flows: int = 8, of_ect: int = 2) -> list[Packet]:
    """Frames of one size at equal distances, of so many flows in turn; of every `of_ect` flows one is ECN-capable."""
    period_ns = 8e9 * frame_bytes / rate_bps
    count = int(seconds * 1e9 / period_ns)
    return [
        Packet(round(i * period_ns), frame_bytes, i % flows * _MIXED % 2**32, 2 if i % flows % of_ect == 0 else 0)
        for i in range(count)
    ]


def of_capture(path: Path) -> list[Packet]:
    """The frames of a capture: sizes, times, and flows and ECN fields by their IP headers."""
    read = capture.read(path)
    flows: dict[bytes, int] = {}
    packets = []
    start = int(read.time_ns[0]) if len(read) else 0
    for time, at, length, wire in zip(read.time_ns, read.offset, read.length, read.wire_length, strict=True):
        frame = bytes(read.data[int(at) : int(at) + min(int(length), 64)])
        key, ecn = _flow_and_ecn(frame)
        flow = flows.setdefault(key, len(flows))
        size = min(max(int(wire), LEAST_BYTES), MOST_BYTES)
        packets.append(Packet(max(0, int(time) - start), size, (flow + 1) * _MIXED % 2**32, ecn))
    if not packets:
        raise UserError(f"{path} has no frame to send")
    packets.sort(key=lambda packet: packet.time_ns)
    return packets


def _flow_and_ecn(frame: bytes) -> tuple[bytes, int]:
    """Addresses, protocol and ports, and the ECN field; of what is not IP the addresses of Ethernet, and none."""
    kind = int.from_bytes(frame[12:14], "big")
    if kind == _IPV4 and len(frame) >= 38:
        head = 14 + 4 * (frame[14] & 15)
        return frame[23:24] + frame[26:34] + frame[head : head + 4], frame[15] & 3
    if kind == _IPV6 and len(frame) >= 58:
        return frame[20:21] + frame[22:58], frame[15] >> 4 & 3
    return frame[:12], 0


def mean_bytes(packets: list[Packet]) -> int:
    """The mean size, which a discipline that counts in packets is told."""
    return round(fmean(packet.bytes for packet in packets))


def text(packets: list[Packet]) -> str:
    """Lines as the programs of sim/linux read them."""
    return "".join(f"{p.time_ns} {p.bytes} {p.flow} {p.ecn}\n" for p in packets)
