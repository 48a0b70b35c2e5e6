# SPDX-License-Identifier: Apache-2.0
"""What a tile of many queues counts of each: what came into it and left it, what was not let in and why, the most it ever had."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice_golden.core import Verdict


class QueueCounters(Counter[str]):
    """Counters of one queue; they only rise, but for the two of what is queued."""

    def judged(self, size: int, verdict: Verdict) -> None:
        """A packet has its verdict on arrival."""
        if verdict.reason:
            self[verdict.reason.lower().replace(" ", "_")] += 1
        if verdict.action == "drop":
            self["dropped_bytes"] += size
            return
        self._add("accepted_", 1, size)
        self._add("", 1, size)
        self["most_packets"] = max(self["most_packets"], self["packets"])

    def left(self, size: int) -> None:
        """A packet is sent."""
        self._add("departed_", 1, size)
        self._add("", -1, -size)

    def _add(self, what: str, packets: int, size: int) -> None:
        self[f"{what}packets"] += packets
        self[f"{what}bytes"] += size
