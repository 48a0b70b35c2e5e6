# SPDX-License-Identifier: Apache-2.0
"""What tests lead the adaptive schemes' models through, by sets, idle times and walks."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from sluice_golden.blocks.beside import beside
from sluice_golden.red.adaptive import Adaptive
from sluice_golden.red.adaptive_walk import AdaptiveWalk
from sluice_golden.red.band_walk import TINY, BandWalk
from sluice_golden.red.red_walk import MOST_THRESHOLD, any_idle_rate, idle_beside_ns

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from sluice_golden.core import Arrival, NewSet, Reset, Ticked

_ONE = 1 << 31


class AdaptiveTraffic(Adaptive):
    """One of the schemes, with its tests' traffic."""

    def beside(self, rng: random.Random) -> dict[str, int]:
        """Also bounds beside max_p, and a `max` with which an end of the band is beside the average."""
        level, end, by = self.average >> 4, rng.randrange(2), rng.randint(-1, 1)
        most = bisect_left(range(MOST_THRESHOLD), level, key=lambda most: self.band(most)[end])
        bound = {rng.choice(("top", "bottom")): min(max(0, self.max_p + by), _ONE)}
        return rng.choice((super().beside(rng), bound, {"max": min(max(0, most + by), MOST_THRESHOLD)}))

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Also bounds beside where max_p begins, or none; any thresholds; now and then a max_p that lets counts grow; and
        idle rates of any size: the higher one is, the less of an idle time is rounded off."""
        lively = super().lively(rng)
        begin = 1 + rng.randrange(TINY) if rng.random() < 0.015 else rng.choice((lively["probability"],) * 8 + (_ONE,))
        most = min(1 + rng.getrandbits(rng.choice((18, 19, 20, rng.randint(4, 32)))), MOST_THRESHOLD)
        return lively | {
            "probability": begin,
            "top": rng.choice((_ONE, beside(rng, begin, _ONE))),
            "bottom": rng.choice((0, beside(rng, begin, _ONE))),
            "min": rng.randrange(most),
            "max": most,
            "weight_exponent": rng.choice((5, 8, rng.randint(5, 12))),
            "weight_half": rng.getrandbits(1),
            "wait": rng.getrandbits(1),
            "idle_rate": any_idle_rate(rng),
        }

    def pause_ns(self, rng: random.Random) -> int:
        """Now and then an idle time that is hardly rounded."""
        return idle_beside_ns(rng, self) if rng.random() < 0.4 else super().pause_ns(rng)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked | NewSet | Reset]:
        """Right beside the ends of the band; or with new sets to where the average, a slope, a size, max_p or a draw
        decides."""
        if rng.random() < 0.4:
            return BandWalk(self, rng, now_ns).course()
        return AdaptiveWalk(self, rng, now_ns, {"weight_exponent": 5, "weight_half": 1}).course()
