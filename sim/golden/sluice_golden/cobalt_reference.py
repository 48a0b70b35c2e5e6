# SPDX-License-Identifier: Apache-2.0
"""COBALT as a dequeue over a whole queue, written from what Linux' ``sch_cake.c`` does with one flow (a packet at the head, a
full queue, an empty one), in floating point, and not from the integer model.

It does at once what the integer model does one packet after the other: where several steps of a falling count are due it takes
all of them, and one more where it finds the queue empty. How often that was more than the model does stands in ``ahead``.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def control_law(interval_ns: int, count: int) -> float:
    """The time to the next step of the count."""
    return interval_ns / math.sqrt(max(count, 1))


@dataclass(frozen=True, slots=True)
class Waiting:
    """A packet in the queue; `draw`: from 0 to 1."""

    number: int
    queued_ns: int
    is_ect: bool
    draw: float


@dataclass
class CobaltReference:
    """One queue. `fates`: what became of each packet that has left it, in order."""

    target_ns: int
    interval_ns: int
    mtu_time_ns: int
    increment: float
    decrement: float
    marks: bool
    limit: int
    step: Callable[[int, int], float] = control_law
    queue: deque[Waiting] = field(default_factory=deque)
    fates: list[tuple[int, str]] = field(default_factory=list)
    count: int = 0
    drop_next_ns: float = 0
    dropping: bool = False
    p_drop: float = 0.0
    blue_timer_ns: float = -math.inf
    ahead: int = 0

    def enqueue(self, packet: Waiting, now_ns: int) -> bool:
        """Whether it finds room."""
        if len(self.queue) < self.limit:
            self.queue.append(packet)
            return True
        if now_ns - self.blue_timer_ns > self.target_ns:
            self.p_drop = min(1.0, self.p_drop + self.increment)
            self.blue_timer_ns = now_ns
        self.dropping = True
        self.drop_next_ns = now_ns
        self.count = self.count or 1
        return False

    def dequeue(self, now_ns: int) -> None:
        """Sends one packet, if any is left."""
        while self.queue:
            packet = self.queue.popleft()
            reason, is_marked = self._should_drop(packet, now_ns)
            if not reason or not self.queue:
                self.fates.append((packet.number, "Target exceeded mark" if is_marked else ""))
                return
            self.fates.append((packet.number, reason))
        self._found_empty(now_ns)

    def _found_empty(self, now_ns: int) -> None:
        if self.p_drop > 0 and now_ns - self.blue_timer_ns > self.target_ns:
            self.p_drop = max(0.0, self.p_drop - self.decrement)
            self.blue_timer_ns = now_ns
        self.dropping = False
        if self.count > 0 and now_ns >= self.drop_next_ns:
            self.ahead += 1
            self._fall()

    def _fall(self) -> None:
        self.count -= 1
        self.drop_next_ns += self.step(self.interval_ns, self.count)

    def _should_drop(self, packet: Waiting, now_ns: int) -> tuple[str, bool]:
        """Why the packet is to go, if it is, and whether it is marked."""
        sojourn = now_ns - packet.queued_ns
        since = now_ns - self.drop_next_ns
        is_over = sojourn > self.target_ns and sojourn > 4 * self.mtu_time_ns
        is_due = self.count > 0 and since >= 0
        reason, is_marked = "", False
        if is_over:
            if not self.dropping:
                self.dropping = True
                self.drop_next_ns = now_ns + self.step(self.interval_ns, self.count)
            self.count = self.count or 1
        else:
            self.dropping = False
        if is_due and self.dropping:
            is_marked = self.marks and packet.is_ect
            reason = "" if is_marked else "Target exceeded drop"
            self.count = min(self.count + 1, (1 << 16) - 1)
            self.drop_next_ns += self.step(self.interval_ns, self.count)
            since = now_ns - self.drop_next_ns
        else:
            steps = 0
            while is_due:
                self._fall()
                since = now_ns - self.drop_next_ns
                is_due = self.count > 0 and since >= 0
                steps += 1
            self.ahead += max(0, steps - 1)
        if not reason and packet.draw < self.p_drop:
            reason = "BLUE drop"
        if not self.count:
            self.drop_next_ns = now_ns + self.interval_ns
        elif since > 0 and not reason:
            self.drop_next_ns = now_ns
        return reason, is_marked
