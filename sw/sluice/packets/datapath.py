# SPDX-License-Identifier: Apache-2.0
"""A Verilated datapath in this process: registers, and whole captures through it in one call."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sluice.packets.capture import Capture
from sluice.support.errors import UserError

SEEN = np.dtype(
    [
        ("source", "u1", 16),
        ("destination", "u1", 16),
        ("flow", "<u4"),
        ("tunnel_id", "<u4"),
        ("mpls_label", "<u4"),
        ("rtt_us", "<u4"),
        ("has", "<u2"),
        ("ether_type", "<u2"),
        ("vlan_id", "<u2", 2),
        ("source_port", "<u2"),
        ("destination_port", "<u2"),
        ("fragment_offset", "<u2"),
        ("ip_length", "<u2"),
        ("ip_id", "<u2"),
        ("tcp_flags", "<u2"),
        ("outcome", "u1"),
        ("tunnel", "u1"),
        ("protocol", "u1"),
        ("service", "u1"),
        ("ttl", "u1"),
        ("network_word", "u1"),
        ("transport_word", "u1"),
        ("action", "u1"),
        ("reason", "u1"),
        ("rtt_option", "u1"),
        ("queue", "<u2"),
    ]
)
"""`SluiceSeen` of sim/model/sluice-datapath.h: what the RTL saw of a frame, and what became of it."""

HAS = {
    name: 1 << bit
    for bit, name in enumerate(
        (
            "vlan0", "vlan1", "type", "mpls", "ip", "ipv6", "protocol", "fragment", "ports", "tunnel", "tcp_flags",
            "shifted",
        )
    )
}  # fmt: skip
"""Bits of `has`."""

OUTCOMES = ("whole", "no_ports", "fragment", "not_ip", "runt", "cut", "bad_ip", "deep")
RTT_OPTIONS = ("none", "good", "bad", "beyond")
TUNNELS = ("", "gtp", "pppoe", "vxlan", "geneve", "gre", "l2tp")
ACTIONS = ("pass", "mark", "drop", "oversize")
_PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_uint64)


class QueueCounts(ctypes.Structure):
    """`SluiceQueue`: what has come into a queue, by the verdicts, and the most frames that it held at a time."""

    _fields_ = (
        ("accepted_packets", ctypes.c_uint64),
        ("accepted_bytes", ctypes.c_uint64),
        ("most_packets", ctypes.c_uint64),
    )


class _Replay(ctypes.Structure):
    _fields_ = (
        ("frames", ctypes.c_uint64),
        ("arrival_ns", ctypes.c_void_p),
        ("offset", ctypes.c_void_p),
        ("bytes", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("port_rtt_us", ctypes.c_void_p),
        ("output", ctypes.c_void_p),
        ("entry_ns", ctypes.c_void_p),
        ("departure_ns", ctypes.c_void_p),
        ("seen", ctypes.c_void_p),
        ("is_steady", ctypes.c_uint64),
        ("writes", ctypes.c_uint64),
        ("write_ns", ctypes.c_void_p),
        ("write_address", ctypes.c_void_p),
        ("write_value", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class Writes:
    """Words that are written into registers while frames pass; one entry each, in order."""

    time_ns: NDArray[np.uint64]
    """At the datapath's input, when the access begins."""
    address: NDArray[np.uint32]
    value: NDArray[np.uint32]


NO_WRITES = Writes(np.zeros(0, np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.uint32))


@dataclass(frozen=True)
class Outcome:
    """What became of a capture; one entry per frame: when its first beat came and left; 0 where it was dropped."""

    seen: NDArray[Any]
    entry_ns: NDArray[np.uint64]
    departure_ns: NDArray[np.uint64]
    output: NDArray[np.uint8]
    clocks: int


class Datapath:
    """One datapath; a `sluice.hardware.registers.Bus` and a replayer."""

    def __init__(self, library: Path) -> None:
        """Load `libsluice_datapath.so`."""
        self._library = ctypes.CDLL(str(library))
        self._library.sluice_datapath_error.restype = ctypes.c_char_p
        self._library.sluice_datapath_create.restype = ctypes.c_void_p
        self._library.sluice_datapath_replay.restype = ctypes.c_uint64
        self._library.sluice_datapath_read.restype = ctypes.c_uint32
        self._library.sluice_datapath_write.restype = ctypes.c_uint32
        self._library.sluice_datapath_room_clocks.restype = ctypes.c_uint64
        if self._library.sluice_datapath_seen_bytes() != SEEN.itemsize:
            raise UserError(f"{library} is of another version; remove it to have it built anew")
        self._handle = ctypes.c_void_p(self._library.sluice_datapath_create())
        if not self._handle:
            raise UserError(f"{library} makes no datapath: {self._error()}")

    def close(self) -> None:
        """Free the model."""
        self._library.sluice_datapath_destroy(self._handle)

    def _error(self) -> str:
        """Why the last call failed."""
        return bytes(self._library.sluice_datapath_error()).decode()

    def read(self, address: int) -> int:
        """A register word."""
        value = ctypes.c_uint32()
        if not self._library.sluice_datapath_read(self._handle, address, ctypes.byref(value)):
            raise ValueError(self._error())
        return value.value

    def write(self, address: int, value: int) -> None:
        """Write a register word."""
        if not self._library.sluice_datapath_write(self._handle, address, value):
            raise ValueError(self._error())

    def of_queue(self, queue: int) -> QueueCounts:
        """What has become of a queue so far."""
        counts = QueueCounts()
        self._library.sluice_datapath_queue(self._handle, queue, ctypes.byref(counts))
        return counts

    def room_clocks(self) -> dict[str, int]:
        """Clocks so far of each part of the datapath whose clock stands still while nothing moves in it."""
        clocks: dict[str, int] = {}
        name = ctypes.c_char_p()
        while True:
            count = self._library.sluice_datapath_room_clocks(self._handle, len(clocks), ctypes.byref(name))
            if name.value is None:
                return clocks
            clocks[name.value.decode()] = int(count)

    def replay(
        self,
        capture: Capture,
        arrival_ns: NDArray[np.uint64],
        progress: Callable[[int], None],
        is_steady: bool = False,
        port_rtt_us: NDArray[np.uint32] | None = None,
        writes: Writes = NO_WRITES,
    ) -> Outcome:
        """Run a capture through, each frame no earlier than its arrival time, and with what the port says of its round-trip time;
        registers are written meanwhile.

        Clocks in which nothing happens are jumped over, unless time `is_steady`: a model of the jumps to compare with.
        """
        seen = np.zeros(len(capture), dtype=SEEN)
        entry_ns = np.zeros(len(capture), dtype=np.uint64)
        departure_ns = np.zeros(len(capture), dtype=np.uint64)
        output = np.zeros_like(capture.data)
        port_us = np.zeros(len(capture), dtype=np.uint32) if port_rtt_us is None else port_rtt_us
        given = (arrival_ns, capture.offset, capture.length, capture.data, port_us)
        arrays = (*given, output, entry_ns, departure_ns, seen)
        words = (writes.time_ns, writes.address, writes.value)
        assert all(array.flags.c_contiguous for array in (*arrays, *words))
        request = _Replay(
            len(capture),
            *(array.ctypes.data for array in arrays),
            is_steady,
            len(writes.time_ns),
            *(array.ctypes.data for array in words),
        )
        clocks = self._library.sluice_datapath_replay(self._handle, ctypes.byref(request), _PROGRESS(progress))
        if not clocks:
            raise UserError(f"{self._error()}; this is a bug, please report it with the capture")
        return Outcome(seen, entry_ns, departure_ns, output, int(clocks))
