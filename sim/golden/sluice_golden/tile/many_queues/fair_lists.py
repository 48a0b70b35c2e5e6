# SPDX-License-Identifier: Apache-2.0
"""The many queues of a tile that gives them turns as RFC 8290, section 4.2, has it, and judges packets at their heads, cycle by
cycle.

There are two lists of queues. A packet that comes to a queue in neither puts it at the end of the new ones. When the link
asks, the first queue of the new ones has a turn, or of the old ones if there is no new one. A queue whose deficit is not
above zero gets its quantum, and goes to the end of the old ones. Another one has its first packet judged; if that is sent,
the queue's deficit goes down by its bytes, and if it is dropped it does not, and the queue stays where it is. One without a
packet goes from the new ones to the end of the old ones, or from the old ones out of both. Its deficit is its quantum when
it comes back.

An ask is met by one packet that is sent; a turn that ends otherwise leaves it unmet. While a turn is under way its queue has
no other, and other asks have turns of other queues: a queue that stays at the front of its list goes before those that had
no turn yet.

A turn begins three cycles after it is taken, sees the packets that came in the cycles before, and takes its packet away; a
packet finds its queue as all turns of its cycle and before have left it. The packet is with the core twelve cycles later; a
cycle after the verdict the turn ends, and the queue has its place in a list. A queue that comes into a list is there five
cycles after its packet. What is in a list can be taken from the next cycle on. At most 32 turns are under way or have
packets that have not left.

A new queue that had no packet behind its last one does not know its first one: its next turn only finds that out.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sluice_golden.core import Verdict
from sluice_golden.tile.queue import Left

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice_golden.core import CoreModel
    from sluice_golden.tile.queue import Limits, Queued

_PLACES = 32
_BEGINNING = 3
_PAYING = 2
"""Cycles from a turn's beginning to a look at its queue's quantum."""
_PRESENTING = 12
_ENTERING = 5


@dataclass(frozen=True, slots=True)
class _Turn:
    queue: int
    is_new: bool = True
    knows_first: bool = True
    is_first: bool = True
    """Since the queue came into a list."""


@dataclass(slots=True)
class _Visit:
    """A turn under way."""

    cycle: int
    turn: _Turn
    packet: Queued | None = None
    behind: tuple[int, int] = (0, 0)
    """Packets and bytes."""
    verdict: Verdict | None = None
    after: _Turn | None = None
    """Its queue's next turn, if that stays in a list."""
    is_at_front: bool = False


class FairLists:
    """All queues of one tile. Call the methods of one cycle in the order in which they stand here."""

    places = _PLACES
    """Turns that may be under way, or have packets that have not left."""

    def __init__(self, core: CoreModel, head_latency: int, number: int) -> None:
        self.core, self.head_latency = core, head_latency
        self.limits: Sequence[Limits] = ()
        """What each queue is set to in this cycle."""
        self.leaving: deque[Left] = deque()
        """What has been judged, oldest first."""
        self.deficits = [0] * number
        self._queues: list[deque[Queued]] = [deque() for _ in range(number)]
        self._bytes = [0] * number
        self._is_listed = [False] * number
        # New and old queues: those that stay at the front, and the others.
        self._lists: dict[bool, tuple[deque[_Turn], deque[_Turn]]] = {
            is_new: (deque(), deque()) for is_new in (True, False)
        }
        self._pushes: deque[tuple[int, Queued]] = deque()
        self._coming: deque[tuple[int, _Turn]] = deque()  # into the new ones
        self._visits: deque[_Visit] = deque()
        self._accepted = self._gone = self._owed = self._unmet = self._taken = 0

    @property
    def holds(self) -> int:
        """Packets in it."""
        return self._accepted - self._gone

    @property
    def is_asked(self) -> bool:
        """An ask is unmet, and no turn is under way."""
        return self._owed > 0 and self._unmet == self._owed

    @property
    def has_turns(self) -> bool:
        """A turn is under way, or is taken next."""
        return len(self._visits) > 0 or (
            self._unmet > 0 and any(line for lines in self._lists.values() for line in lines)
        )

    def leave(self) -> Left:
        """The oldest judged packet leaves."""
        self._gone += 1
        return self.leaving.popleft()

    def push(self, cycle: int, packet: Queued) -> None:
        """A packet is accepted, and comes in that cycle."""
        self._accepted += 1
        self._pushes.append((cycle, packet))

    def fetch(self, cycle: int, left: int, *, asks: bool) -> None:
        """A turn is taken, if one may be. So many packets have left in this cycle, and the link asked or not."""
        line = next((line for is_new in (True, False) for line in self._lists[is_new] if line), None)
        is_taking = self._unmet > 0 and self._taken < _PLACES and line is not None
        if is_taking:
            assert line is not None
            self._visits.append(_Visit(cycle + _BEGINNING, line.popleft()))
        self._unmet += asks - is_taking
        self._owed += asks
        self._taken += is_taking - left

    def finish(self, cycle: int, now_ns: int) -> None:
        """Ends this cycle: turns begin, packets come, are presented and judged, turns end."""
        for visit in self._visits:
            if visit.cycle == cycle:
                self._begin(visit)
            elif visit.cycle == cycle - _PAYING:
                self._pay(visit)
            elif visit.cycle == cycle - _PRESENTING + 1 and visit.packet is not None:
                self._judge(visit, visit.packet, now_ns)
        while self._pushes and self._pushes[0][0] == cycle:
            self._enter(cycle, self._pushes.popleft()[1])
        while self._coming and self._coming[0][0] == cycle:
            self._lists[True][1].append(self._coming.popleft()[1])
        if self._visits and self._visits[0].cycle == cycle - _PRESENTING - self.head_latency - 1:
            self._end(self._visits.popleft())

    def _begin(self, visit: _Visit) -> None:
        turn = visit.turn
        waiting = self._queues[turn.queue]
        if not turn.is_first and self.deficits[turn.queue] <= 0:
            visit.after = replace(turn, is_new=False, is_first=False)
        elif waiting and (turn.knows_first or not turn.is_new):
            visit.packet = waiting.popleft()
            self._bytes[turn.queue] -= visit.packet.size
            visit.behind = (len(waiting), self._bytes[turn.queue])
            visit.after = _Turn(turn.queue, turn.is_new, knows_first=bool(waiting), is_first=False)
            visit.is_at_front = True
        elif waiting:
            visit.after = replace(turn, knows_first=True, is_first=False)
            visit.is_at_front = True
        elif turn.is_new:
            visit.after = _Turn(turn.queue, is_new=False, knows_first=False, is_first=False)
        else:
            self._is_listed[turn.queue] = False

    def _pay(self, visit: _Visit) -> None:
        quantum = self.limits[visit.turn.queue].quantum
        if visit.turn.is_first:
            self.deficits[visit.turn.queue] = quantum
        elif self.deficits[visit.turn.queue] <= 0:
            self.deficits[visit.turn.queue] += quantum

    def _judge(self, visit: _Visit, packet: Queued, now_ns: int) -> None:
        visit.verdict = self.core.head(packet.as_head(now_ns, *visit.behind))

    def _enter(self, cycle: int, packet: Queued) -> None:
        self._queues[packet.queue].append(packet)
        self._bytes[packet.queue] += packet.size
        if not self._is_listed[packet.queue]:
            self._is_listed[packet.queue] = True
            self._coming.append((cycle + _ENTERING, _Turn(packet.queue)))

    def _end(self, visit: _Visit) -> None:
        is_sent = False
        if visit.packet is not None:
            assert visit.verdict
            is_sent = visit.verdict.action != "drop"
            visit.packet.is_ce |= visit.verdict.action == "mark"
            self.leaving.append(Left(visit.packet, not is_sent, visit.verdict.reason))
            if is_sent:
                self.deficits[visit.turn.queue] -= visit.packet.size
        else:
            self._taken -= 1
        self._owed -= is_sent
        self._unmet += not is_sent
        if visit.after is not None:
            front, end = self._lists[visit.after.is_new]
            (front if visit.is_at_front else end).append(visit.after)
