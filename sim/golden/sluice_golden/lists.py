# SPDX-License-Identifier: Apache-2.0
"""The many queues of a tile that keeps them as lists, cycle by cycle: those that have packets wait for their turns in one line.

A queue that gets a packet while it has none goes to the end of the line, four cycles after that packet came to it. On its turn it
sends one packet, and goes to the end again if it has more. What it has is looked at three cycles after its turn began: the
packets that came in the cycles before. It is in the line again six cycles after that. Of two that go to the end in one cycle the
one that has sent is first. A turn begins in a cycle after the queue went into the line, and only while fewer than sixteen packets
are picked and have not left.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from sluice_golden.queue import Left

if TYPE_CHECKING:
    from sluice_golden.queue import Queued

AHEAD = 16
LOOKING = 8
"""Cycles by which a core of many queues sees everything later."""
LATER = 8
"""Cycles that a packet that left counts longer than in a tile of few queues."""
TURN = 10
"""Cycles from a queue's turn to its next one, if no other waits."""
_ENTERING = 1
_POPPING = 3
_FIRST_TURN = 4
_NEXT_TURN = 6


class Lists:
    """All queues of one tile. Call :meth:`finish` at the end of each cycle."""

    def __init__(self, number: int) -> None:
        self.picked: deque[Queued] = deque()
        """Picked and not left, in their order."""
        self.holds = 0
        """Packets that are accepted and have not left."""
        self.turns: deque[int] = deque()
        self._queues: list[deque[Queued]] = [deque() for _ in range(number)]
        # What is to come, with its cycle.
        self._pushes: deque[tuple[int, Queued]] = deque()
        self._pops: deque[tuple[int, int]] = deque()
        self._next_turns: deque[tuple[int, int]] = deque()
        self._first_turns: deque[tuple[int, int]] = deque()

    def push(self, cycle: int, packet: Queued) -> None:
        """A packet is accepted in this cycle."""
        self.holds += 1
        self._pushes.append((cycle + _ENTERING, packet))

    def leave(self) -> Left:
        """The link takes a packet."""
        self.holds -= 1
        return Left(self.picked.popleft())

    def finish(self, cycle: int, left: int) -> None:
        """Ends a cycle in which so many packets have left."""
        if self.turns and len(self.picked) + left < AHEAD:
            queue = self.turns.popleft()
            self.picked.append(self._queues[queue][0])
            self._pops.append((cycle + _POPPING, queue))
        if self._pops and self._pops[0][0] == cycle:
            queue = self._pops.popleft()[1]
            self._queues[queue].popleft()
            if self._queues[queue]:
                self._next_turns.append((cycle + _NEXT_TURN, queue))
        if self._pushes and self._pushes[0][0] == cycle:
            packet = self._pushes.popleft()[1]
            if not self._queues[packet.queue]:
                self._first_turns.append((cycle + _FIRST_TURN, packet.queue))
            self._queues[packet.queue].append(packet)
        for due in (self._next_turns, self._first_turns):
            if due and due[0][0] == cycle:
                self.turns.append(due.popleft()[1])
