# SPDX-License-Identifier: Apache-2.0
"""CoDel as a dequeue over a whole queue, written from RFC 8289, section 5, and not from the integer model.

As in Linux a packet may be dropped only after, not at, the time that was set when the delay went above the target; a marked
packet is sent, and the state goes on as after a drop; and a packet that is sent unmarked is marked if its delay is above
`ce_threshold_ns`.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def control_law(interval_ns: int, count: int) -> float:
    """The time to the next drop."""
    return interval_ns / math.sqrt(count)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A packet in the queue."""

    number: int
    queued_ns: int
    size: int
    is_ect: bool


@dataclass
class CodelReference:
    """One queue. `fates`: what became of each packet that has left it, in order."""

    target_ns: int
    interval_ns: int
    min_bytes: int
    marks: bool
    ce_threshold_ns: float
    step: Callable[[int, int], float] = control_law
    queue: deque[Waiting] = field(default_factory=deque)
    fates: list[tuple[int, str]] = field(default_factory=list)
    bytes: int = 0
    dropping: bool = False
    count: int = 0
    last_count: int = 0
    first_above_ns: float = math.inf
    drop_next_ns: float = 0

    def enqueue(self, packet: Waiting) -> None:
        self.queue.append(packet)
        self.bytes += packet.size

    def dequeue(self, now_ns: int) -> None:
        """Sends one packet, if any is left."""
        packet, may_drop = self._take(now_ns)
        reason = ""
        if not self.dropping:
            if may_drop:
                packet, reason = self._enter(packet, now_ns)
        else:
            self.dropping = may_drop
            while self.dropping and now_ns >= self.drop_next_ns:
                self.count += 1
                if self._can_mark(packet):
                    self.drop_next_ns += self.step(self.interval_ns, self.count)
                    reason = "Target exceeded mark"
                    break
                self._drop(packet)
                packet, self.dropping = self._take(now_ns)
                if self.dropping:
                    self.drop_next_ns += self.step(self.interval_ns, self.count)
        if packet is not None:
            is_past = packet.is_ect and now_ns - packet.queued_ns > self.ce_threshold_ns
            self.fates.append((packet.number, reason or ("CE threshold exceeded mark" if is_past else "")))

    def _enter(self, packet: Waiting | None, now_ns: int) -> tuple[Waiting | None, str]:
        """The first packet of a dropping state; what is sent in its stead, or why it is marked."""
        reason = "Target exceeded mark" if self._can_mark(packet) else ""
        if not reason:
            self._drop(packet)
            packet, _ = self._take(now_ns)
        since = self.count - self.last_count
        is_soon = now_ns - self.drop_next_ns < 16 * self.interval_ns
        self.count = self.last_count = since if since > 1 and is_soon else 1
        self.dropping = True
        self.drop_next_ns = now_ns + self.step(self.interval_ns, self.count)
        return packet, reason

    def _can_mark(self, packet: Waiting | None) -> bool:
        return self.marks and packet is not None and packet.is_ect

    def _drop(self, packet: Waiting | None) -> None:
        assert packet is not None
        self.fates.append((packet.number, "Target exceeded drop"))

    def _take(self, now_ns: int) -> tuple[Waiting | None, bool]:
        """The oldest packet, and whether it may be dropped."""
        if not self.queue:
            self.first_above_ns = math.inf
            return None, False
        packet = self.queue.popleft()
        self.bytes -= packet.size
        if now_ns - packet.queued_ns < self.target_ns or self.bytes <= self.min_bytes:
            self.first_above_ns = math.inf
            return packet, False
        if self.first_above_ns == math.inf:
            self.first_above_ns = now_ns + self.interval_ns
        return packet, now_ns > self.first_above_ns
