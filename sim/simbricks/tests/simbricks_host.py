# SPDX-License-Identifier: Apache-2.0
"""A simulator that listens for a network component as SimBricks' do, and speaks its protocol over shared memory.

What it sends is planned; it keeps in step with the component, and notes what comes and when.
"""

from __future__ import annotations

import mmap
import os
import socket
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Self

_SLOTS, _SLOT_BYTES, _HEAD = 64, 1600, 64
_QUEUE_BYTES = _SLOTS * _SLOT_BYTES
_OWNER, _TIME = 63, 48
_READABLE, _SYNC, _END, _FRAME = 0x80, 0x00, 0x01, 0x40
IN_STEP, NEEDS_STEP = 1, 2


class Host:
    """Sends frames at their times in ps, speaks at least so often, and ends at a time."""

    def __init__(
        self, path: Path, latency_ps: int, interval_ps: int, end_ps: int, plan: Sequence[tuple[int, bytes]]
    ) -> None:
        self._latency_ps, self._interval_ps, self._end_ps = latency_ps, interval_ps, end_ps
        self._plan = list(plan)
        self._file = os.memfd_create("queues")
        os.ftruncate(self._file, 2 * _QUEUE_BYTES)
        self._memory = mmap.mmap(self._file, 2 * _QUEUE_BYTES)
        self._written = self._read = 0
        self._said_ps: int | None = None
        self._known_ps = -1
        self.has_ended = False
        self.came: list[tuple[int, bytes]] = []
        """Frames, and when."""
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()

    def greet(self, flags: int = IN_STEP) -> int:
        """Accept the component, and return the flags with which it comes."""
        self._listener.settimeout(60)
        self._link, _ = self._listener.accept()
        queues = (0, _SLOT_BYTES, _SLOTS, _QUEUE_BYTES, _SLOT_BYTES, _SLOTS)
        greeting = struct.pack("=10QI", 1, flags, *queues, 1, 80, 0)
        socket.send_fds(self._link, [greeting], [self._file])
        version, its, upper, offset, _ = struct.unpack("=4QI", self._link.recv(36, socket.MSG_WAITALL))
        assert (version, upper, offset) == (1, 1, 32)
        return int(its)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Go, with or without a word."""
        self._listener.close()
        if hasattr(self, "_link"):
            self._link.close()
        os.close(self._file)

    def step(self) -> None:
        """Hear what there is, and go on as far as it is known what comes."""
        while self._hear():
            pass
        while not self.has_ended and self._say():
            pass

    def _hear(self) -> bool:
        at = _QUEUE_BYTES + self._read % _SLOTS * _SLOT_BYTES
        kind = self._memory[at + _OWNER]
        if not kind & _READABLE:
            return False
        (time_ps,) = struct.unpack_from("=Q", self._memory, at + _TIME)
        assert time_ps >= self._known_ps, "time does not fall"
        self._known_ps = time_ps
        if kind == _READABLE | _FRAME:
            (size,) = struct.unpack_from("=H", self._memory, at)
            self.came.append((time_ps, self._memory[at + _HEAD : at + _HEAD + size]))
        else:
            assert kind in (_READABLE | _SYNC, _READABLE | _END)
        self._memory[at + _OWNER] = kind & ~_READABLE
        self._read += 1
        return True

    def _say(self) -> bool:
        at = self._written % _SLOTS * _SLOT_BYTES
        due_ps = 0 if self._said_ps is None else self._said_ps + self._interval_ps
        frame_ps = self._plan[0][0] if self._plan else self._end_ps
        now_ps = min(due_ps, frame_ps, self._end_ps)
        if self._memory[at + _OWNER] & _READABLE or now_ps > max(self._known_ps, 0):
            return False
        kind = _SYNC
        if self._plan and now_ps == frame_ps:
            _, frame = self._plan.pop(0)
            struct.pack_into(f"=H62x{len(frame)}s", self._memory, at, len(frame), frame)
            kind = _FRAME
        elif now_ps == self._end_ps:
            kind = _END
            self.has_ended = True
        struct.pack_into("=Q", self._memory, at + _TIME, now_ps + self._latency_ps)
        self._memory[at + _OWNER] = kind | _READABLE
        self._written, self._said_ps = self._written + 1, now_ps
        return True
