# SPDX-License-Identifier: Apache-2.0
"""Where the adaptive schemes' models lead in tests to have ticks find the average beside an end of the band, or off it in
one bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice_golden.blocks.beside import beside
from sluice_golden.core import Arrival, Reset, Ticked
from sluice_golden.red.red_walk import MOST_THRESHOLD

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from sluice_golden.red.adaptive import Adaptive

TINY = 1 << 13  # max_p with which thousands of packets in a row are not hit
_MOST_QUEUE = (1 << 18) - 1
_WORDS = 1 << 32
_MOST_STEPS = 40  # packets that lead an average towards somewhere
_DETOURS = 300  # last ways there that are tried
_SPACING = 4  # packets behind a restart of which each has a border of its own


@dataclass
class BandWalk:
    """Of one model, at a time."""

    model: Adaptive
    rng: random.Random
    now_ns: int

    def course(self) -> Iterator[Arrival | Ticked | Reset]:
        """A tick while max_p is where it began; then ticks that find the average beside an end of the band, or where the tick
        before found it, or off one of these in one bit, and after each packets that are shown max_p. At last, of a tiny max_p,
        many packets, and then a high average."""
        rng, model = self.rng, self.model
        p = model.parameters
        yield Ticked(self.now_ns, "adaptation")
        for _ in range(rng.randint(1, 4)):
            seen = rng.choice((*model.band(p["max"]), model.level_before))
            yield from self._led(self._way(beside(rng, seen, MOST_THRESHOLD)))
            yield Ticked(self.now_ns, "adaptation")
        active = min(rng.randint(p["min"] >> 14, p["max"] >> 13) + 2, _MOST_QUEUE)
        yield from self._led([*self._way(p["min"] - 1), *[active] * 6])
        if model.max_p <= TINY and p["max"] - p["min"] > 4 << 14:
            yield from self._led(self._way((p["min"] + p["max"]) // 2))
            for _ in range(1 << rng.randint(9, 12)):
                yield self._arrival(p["min"] + p["max"] >> 15, _WORDS - 1)
            yield from self._led(self._way(rng.randint(p["max"], 2 * p["max"])))
        if rng.random() < 0.5:  # an average comes up soon and goes down slowly
            yield Reset()

    def _way(self, level: int) -> list[int]:
        """Queues that bring the average to a level, as near as one comes."""
        wanted, average, queues = (min(max(0, level), MOST_THRESHOLD) << 4) + 8, self.model.average, list[int]()
        while abs(self._averaged(average, queue := self._queue_towards(wanted, average)) - wanted) > 1 << 18:
            if len(queues) == _MOST_STEPS:
                return queues
            queues.append(queue)
            average = self._averaged(average, queue)

        missed, best = _MOST_QUEUE << 18, list[int]()
        for _ in range(_DETOURS):
            if missed <= 8:
                break
            now, tried = average, list[int]()
            for below in (self.rng.getrandbits(19), self.rng.getrandbits(19), 0):
                tried.append(self._queue_towards(wanted - below, now))
                now = self._averaged(now, tried[-1])
            if abs(now - wanted) < missed:
                missed, best = abs(now - wanted), tried
        return queues + best

    def _averaged(self, average: int, queue: int) -> int:
        return average + sum((queue << 18 >> e) - (average >> e) for e in self.model.exponents)

    def _queue_towards(self, wanted: int, average: int) -> int:
        missing = wanted - average + sum(average >> e for e in self.model.exponents)
        unit = sum(1 << 18 - e for e in self.model.exponents)
        return min(max(0, (missing + unit // 2) // unit), _MOST_QUEUE)

    def _led(self, queues: Sequence[int]) -> Iterator[Arrival]:
        """Packets that find these queues, with draws beside where they decide about one of the next."""
        rng = self.rng
        for i, queue in enumerate(queues):
            ahead, later = self.model.fork(), queues[i + 1 : i + 1 + rng.randint(1, _SPACING)]
            for following in (queue, *later):
                ahead.arrive(self._arrival(following, 0))
            times = max(0, len(later) - rng.randrange(2))
            border = times * ahead.view().get("probability", 0) - self.model.parameters["wait"] * _WORDS
            yield self._arrival(queue, (border + rng.randint(-2, 1)) % _WORDS)

    def _arrival(self, queue: int, draw: int) -> Arrival:
        return Arrival(self.now_ns, 1, 1000, self.rng.getrandbits(2), queue, queue << 6, (draw,))
