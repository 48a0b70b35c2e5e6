# SPDX-License-Identifier: Apache-2.0
"""The many queues of a tile that keeps them as lists, cycle by cycle: those that have packets take turns by deficit round robin.

M. Shreedhar and G. Varghese, "Efficient Fair Queuing using Deficit Round Robin", 1996: in each round a queue gets its quantum as
credit, and sends its packets while the credit is enough for the next one. What is left of it is for the next round, unless the
queue has no packet any more. A queue whose credit is not enough for its next packet in a whole round sends none in that.

Here a queue on its turn sends one packet and goes to the end of the round's line if its credit is enough for another one, so a
round is gone through packet by packet. Who has not enough goes into the next round's line, and so does who gets a packet while it
has none, four cycles after that packet came to it. What a queue has is looked at three cycles after its turn began: the packets
that came in the cycles before. It is in a line again seven cycles after that. Of two that go into a line in one cycle the one
that had a turn is first. A turn begins in a cycle after the queue went into the line, and only while fewer than sixteen packets,
or four where there are levels, are picked and have not left; a turn of no packet counts as one of them for four cycles.

The next round begins when this one's line is empty and the last turn is eleven cycles ago, so that nobody comes back into this
one; its first turn is a cycle later, and who goes into the next round's line in the cycle between is in time for it.

All this is so at each level of strict priority by itself. There a turn begins at the highest one where anybody was in the
round's line a cycle before, in every other cycle at most, and all that follows it is a cycle later. A queue goes into a line of
the level that it is set to.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice_golden.tile.queue import Left

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice_golden.tile.queue import Limits, Queued

AHEAD, AHEAD_IN_LEVELS = 16, 4
"""Packets that are picked and have not left, at most."""
LEVELS = 8
"""Of strict priority, from 0 on, the lowest, in a tile that has them."""
LOOKING = 8
"""Cycles by which a core of many queues sees everything later."""
LATER = 8
"""Cycles that a packet that left counts longer than in a tile of few queues."""
TURN = 11
"""Cycles from a queue's turn to its next one in the same round, if no other waits; without levels."""
ROUND = 12
"""The same into the next round."""
_ENTERING = 1
_POPPING = 3
_GRANTING = 2
"""Cycles from a look at a queue to one at its quantum."""
_FIRST_TURN = 4
_NEXT_TURN = 7


@dataclass(frozen=True, slots=True)
class _Turn:
    queue: int
    sends: bool
    is_first: bool


@dataclass(frozen=True, slots=True)
class _Look:
    """At a queue that is to have a turn."""

    cycle: int
    queue: int
    sent: int
    """Bytes, on the turn before."""
    was_first: bool
    """So was that."""
    size: int
    """Of the packet that is next."""


class Level:
    """The lines of turns of one level of priority."""

    def __init__(self, turn: int) -> None:
        self._turn = turn
        """Cycles from a queue's turn to the first one in which it is seen in a line again."""
        self.round: deque[_Turn] = deque()
        self.next_round: deque[_Turn] = deque()
        self.begins = False
        """The next round, at the end of this cycle."""
        self._last_turn = -ROUND

    def look(self, cycle: int) -> None:
        """What there is at the beginning of a cycle."""
        self.begins = not self.round and len(self.next_round) > 0 and cycle - self._last_turn >= self._turn

    def take(self, cycle: int) -> _Turn:
        """The turn that is next in this round begins."""
        self._last_turn = cycle
        return self.round.popleft()

    def finish(self) -> None:
        """Ends a cycle in which turns may have been added."""
        if self.begins:
            self.round, self.next_round = self.next_round, self.round


class Lists:
    """All queues of one tile. Call :meth:`finish` at the end of each cycle."""

    def __init__(self, number: int, levels: int = 1) -> None:
        self._ahead = AHEAD if levels == 1 else AHEAD_IN_LEVELS
        self.picked: deque[Queued] = deque()
        """Picked and not left, in their order."""
        self.holds = 0
        """Packets that are accepted and have not left."""
        self._later = int(levels > 1)
        """Cycles by which a turn begins after its level was found, and by which it takes longer."""
        self._found: Level | None = None
        self.levels = [Level(TURN + self._later) for _ in range(levels)]
        """The highest comes first in a cycle, and is last here."""
        self.credits = [0] * number
        """Bytes: for the round that a queue's next turn is in."""
        self._queues: list[deque[Queued]] = [deque() for _ in range(number)]
        # What is to come, with its cycle.
        self._pushes: deque[tuple[int, Queued]] = deque()
        self._pops: deque[tuple[int, _Turn]] = deque()
        self._came: deque[tuple[int, Queued]] = deque()  # into an empty queue
        self._looks: deque[_Look] = deque()
        # Each with the line that it goes into.
        self._next_turns: deque[tuple[int, _Turn, bool, Level]] = deque()
        self._first_turns: deque[tuple[int, _Turn, Level]] = deque()
        self._turns_of_nothing: deque[int] = deque()  # the last cycles in which they count

    def push(self, cycle: int, packet: Queued) -> None:
        """A packet is accepted in this cycle."""
        self.holds += 1
        self._pushes.append((cycle + _ENTERING, packet))

    def leave(self) -> Left:
        """The link takes a packet."""
        self.holds -= 1
        return Left(self.picked.popleft())

    def finish(self, cycle: int, left: int, limits: Sequence[Limits]) -> None:
        """Ends a cycle in which so many packets have left, and each queue was set to this."""
        for level in self.levels:
            level.look(cycle)
        self._take_turn(cycle, left)
        if self._pops and self._pops[0][0] == cycle:
            self._end_turn(cycle, self._pops.popleft()[1])
        if self._pushes and self._pushes[0][0] == cycle:
            packet = self._pushes.popleft()[1]
            if not self._queues[packet.queue]:
                self._came.append((cycle, packet))
            self._queues[packet.queue].append(packet)
        self._grant(cycle, limits)
        if self._next_turns and self._next_turns[0][0] == cycle:
            _, turn, is_in_round, level = self._next_turns.popleft()
            (level.round if is_in_round else level.next_round).append(turn)
        if self._first_turns and self._first_turns[0][0] == cycle:
            _, turn, level = self._first_turns.popleft()
            level.next_round.append(turn)
        for level in self.levels:
            level.finish()

    def _take_turn(self, cycle: int, left: int) -> None:
        while self._turns_of_nothing and self._turns_of_nothing[0] < cycle:
            self._turns_of_nothing.popleft()
        highest = next((level for level in reversed(self.levels) if level.round), None)
        level, self._found = (self._found, highest) if self._later else (highest, None)
        if level and len(self.picked) + left + len(self._turns_of_nothing) < self._ahead:
            turn, self._found = level.take(cycle), None
            popping = cycle + _POPPING + self._later
            self._pops.append((popping, turn))
            if turn.sends:
                self.picked.append(self._queues[turn.queue][0])
            else:
                self._turns_of_nothing.append(popping)

    def _end_turn(self, cycle: int, turn: _Turn) -> None:
        waiting = self._queues[turn.queue]
        sent = waiting.popleft().size if turn.sends else 0
        if waiting:
            self._looks.append(_Look(cycle, turn.queue, sent, turn.is_first, waiting[0].size))

    def _grant(self, cycle: int, limits: Sequence[Limits]) -> None:
        """Whose next turns are to come, in which round, and whether a packet leaves on them."""
        if self._looks and self._looks[0].cycle == cycle - _GRANTING:
            look = self._looks.popleft()
            quantum = limits[look.queue].quantum
            credit = quantum if look.was_first else self.credits[look.queue]
            credit = max(0, credit - look.sent)  # less only where the quantum has become less meanwhile
            is_in_round = look.size <= credit
            self.credits[look.queue] = credit if is_in_round else credit + quantum
            turn = _Turn(look.queue, sends=look.size <= self.credits[look.queue], is_first=False)
            level = self.levels[limits[look.queue].level]
            self._next_turns.append((look.cycle + _NEXT_TURN, turn, is_in_round, level))
        if self._came and self._came[0][0] == cycle - _GRANTING:
            came, packet = self._came.popleft()
            turn = _Turn(packet.queue, sends=packet.size <= limits[packet.queue].quantum, is_first=True)
            self._first_turns.append((came + _FIRST_TURN, turn, self.levels[limits[packet.queue].level]))
