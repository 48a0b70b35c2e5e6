# SPDX-License-Identifier: Apache-2.0
"""The queue of a tile that has one, from which packets go to the link only."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from sluice_golden.tile.queue import Left, drawn_place

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice_golden.tile.queue import Queued


class Ring:
    """First in, first out."""

    def __init__(self) -> None:
        self._packets: deque[Queued] = deque()
        self._entered = -1  # cycle of the last push

    @property
    def holds(self) -> int:
        """Packets in it."""
        return len(self._packets)

    def push(self, cycle: int, packet: Queued) -> None:
        """A packet is accepted in this cycle."""
        self._packets.append(packet)
        self._entered = cycle

    def leave(self) -> Left:
        """The oldest packet leaves."""
        return Left(self._packets.popleft())

    def draw(self, word: Callable[[], int], cycle: int) -> Callable[[], Queued | None]:
        """Draws a packet of this cycle by a random word, for the answer to be asked for later. Who was accepted in the cycle
        before is not to be drawn yet."""
        waiting = len(self._packets) - (self._entered == cycle - 1)
        place = drawn_place(word(), waiting)
        drawn = self._packets[place] if waiting else None
        return lambda: drawn
