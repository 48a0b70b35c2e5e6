# SPDX-License-Identifier: Apache-2.0
"""What a tile's registers count, by their names: what comes, what becomes of it and why, and of each of several queues."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from sluice_golden.core import PASS, Verdict
from sluice_golden.tile.many_queues.queue_counters import QueueCounters

if TYPE_CHECKING:
    from sluice_golden.tile.queue import Left, Queued


class Counters(Counter[str]):
    """All counters of one tile; they only rise."""

    def __init__(self, *, has_queues: bool) -> None:
        super().__init__()
        self._has_queues = has_queues
        self.of_each: defaultdict[int, QueueCounters] = defaultdict(QueueCounters)
        """Of queues, where a tile has many and counts of each."""

    def judged(self, packet: Queued, verdict: Verdict) -> None:
        """A packet has its verdict on arrival."""
        self._add("received", packet.size)
        self._of_queue(packet, "received")
        self._reason(verdict)
        self.of_each[packet.queue].judged(packet.size, verdict)
        if verdict.action == "drop":
            self["dropped_bytes"] += packet.size
            self._of_queue(packet, "dropped")

    def dropped_in_queue(self, packet: Queued, verdict: Verdict) -> None:
        """It was accepted, and is dropped."""
        self._reason(verdict)
        self._add("queue_dropped", packet.size)

    def left(self, left: Left) -> None:
        """A packet leaves the queue at its head."""
        if left.is_dropped:
            self.dropped_in_queue(left.packet, Verdict("drop", left.reason))
            return
        self._reason(Verdict("mark", left.reason) if left.reason else PASS)
        self._add("departed", left.packet.size)
        self.of_each[left.packet.queue].left(left.packet.size)
        self._of_queue(left.packet, "departed")

    def _reason(self, verdict: Verdict) -> None:
        if verdict.reason:
            self[verdict.reason.lower().replace(" ", "_")] += 1

    def _of_queue(self, packet: Queued, what: str) -> None:
        if self._has_queues:
            self._add(f"queue{packet.queue}_{what}", packet.size)

    def _add(self, what: str, size: int) -> None:
        self[f"{what}_packets"] += 1
        self[f"{what}_bytes"] += size
