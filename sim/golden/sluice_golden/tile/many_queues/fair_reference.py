# SPDX-License-Identifier: Apache-2.0
"""FQ-CoDel as one enqueue and one dequeue over all queues, written from RFC 8290, sections 4.1 and 4.2, and not from the cycle
model.

Each queue's CoDel is :class:`~sluice_golden.codel_reference.CodelReference`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice_golden.codel_reference import CodelReference, Waiting


@dataclass
class FairReference:
    """All queues. `fates`: what became of each packet that has left, in order."""

    quantum: int
    codel: Callable[[], CodelReference]
    new: deque[int] = field(default_factory=deque)
    old: deque[int] = field(default_factory=deque)
    queues: dict[int, CodelReference] = field(default_factory=dict)
    credits: dict[int, int] = field(default_factory=dict)
    fates: list[tuple[int, str]] = field(default_factory=list)

    def enqueue(self, queue: int, packet: Waiting) -> None:
        self.queues.setdefault(queue, self.codel()).enqueue(packet)
        if queue not in self.new and queue not in self.old:
            self.new.append(queue)
            self.credits[queue] = self.quantum

    def dequeue(self, now_ns: int) -> bool:
        """Sends one packet, if any is left; whether it did."""
        while self.new or self.old:
            line = self.new or self.old
            queue = line[0]
            if self.credits[queue] <= 0:
                self.credits[queue] += self.quantum
                self.old.append(line.popleft())
                continue
            sent = self._dequeue_from(queue, now_ns)
            if sent is not None:
                self.credits[queue] -= sent
                return True
            line.popleft()
            if line is self.new:
                self.old.append(queue)
        return False

    def _dequeue_from(self, queue: int, now_ns: int) -> int | None:
        """Bytes of the packet that CoDel lets go, if there is one."""
        its = self.queues[queue]
        sizes = {packet.number: packet.size for packet in its.queue}
        before = len(its.fates)
        its.dequeue(now_ns)
        self.fates += its.fates[before:]
        number, reason = its.fates[-1] if len(its.fates) > before else (0, "drop")
        return None if reason.endswith("drop") else sizes[number]
