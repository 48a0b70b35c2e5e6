# SPDX-License-Identifier: Apache-2.0
"""A Verilated datapath as a stream, which is how `sluice live` drives it."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_uint8, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING

from lib.simulation import registers

from sluice.hardware.datapaths import DatapathConfig, find
from sluice.packets.datapath import SEEN, Datapath

if TYPE_CHECKING:
    from collections.abc import Iterator

NEVER = 2**64 - 1
_ROOM = 64
"""Verdicts and frames that are taken in one call."""


class _Verdict(ctypes.Structure):
    _fields_ = (("frame", c_uint64), ("entry_ns", c_uint64), ("seen", c_uint8 * SEEN.itemsize))


class _Departed(ctypes.Structure):
    _fields_ = (
        ("frame", c_uint64),
        ("entry_ns", c_uint64),
        ("departure_ns", c_uint64),
        ("data", POINTER(c_uint8)),
        ("bytes", c_uint32),
        ("action", c_uint8),
        ("reason", c_uint8),
    )


class _Access(ctypes.Structure):
    _fields_ = (("address", c_uint32), ("value", c_uint32), ("is_write", c_uint8), ("is_okay", c_uint8))


class Stream(Datapath):
    """A datapath whose frames and accesses come one by one; with time standing still it is a `Bus` as every datapath."""

    def __init__(self, name: str) -> None:
        """Load the datapath of that name."""
        chosen: DatapathConfig = find(name)
        super().__init__(chosen.library)
        self.registers = registers(name)
        calls, handle = self._library, c_void_p
        calls.sluice_datapath_now.argtypes = [handle]
        calls.sluice_datapath_now.restype = c_uint64
        calls.sluice_datapath_offer.argtypes = [handle, c_uint64, ctypes.c_char_p, c_uint32, c_uint32]
        calls.sluice_datapath_offer.restype = c_uint64
        calls.sluice_datapath_run_until.argtypes = [handle, c_uint64, c_uint64]
        calls.sluice_datapath_run_until.restype = c_uint64
        calls.sluice_datapath_next_event.argtypes = [handle]
        calls.sluice_datapath_next_event.restype = c_uint64

    @property
    def now_ns(self) -> int:
        """The model's time."""
        return int(self._library.sluice_datapath_now(self._handle))

    @property
    def next_event_ns(self) -> int:
        """When something is to be done."""
        return int(self._library.sluice_datapath_next_event(self._handle))

    def offer(self, arrival_ns: int, frame: bytes) -> int:
        """The frame's number, or `NEVER`."""
        return int(self._library.sluice_datapath_offer(self._handle, arrival_ns, frame, len(frame), 0))

    def run_until(self, until_ns: int, most_clocks: int = NEVER) -> int:
        """Clocks that it took."""
        clocks = int(self._library.sluice_datapath_run_until(self._handle, until_ns, most_clocks))
        assert clocks != NEVER, self._error()
        return clocks

    def verdicts(self) -> Iterator[tuple[int, int, bytes]]:
        """Number, entry and what was seen of each frame with a verdict that was not taken before."""
        room = (_Verdict * _ROOM)()
        while count := self._library.sluice_datapath_verdicts(self._handle, room, _ROOM):
            yield from ((v.frame, v.entry_ns, bytes(v.seen)) for v in room[:count])

    def departed(self) -> Iterator[tuple[int, int, bytes, int, int]]:
        """Number, departure, bytes, action and reason of each frame that has left or was dropped."""
        room = (_Departed * _ROOM)()
        while count := self._library.sluice_datapath_departed(self._handle, room, _ROOM):
            for left in room[:count]:
                data = bytes(left.data[: left.bytes])
                yield left.frame, left.departure_ns, data, left.action, left.reason

    def begin_access(self, address: int, value: int | None = None) -> bool:
        """Whether the access may begin: a read, or the write of a value."""
        access = _Access(address, value or 0, value is not None, 0)
        return bool(self._library.sluice_datapath_access(self._handle, byref(access)))

    def accessed(self) -> tuple[int, int, bool] | None:
        """Address, value and whether it was OKAY, of the access that has ended."""
        done = _Access()
        if not self._library.sluice_datapath_accessed(self._handle, byref(done)):
            return None
        return done.address, done.value, bool(done.is_okay)
