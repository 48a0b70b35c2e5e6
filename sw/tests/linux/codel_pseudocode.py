# SPDX-License-Identifier: Apache-2.0
"""CoDel as RFC 8289, section 5, has it in pseudo-code, behind the link of HTB; for what RTL and kernel are measured against.

The root of the count is either exact or as Linux comes to it, by one step of Newton's method for each drop.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence

from sluice.experiments.linux.comparison import BURST_BYTES, Fate
from sluice.experiments.linux.traffic import Packet

TARGET_NS, INTERVAL_NS = 5e6, 100e6
LIMIT = 1000
MTU = 1514

Root = Callable[[int, float], float]
"""1 / sqrt(count) of a count and the value before it."""


def exact(count: int, _before: float) -> float:
    """As the RFC has it."""
    return 1 / math.sqrt(count)


def newton(count: int, before: float) -> float:
    """As the kernel has it; exact for a count of 1."""
    return before * (3 - count * before * before) / 2 if count > 1 else 1.0


class Codel:
    """The queue. What is dropped at its head goes without a word."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.queue: deque[tuple[int, Packet]] = deque()
        self.bytes = 0
        self.first_above = self.drop_next = 0.0
        self.count = self.last_count = 0
        self.inverse = 1.0
        self.is_dropping = False

    def enqueue(self, number: int, packet: Packet) -> None:
        if len(self.queue) < LIMIT:
            self.queue.append((number, packet))
            self.bytes += packet.bytes

    def dequeue(self, now: float) -> tuple[int, Packet] | None:
        head, is_late = self._next(now)
        if not is_late:
            self.is_dropping = False
        elif self.is_dropping:
            while self.is_dropping and now >= self.drop_next:
                self.count += 1
                self.inverse = self.root(self.count, self.inverse)
                head, self.is_dropping = self._next(now)
                if self.is_dropping:
                    self.drop_next += INTERVAL_NS * self.inverse
        else:
            head, _ = self._next(now)
            self.is_dropping = True
            since, is_soon = self.count - self.last_count, now - self.drop_next < 16 * INTERVAL_NS
            self.count = since if since > 1 and is_soon else 1
            self.inverse = self.root(self.count, self.inverse)
            self.last_count, self.drop_next = self.count, now + INTERVAL_NS * self.inverse
        return head

    def _next(self, now: float) -> tuple[tuple[int, Packet] | None, bool]:
        """The head, and whether packets have waited too long for an interval."""
        if not self.queue:
            self.first_above = 0.0
            return None, False
        number, packet = self.queue.popleft()
        self.bytes -= packet.bytes
        if now - packet.time_ns < TARGET_NS or self.bytes <= MTU:
            self.first_above = 0.0
            return (number, packet), False
        if self.first_above == 0.0:
            self.first_above = now + INTERVAL_NS
            return (number, packet), False
        return (number, packet), now >= self.first_above


def fates(packets: Sequence[Packet], ns_per_byte: float, root: Root) -> list[Fate]:
    """What becomes of all packets of a trace."""
    codel, left = Codel(root), [-1] * len(packets)
    credit, earned, free = BURST_BYTES * ns_per_byte, 0.0, math.inf  # the link waits for packets
    coming = deque(enumerate(packets))
    while coming or free < math.inf:
        if coming and coming[0][1].time_ns <= free:
            number, packet = coming.popleft()
            codel.enqueue(number, packet)
            if free < math.inf:
                continue
            now = float(packet.time_ns)
        else:
            now = free
        credit, earned = min(credit + now - earned, BURST_BYTES * ns_per_byte), now
        while credit >= 0 and (head := codel.dequeue(now)):
            left[head[0]] = int(now)
            credit -= head[1].bytes * ns_per_byte
        free = now - credit if credit < 0 else math.inf
    return [Fate(packet.time_ns, at, is_marked=False) for packet, at in zip(packets, left, strict=True)]
