# SPDX-License-Identifier: Apache-2.0
"""The queues of a tile that has several, cycle by cycle, and the scheduler that picks whose packet is next.

A packet that is accepted in cycle c can be picked from cycle c + 3 on. A packet is picked at most in every second cycle, and
only while fewer than four are picked and have not left, or none where packets are picked late. In the cycle after a pick its
queue counts as one with packets still.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING

from sluice_golden.tile.queue import Left

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice_golden.tile.queue import Queued

AHEAD = 4
_ENTERING = 3
_CHARGING = 4
"""Cycles from a pick to the first that knows what it cost."""


class Scheduler(ABC):
    """Picks a queue."""

    @abstractmethod
    def pick(self, waiting: Sequence[bool], quanta: Sequence[int]) -> int:
        """The queue whose packet is next, of those that have some."""

    def charge(self, queue: int, size: int) -> None:
        """A packet that was picked some cycles ago was of so many bytes."""

    def settle(self, waiting: Sequence[bool]) -> None:
        """Ends a cycle in which these queues had packets."""


class Strict(Scheduler):
    """The queue of the lowest number."""

    def pick(self, waiting: Sequence[bool], quanta: Sequence[int]) -> int:
        del quanta
        return waiting.index(True)


class DeficitRoundRobin(Scheduler):
    """A queue sends while its deficit is not below zero, and at least one packet on its turn, which begins with its quantum."""

    MOST_DEBT = 1 << 17
    """Bytes; what is sent with more is not counted."""

    def __init__(self, queues: int) -> None:
        self.deficits = [0] * queues
        self.turn = 0

    def pick(self, waiting: Sequence[bool], quanta: Sequence[int]) -> int:
        if not waiting[self.turn] or self.deficits[self.turn] < 0:
            queues = len(waiting)
            after = [(self.turn + 1 + i) % queues for i in range(queues)]
            self.turn = next(queue for queue in after if waiting[queue])
            self.deficits[self.turn] += quanta[self.turn]
        return self.turn

    def charge(self, queue: int, size: int) -> None:
        if self.deficits[queue] >= -self.MOST_DEBT:
            self.deficits[queue] -= size

    def settle(self, waiting: Sequence[bool]) -> None:
        for queue, is_waiting in enumerate(waiting):
            if not is_waiting:
                self.deficits[queue] = min(0, self.deficits[queue])


class Queues:
    """All queues of one tile. Call :meth:`finish` at the end of each cycle."""

    def __init__(self, number: int, scheduler: Scheduler, *, picks_late: bool) -> None:
        self.scheduler = scheduler
        self._ahead = 1 if picks_late else AHEAD
        self.picked: deque[Queued] = deque()
        """Picked and not left, in their order."""
        self._entering: deque[tuple[int, Queued]] = deque()  # with the first cycle in which it can be picked
        self._rings: list[deque[Queued]] = [deque() for _ in range(number)]
        self._charges: deque[tuple[int, Queued]] = deque()
        self._just_picked: int | None = None  # the queue, in the cycle before

    @property
    def holds(self) -> int:
        return len(self._entering) + sum(map(len, self._rings)) + len(self.picked)

    def push(self, cycle: int, packet: Queued) -> None:
        """A packet is accepted in this cycle."""
        self._entering.append((cycle + _ENTERING, packet))

    def leave(self) -> Left:
        """The link takes a packet."""
        return Left(self.picked.popleft())

    def finish(self, cycle: int, left: int, quanta: Sequence[int]) -> None:
        """Ends a cycle in which so many packets have left."""
        while self._entering and self._entering[0][0] <= cycle:
            packet = self._entering.popleft()[1]
            self._rings[packet.queue].append(packet)
        waiting = [bool(ring) or queue == self._just_picked for queue, ring in enumerate(self._rings)]
        is_picking = self._just_picked is None and any(waiting) and len(self.picked) + left < self._ahead
        self._just_picked = None
        if is_picking:
            self._just_picked = self.scheduler.pick(waiting, quanta)
            packet = self._rings[self._just_picked].popleft()
            self.picked.append(packet)
            self._charges.append((cycle + _CHARGING - 1, packet))
        self.scheduler.settle(waiting)
        while self._charges and self._charges[0][0] == cycle:
            packet = self._charges.popleft()[1]
            self.scheduler.charge(packet.queue, packet.size)
