# SPDX-License-Identifier: Apache-2.0
"""CHOKe, exact integer model (R. Pan, B. Prabhakar, K. Psounis 2000): RED of 1993, and before its test a comparison with queued
packets. Which average is below and which beyond, and that a match does not count, as Linux has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.core import Verdict
from sluice_golden.red.red import Red
from sluice_golden.red.red_walk import RedWalk, any_idle_rate, any_thresholds, idle_beside_ns

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping

    from sluice_golden.core import Arrival, NewSet, Ticked

_MATCHED = Verdict("drop", "Matched drop")
_OFF = {"gentle": 0, "wait": 0, "byte_mode": 0, "avpkt": 1, "mark_most": 1 << 31}
"""RED's parameters that CHOKe does not have."""


class _Parameters(dict[str, int]):
    """CHOKe's own, as a set of them is, which RED's arithmetic finds with the rest off."""

    def __missing__(self, name: str) -> int:
        return _OFF[name]


class Choke(Red):
    """CHOKe with one candidate."""

    name = "choke"
    samples = 1
    takes_victims = True
    reasons = (*Red.reasons, _MATCHED)

    @staticmethod
    def defaults() -> dict[str, int]:
        return {name: raw for name, raw in Red.defaults().items() if name not in _OFF}

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return Red.is_legal({**parameters, **_OFF})

    def derive(self) -> None:
        self.parameters = _Parameters(self.parameters)
        super().derive()

    def _screened(self, arrival: Arrival) -> Verdict | None:
        """One candidate after the other is compared; the first of the packet's own flow goes with it."""
        own = (number for number, flow in enumerate(arrival.samples) if flow == arrival.flow)
        victim = next(own, None)
        return None if victim is None else Verdict(_MATCHED.action, _MATCHED.reason, victim=victim)

    def _is_below(self, level: int) -> bool:
        return level <= self.parameters["min"]

    def _is_forced(self, level: int) -> bool:
        return level > self.parameters["max"]

    # --- traffic ---

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Also thresholds and idle rates of any size, and weights with which the average comes there: low thresholds
        and slow idle rates leave most bits still."""
        return (
            super().lively(rng)
            | (any_thresholds(rng) if rng.random() < 0.5 else {})
            | {
                "weight_exponent": rng.choice((5, 6, rng.randint(5, 12))),
                "idle_rate": any_idle_rate(rng),
            }
        )

    def pause_ns(self, rng: random.Random) -> int:
        """Now and then an idle time that is hardly rounded."""
        return idle_beside_ns(rng, self) if rng.random() < 0.4 else super().pause_ns(rng)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked | NewSet]:
        """With new sets to where the average, the slope or a draw decides."""
        return RedWalk(self, rng, now_ns, {"weight_exponent": 0}).course()


class Choke3(Choke):
    """CHOKe with three candidates."""

    name = "choke-3"
    samples = 3
