# SPDX-License-Identifier: Apache-2.0
"""The captured flow ids: the list that flows are looked up in, and the window that they are counted from.

Both follow one rule, which also says what a change of their length means: an arrival removes the oldest entry if the list
holds more than its limit, counting the arrival's own capture, and never more than one. So a list that is made shorter
shrinks by one entry with each arrival, and one that is made longer fills with captures.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from sluice_golden.blocks.estimators.frequency import FrequencyCounter
from sluice_golden.blocks.state import State

if TYPE_CHECKING:
    from typing import Self


class CaptureList(State):
    """Flow ids in the order of their capture, and how often each occurs."""

    def __init__(self, fingerprint_bits: int = 32) -> None:
        self._mask = (1 << fingerprint_bits) - 1
        self._ids: deque[int] = deque()
        self._count: dict[int, int] = {}

    def fork(self) -> Self:
        other = super().fork()
        other._ids, other._count = self._ids.copy(), self._count.copy()
        return other

    def __len__(self) -> int:
        return len(self._ids)

    def count(self, flow: int) -> int:
        """m2: entries of this flow (of its fingerprint, where only that is kept)."""
        return self._count.get(flow & self._mask, 0)

    def __getitem__(self, index: int) -> int:
        """An id, the oldest first."""
        return self._ids[index]

    def arrive(self, flow: int, is_captured: bool, limit: int) -> tuple[int | None, int | None]:
        """Counts that changed: of the removed id before its removal, of the captured id before its capture."""
        removed = captured = None
        if len(self._ids) + is_captured > limit:
            oldest = self._ids.popleft()
            removed = self._count[oldest]
            if removed == 1:
                del self._count[oldest]
            else:
                self._count[oldest] = removed - 1
        if is_captured:
            flow &= self._mask
            captured = self._count.get(flow, 0)
            self._count[flow] = captured + 1
            self._ids.append(flow)
        return removed, captured


class CaptureWindow(State):
    """The most recent captures and their frequencies."""

    def __init__(self) -> None:
        self._list = CaptureList()
        self.counter = FrequencyCounter()

    def fork(self) -> Self:
        other = super().fork()
        other._list, other.counter = self._list.fork(), self.counter.fork()
        return other

    def __len__(self) -> int:
        return len(self._list)

    def arrive(self, flow: int, is_captured: bool, limit: int) -> bool:
        """Whether the window changed."""
        removed, captured = self._list.arrive(flow, is_captured, limit)
        if removed is not None:
            self.counter.remove(removed - 1)
        if captured is not None:
            self.counter.capture(captured + 1)
        return removed is not None or captured is not None
