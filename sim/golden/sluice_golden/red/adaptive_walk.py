# SPDX-License-Identifier: Apache-2.0
"""Where the adaptive schemes' models lead in tests besides where RED's kind does: max_p beside what a step is compared with, and
packets whose sizes count.

By chance max_p is hardly ever so near its bounds, or where its step is no longer a part of it, that a low bit decides;
and of a size's ratio to a typical packet the low bits show only where both are small.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice_golden.blocks.beside import beside
from sluice_golden.core import Ticked
from sluice_golden.red.red_walk import RedWalk, any_thresholds

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice_golden.core import Arrival
    from sluice_golden.red.adaptive import Adaptive
    from sluice_golden.red.red_walk import Moments

_ONE = 1 << 31
_CERTAIN = 1 << 32  # of a packet's probability
_MOST_SIZE = (1 << 16) - 1


@dataclass
class AdaptiveWalk(RedWalk):
    """Of one model, at a time."""

    model: Adaptive

    def course(self) -> Moments:
        """A tick first, since all of them are led."""
        yield Ticked(self.now_ns, "adaptation")
        yield from self.steps()
        yield from super().course()

    @property
    def kinds(self) -> list[Callable[[], Moments]]:
        """Also packets by size."""
        return [*super().kinds, self.sizes, self.sizes]

    def steps(self) -> Moments:
        """Ticks that find the average above the band or below, and max_p beside a bound or where its step changes.
        Then some with anything beside what it is compared with, as an end of the band beside the average."""
        rng = self.rng
        yield from self.set(self.fastest | any_thresholds(rng) | {"wait": 0, "gentle": 1})
        p = self.model.parameters
        yield from self.led(rng.choice((p["min"], p["max"] + (p["max"] - p["min"]) // 2)))
        for _ in range(4):
            begin = self._any_probability()
            if self.model.turn is not None and rng.random() < 0.5:
                begin = beside(rng, round(self.model.turn * _ONE), _ONE)
            bounds = {name: rng.choice((beside(rng, begin, _ONE), far)) for name, far in (("top", _ONE), ("bottom", 0))}
            yield from self.set(bounds | {"probability": begin})
            yield from self._ticked()
        for _ in range(4):
            yield from self.set({"top": _ONE, "bottom": 0} | self.model.beside(rng))
            yield from self._ticked()

    def _ticked(self) -> Moments:
        """A tick, and a packet that is judged by what it has left; at times it moves the average, which some steps ask."""
        yield Ticked(self.now_ns, "adaptation")
        away = self.rng.choice((0, 0, 64, -64))
        yield self.arrival(max(0, self.queue_of(self.model.average >> 4) + away))

    def sizes(self) -> Moments:
        """Packets of sizes around a typical one of any size, on either slope, with a max_p that is any, or with which
        one of them is just certain to be hit or just not."""
        rng = self.rng
        for _ in range(2):
            typical = 1 + rng.getrandbits(rng.choice((3, 16, rng.randint(1, 16)))) % _MOST_SIZE
            sized = {
                "byte_mode": 1,
                "avpkt": typical,
                "probability": self._any_probability(),
                "gentle": rng.getrandbits(1),
            }
            yield from self.set(self.fastest | any_thresholds(rng) | sized)
            p = self.model.parameters
            yield from self.led(rng.randint(p["min"], 2 * p["max"] if p["gentle"] else p["max"]))
            for _ in range(4):
                size = min(max(1, typical * rng.randint(1, 40) // 8 + rng.randint(-1, 1)), _MOST_SIZE)
                coming = self.arrival(self.queue_of(self.model.average >> 4), size=size)
                if rng.random() < 0.5:
                    yield from self.set({"probability": self._just_certain(coming)})
                yield coming

    def _just_certain(self, coming: Arrival) -> int:
        """The least max_p with which a packet is certain to be hit, or one beside it."""

        def probability(max_p: int) -> int:
            ahead = self.model.fork()
            ahead.max_p = max_p
            ahead.arrive(coming)
            return ahead.view().get("probability", 0)

        least = bisect_left(range(_ONE), _CERTAIN, key=probability)
        return min(max(0, least + self.rng.randint(-1, 1)), _ONE)
