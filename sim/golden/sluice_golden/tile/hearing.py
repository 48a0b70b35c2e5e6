# SPDX-License-Identifier: Apache-2.0
"""When a tile's core hears of what happens to its packets, and of time: as late as it sees everything."""

from __future__ import annotations

import heapq
from collections import deque
from typing import TYPE_CHECKING, Protocol

from sluice_golden.core import Departed, Fate, Settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice_golden.core import CoreModel
    from sluice_golden.tile.queue import Left, Queued

ARRIVAL, DEPARTED, SETTLED, THROWN, IDLE = range(5)
"""The order within a cycle."""
_BEFORE_ALL = -1


class Occupancy(Protocol):
    """What is queued of a queue."""

    packets: int
    bytes: int


class Hearing:
    """A core that sees everything so many cycles late."""

    def __init__(self, core: CoreModel, wait: int) -> None:
        self.core, self.wait = core, wait
        self._times = deque([0] * (wait + 1), maxlen=wait + 1)  # what the core sees is the first
        self._agenda: list[tuple[int, int, int, Callable[[], None]]] = []  # cycle, order in it, number
        self._number = 0

    @property
    def seen_ns(self) -> int:
        """The time that the core sees in this cycle."""
        return self._times[0]

    def begin(self, now_ns: int) -> None:
        """Begins a cycle of this time."""
        self._times.append(now_ns)

    def at(self, cycle: int, order: int, event: Callable[[], None]) -> None:
        """Something that the core sees at the end of a cycle."""
        self._number += 1
        heapq.heappush(self._agenda, (cycle, order, self._number, event))

    def finish(self, cycle: int) -> None:
        """What there is to see at the end of this cycle."""
        while self._agenda and self._agenda[0][0] <= cycle:
            heapq.heappop(self._agenda)[-1]()

    def settled(self, cycle: int, order: int, packet: Queued, its: Occupancy, fate: Fate) -> None:
        """A packet's fate is known in this cycle."""
        self._hear(cycle, order, packet, its, lambda **moment: self.core.settled(Settled(**moment, fate=fate)))

    def departed(self, cycle: int, left: Left, its: Occupancy) -> None:
        """A packet has left its queue."""
        is_sent = not left.is_dropped
        self._hear(
            cycle, DEPARTED, left.packet, its, lambda **moment: self.core.departed(Departed(**moment, is_sent=is_sent))
        )

    def _hear(self, cycle: int, order: int, packet: Queued, its: Occupancy, event: Callable[..., None]) -> None:
        """The core hears of a packet with the occupancy of this cycle's end."""
        occupancy: list[int] = []

        def hear() -> None:
            packets, queued = occupancy
            event(**packet.as_moment(self.seen_ns, packets, queued))

        self.at(cycle, _BEFORE_ALL, lambda: occupancy.extend((its.packets, its.bytes)))
        self.at(cycle + self.wait, order, hear)
