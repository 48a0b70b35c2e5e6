# SPDX-License-Identifier: Apache-2.0
"""Adaptive RED (S. Floyd, R. Gummadi, S. Shenker 2001): max_p rises by min(0.01, max_p / 4) and falls to 0.9 max_p."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.red.adaptive import Adaptive, additive, scaled
from sluice_golden.red.ared_walk import AredWalk
from sluice_golden.red.red_walk import any_idle_rate, idle_beside_ns

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from sluice_golden.core import Arrival, NewSet, Reset, Ticked
    from sluice_golden.red.adaptive import Step

_RISE, _MOST_RISE = 0.25, 0.01


class Ared(Adaptive):
    """The band is the middle fifth of min..max."""

    name = "ared"
    margin = 0.40

    def increase(self, level: int) -> Step:
        del level
        return additive(_RISE, _MOST_RISE)

    def decrease(self, level: int) -> Step:
        del level
        return scaled(0.1)

    # --- traffic ---

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Also idle rates of any size: the higher one is, the less of an idle time is rounded off."""
        return super().lively(rng) | {"idle_rate": any_idle_rate(rng)}

    def pause_ns(self, rng: random.Random) -> int:
        """Now and then an idle time that is hardly rounded."""
        return idle_beside_ns(rng, self) if rng.random() < 0.4 else super().pause_ns(rng)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked | NewSet | Reset]:
        """Where all adaptive schemes are led; or with new sets to where the average, a slope, a size, max_p or a draw
        decides."""
        if rng.random() < 0.4:
            return super().walk(rng, now_ns)
        return AredWalk(self, rng, now_ns, {"weight_exponent": 5, "weight_half": 1}, _MOST_RISE / _RISE).course()
