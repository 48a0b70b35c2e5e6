# SPDX-License-Identifier: Apache-2.0
"""What deficit round robin promises of queues that always have packets."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class FairShares:
    """Asserts with each packet that leaves that no queue is behind its share by more than a quantum of its own and a frame.

    Its share is as many of its quanta as the queue that is furthest ahead has sent of its. Of queues that had no packets, had
    their first turns in one round, and have had packets ever since.
    """

    def __init__(self, quanta: Mapping[int, int], frame: int) -> None:
        """Of these queues' quanta in bytes; `frame`: bytes of the longest packet."""
        whole = lcm(*quanta.values())
        self._weights = {queue: whole // quantum for queue, quantum in quanta.items()}
        # Times the queue's weight, in which shares are alike: the most that one has sent, and from where on each has too little.
        self._most = 0
        self._too_little = {queue: whole + frame * weight for queue, weight in self._weights.items()}
        self._first = min(self._too_little, key=self._too_little.__getitem__)
        self._sent = dict.fromkeys(quanta, 0)
        self.packets = 0

    def sent(self, queue: int, size: int) -> None:
        """A packet leaves."""
        self.packets += 1
        amount = size * self._weights[queue]
        self._sent[queue] += amount
        self._too_little[queue] += amount
        self._most = max(self._most, self._sent[queue])
        if queue == self._first:
            self._first = min(self._too_little, key=self._too_little.__getitem__)
        behind = (self._most - self._sent[self._first]) // self._weights[self._first]
        assert self._most <= self._too_little[self._first], (
            f"packet {self.packets}: queue {self._first} is {behind} bytes behind its share"
        )
