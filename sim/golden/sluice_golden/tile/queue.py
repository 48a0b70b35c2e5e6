# SPDX-License-Identifier: Apache-2.0
"""The queue of a tile whose core has a say in what leaves, cycle by cycle: asks, heads, samples, tombstones.

An entry can be fetched from the cycle after its push on, one in each cycle in which an ask is unmet, and no sooner. A fetched
packet is with its core as a head four cycles later, and resolved when the core has judged it; where the core judges no heads it
is resolved three cycles after it was fetched. A verdict with ``restart`` sends all packets back that were fetched after the one
that it judges. Entries are fetched only while fewer than 32 are under way or wait for the link, or fewer than 16 where a
judgment takes no more than eight cycles.

A draw sees the queue of one cycle and the tombstones of four cycles later.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice_golden.core import PASS, Head, Packet, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice_golden.core import CoreModel

_PLACES, _PLACES_OF_QUICK = 32, 16
_QUICK = 8  # cycles of a judgment
_LOOKING = 4
"""Cycles from a draw to the look at which of the drawn packets are tombstones."""
_DRAWS = 3
"""Words for one draw, where who draws a tombstone draws again."""
_HEAD_FETCHING, _FETCHING = 4, 3
_WORD_BITS, _DRAW_BITS = 32, 18
PUSHED_OUT = Verdict("drop", "Pushed out drop")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one of several queues is set to: most packets, most bytes, its quantum, unless the core gives that, the numbers of its
    profiles, where there are some (:mod:`sluice_golden.tile.many_queues.colours`), the code of its part of what is free
    (:mod:`sluice_golden.tile.many_queues.shared_buffer`), and its level of strict priority."""

    limit: int
    limit_bytes: int
    quantum: int = 0
    profiles: int = 0
    alpha: int = 0
    level: int = 0


@dataclass(slots=True, eq=False)
class Queued:
    """A packet in the ring. ``place``: how many packets were accepted before it."""

    flow: int
    size: int
    is_ce: bool
    cookie: int
    tag: int = 0
    is_ect: bool = False
    queued_ns: int = 0
    place: int = 0
    end: int = 0  # bytes that had entered the ring with it
    thrown_at: int | None = None  # cycle
    queue: int = 0

    @classmethod
    def of(cls, packet: Packet, verdict: Verdict, queued_ns: int, queue: int) -> Queued:
        """A packet as its verdict on arrival lets it in."""
        is_ce, is_ect = verdict.action == "mark", packet.ecn != 0
        return cls(packet.flow, packet.size, is_ce, packet.cookie, verdict.tag, is_ect, queued_ns, queue=queue)

    def as_moment(self, now_ns: int, queue_packets: int, queue_bytes: int) -> dict[str, Any]:
        """What a core hears of the packet, by the names of :class:`sluice_golden.core.Moment`."""
        return {
            "now_ns": now_ns,
            "flow": self.flow,
            "size": self.size,
            "tag": self.tag,
            "is_ce": self.is_ce,
            "queue_packets": queue_packets,
            "queue_bytes": queue_bytes,
            "queue": self.queue,
        }

    def as_head(self, now_ns: int, packets_behind: int, bytes_behind: int) -> Head:
        """The packet as its core judges it at the head."""
        moment = self.as_moment(now_ns, packets_behind, bytes_behind)
        return Head(**moment, is_ect=self.is_ect, queued_ns=self.queued_ns)


@dataclass(frozen=True, slots=True)
class Left:
    """A packet that leaves at the head; ``reason``: of a drop, or of a mark made there."""

    packet: Queued
    is_dropped: bool = False
    reason: str = ""


def drawn_place(word: int, waiting: int) -> int:
    """Which of so many packets, the oldest first, a random word draws."""
    return (word >> _WORD_BITS - _DRAW_BITS) * waiting >> _DRAW_BITS


class AskedQueue:
    """The queue of one tile. Call the methods of one cycle in the order in which they stand here."""

    def __init__(self, core: CoreModel, head_latency: int) -> None:
        self.core, self.head_latency = core, head_latency
        self.places = _PLACES_OF_QUICK if head_latency <= _QUICK else _PLACES
        """Packets that may be under way or wait for the link."""
        self.leaving: deque[Left] = deque()
        """What is resolved, oldest first."""
        self._accepted = self._gone = 0
        self._pushing: deque[tuple[int, Queued]] = deque()  # with the cycle in which it enters the ring
        self._pushed = self._pushed_bytes = 0
        self._waiting: deque[Queued] = deque()
        self._fetched: deque[tuple[int, Queued]] = deque()  # with the cycle
        self._judged: deque[tuple[int, Queued, Verdict]] = deque()  # with the cycle in which it is resolved
        self._owed = self._unmet = self._taken = 0

    @property
    def holds(self) -> int:
        """Packets in it, tombstones too."""
        return self._accepted - self._gone

    def draw(self, word: Callable[[], int], cycle: int) -> Callable[[], Queued | None]:
        """Draws a packet from the queue of this cycle by random words, for the answer to be asked for later."""
        words, looks_at = [word() for _ in range(_DRAWS)], cycle + _LOOKING
        waiting = list(self._waiting)
        drawn = [waiting[drawn_place(word, len(waiting))] for word in words] + waiting[:1] if waiting else []

        def find() -> Queued | None:
            return next((entry for entry in drawn if entry.thrown_at is None or entry.thrown_at > looks_at), None)

        return find

    @property
    def is_asked(self) -> bool:
        """An ask is unmet, and nothing is under way for it."""
        return self._owed > 0 and self._unmet == self._owed

    def leave(self) -> Left:
        """The oldest resolved packet leaves."""
        self._gone += 1
        return self.leaving.popleft()

    def push(self, cycle: int, packet: Queued) -> None:
        """A packet is accepted, and enters the ring in that cycle."""
        packet.place = self._accepted
        self._accepted += 1
        self._pushing.append((cycle, packet))

    def throw_out(self, cycle: int, victim: Queued) -> bool:
        """A packet falls in this cycle, unless it has before or was fetched in an earlier cycle."""
        if victim.thrown_at is not None or victim not in self._waiting:
            return False
        victim.thrown_at = cycle
        return True

    def fetch(self, cycle: int, left: int, *, asks: bool) -> None:
        """An entry is fetched, if one may be. So many packets have left in this cycle, and the link asked or not."""
        is_fetching = self._unmet > 0 and len(self._waiting) > 0 and self._taken < self.places
        if is_fetching:
            self._fetched.append((cycle, self._waiting.popleft()))
        self._unmet += asks - is_fetching
        self._owed += asks
        self._taken += is_fetching - left

    def finish(self, cycle: int, now_ns: int) -> None:
        """Ends this cycle: what was fetched is judged and resolved, what was pushed enters."""
        if self.head_latency:
            self._present(cycle, now_ns)
        else:
            self._look(cycle)
        self._resolve(cycle)
        while self._pushing and self._pushing[0][0] == cycle:
            self._enter(self._pushing.popleft()[1])

    def _enter(self, packet: Queued) -> None:
        self._pushed += 1
        self._pushed_bytes += packet.size
        packet.end = self._pushed_bytes
        self._waiting.append(packet)

    def _look(self, cycle: int) -> None:
        """A tombstone is dropped, and what else was fetched goes on."""
        while self._fetched and self._fetched[0][0] == cycle - _FETCHING:
            packet = self._fetched.popleft()[1]
            self._judged.append((cycle, packet, PUSHED_OUT if packet.thrown_at is not None else PASS))

    def _present(self, cycle: int, now_ns: int) -> None:
        """A fetched packet is with its core in the next cycle, unless a restart voids it."""
        for fetched_at, packet in self._fetched:
            if fetched_at == cycle - _HEAD_FETCHING + 1 and not (self._judged and self._judged[-1][2].restart):
                behind = self._pushed - packet.place - 1, self._pushed_bytes - packet.end
                verdict = self.core.head(packet.as_head(now_ns, *behind))
                self._judged.append((cycle + 1 + self.head_latency, packet, verdict))

    def _resolve(self, cycle: int) -> None:
        while self._judged and self._judged[0][0] == cycle:
            _, packet, verdict = self._judged.popleft()
            is_dropped = verdict.action == "drop"
            packet.is_ce |= verdict.action == "mark"
            self.leaving.append(Left(packet, is_dropped, verdict.reason))
            self._owed -= not is_dropped
            self._unmet += is_dropped
            if self.head_latency:
                self._fetched.popleft()
            if verdict.restart:
                self._waiting.extendleft(entry for _, entry in reversed(self._fetched))
                self._fetched.clear()
                self._unmet = self._owed
                self._taken = len(self.leaving)
