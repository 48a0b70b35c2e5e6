# SPDX-License-Identifier: Apache-2.0
"""BLUE, exact integer model (W. Feng, D. Kandlur, D. Saha, K. Shin, CSE-TR-387-99 and IEEE/ACM ToN 2002).

Formats: probabilities Q1.31, draws Q0.32, time in ns. Nothing is rounded. The reference is
:mod:`sluice_golden.blue_reference`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.blocks.marking import DEFAULT_MOST, marks, most_beside
from sluice_golden.blocks.sampler import is_taken
from sluice_golden.core import PASS, Arrival, CoreModel, Settled, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

_ONE = 1 << 31  # probability 1
_MOST_PERIODS = (1 << 16) - 1  # of `freeze_time` that an idle time counts; after a longer one p is 0


class Blue(CoreModel):
    """One probability, moved by overflow and by an idle link."""

    name = "blue"
    random_words = 1
    reasons = (Verdict("drop", "Unforced drop"), Verdict("mark", "Unforced mark"))

    def __init__(self) -> None:
        super().__init__()
        self.probability = 0  # p_m
        self.frozen_until_ns = 0  # after it p_m may move
        self.is_idle = False
        self._found_frozen_until_ns = 0

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "increment": round(0.0025 * _ONE),
            "decrement": round(0.00025 * _ONE),
            "freeze_time": 100_000_000,
            "threshold": 0,
            "ecn": 0,
            "mark_most": DEFAULT_MOST,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        probabilities = ("increment", "decrement", "mark_most")
        return all(parameters[name] <= _ONE for name in probabilities) and parameters["freeze_time"] >= 1

    def arrive(self, arrival: Arrival) -> Verdict:
        p = self.parameters
        self._found_frozen_until_ns = self.frozen_until_ns
        if self.is_idle:
            self.is_idle = False
            self._idled_until(arrival.now_ns)
        if 0 < p["threshold"] < arrival.queue_packets:
            self._move(arrival.now_ns, p["increment"])
        if not is_taken(arrival.random[0], self.probability):
            return PASS
        return self.reasons[marks(p, arrival.ect, self.probability)]

    def settled(self, settled: Settled) -> None:
        if settled.fate == "over the limit":
            self._move(settled.now_ns, self.parameters["increment"])

    def found_empty(self, now_ns: int) -> None:
        """Only the first one is an event; what the link asks for in vain after it makes the idle time longer."""
        if not self.is_idle:
            self.is_idle = True
            self._move(now_ns, -self.parameters["decrement"])

    def _idled_until(self, now_ns: int) -> None:
        """A decrement for each `freeze_time` since p_m moved last; less than one is none."""
        freeze_time = self.parameters["freeze_time"]
        periods = (now_ns + freeze_time - self.frozen_until_ns) // freeze_time
        self._move(now_ns, -(periods * self.parameters["decrement"] if periods <= _MOST_PERIODS else _ONE))

    def _move(self, now_ns: int, by: int) -> None:
        """Unless it moved less than `freeze_time` ago."""
        if now_ns > self.frozen_until_ns:
            self.probability = min(max(0, self.probability + by), _ONE)
            self.frozen_until_ns = now_ns + self.parameters["freeze_time"]

    def status(self) -> dict[str, int]:
        return {"probability_now": self.probability}

    def view(self) -> dict[str, int]:
        """When p_m may move, as the arrival found it."""
        return {"frozen_until": self._found_frozen_until_ns}

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """A queue beside the threshold, or any."""
        if not self.parameters["threshold"] or rng.random() < 0.2:
            return super().aim(rng)
        return tuple(max(0, self.parameters["threshold"] + rng.randint(-1, 1)) for _ in range(2))  # type: ignore[return-value]

    def beside(self, rng: random.Random) -> dict[str, int]:
        return most_beside(rng, self.probability)

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Steps with which p_m is soon between 0 and 1, and a freeze time that is soon over."""
        return {
            "increment": rng.randrange(_ONE >> 1) >> rng.randrange(8),
            "decrement": rng.randrange(_ONE >> 4) >> rng.randrange(20),
            "freeze_time": rng.randint(1, 1 << rng.choice((2, 4, 10, 20))),
            "threshold": rng.choice((0, rng.randrange(100))),
        }

    def pause_ns(self, rng: random.Random) -> int:
        """An idle time beside a number of freeze times: as many as take what there is of p_m, the most that count, or few."""
        freeze_time, decrement = self.parameters["freeze_time"], max(1, self.parameters["decrement"])
        few, all_of_it = rng.getrandbits(rng.randint(0, 6)), self.probability // decrement
        periods = rng.choice((0, few, few, few, few, all_of_it, _MOST_PERIODS, _MOST_PERIODS + 1))
        pause_ns = max(0, min(periods, 1 << 17) * freeze_time + rng.randint(-1, 1))
        return pause_ns if rng.random() < 0.9 else super().pause_ns(rng)
