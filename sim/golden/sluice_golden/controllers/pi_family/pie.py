# SPDX-License-Identifier: Apache-2.0
"""PIE, exact integer model (RFC 8033, appendix B, with the choices of Linux and ns-3 as parameters).

A tick moves p by alpha (d - target) + beta (d - d_old), each term halved the more often the smaller p is. A packet is spared in a
burst, while the delay is short and p small, and where little is queued. Of the others the probabilities add up since the last
one that was taken: below 0.85 none is, from 8.5 on one is, and else one whose draw is below p. Formats: p Q1.40, of which a draw
of Q0.32 sees Q1.31; the sum Q4.31. The reference is :mod:`sluice_golden.controllers.pi_family.pie_reference`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.blocks.marking import marks, most_beside
from sluice_golden.controllers.delay import FRACTION, MOST_NS, ONE, term
from sluice_golden.controllers.pi_family.delay_controller import DROP, MARK, DelayController
from sluice_golden.controllers.pi_family.pie_walk import PieWalk
from sluice_golden.core import PASS, Arrival, Settled, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping

    from sluice_golden.core import Head, NewSet, Ticked

SCALES = tuple((round(10.0**-exponent * ONE), 2 * exponent - 1) for exponent in range(6, 0, -1))
"""Below which p a term is halved how often, the smallest first."""
_SMALL = round(0.2 * ONE)
_SOON = -(-85 * 2**31 // 100)
_OVERDUE = 17 * 2**30
_PROBABILITIES = ("max_step", "mark_most")


class Pie(DelayController):
    """The delay is the time that the last packet waited."""

    name = "pie"
    random_words = 1

    def __init__(self) -> None:
        super().__init__()
        self.burst_ns = 0
        self.is_spared = False
        self.sum = 0
        self._next = (0, 0, 0, False)
        self._view: dict[str, int] = {}

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "target": 15_000_000,
            "tupdate": 15_000_000,
            "alpha": 1 << 13,
            "beta": 5 << 14,
            "min_bytes": 3028,
            "max_burst": 150_000_000,
            "max_step": round(0.02 * 2**31),
            "late_delay": MOST_NS,
            "decay_empty": 0,
            "derandomise": 1,
            "mark_most": round(0.1 * 2**31),
            "ecn": 0,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return DelayController.is_legal(parameters) and all(parameters[name] <= 1 << 31 for name in _PROBABILITIES)

    # --- packets ---

    def arrive(self, arrival: Arrival) -> Verdict:
        self._view = {"p": self.p}
        if self.is_spared or arrival.queue_bytes < self.parameters["min_bytes"]:
            return PASS
        if not self._takes(arrival.random[0]):
            return PASS
        self.sum = 0
        return MARK if marks(self.parameters, arrival.ect, self.probability) else DROP

    def _takes(self, draw: int) -> bool:
        """Whether one that is not spared is taken."""
        is_hit = draw < 2 * self.probability
        self._view["sum"] = self.sum + self.probability
        if not self.parameters["derandomise"] or self.probability == 0:
            self.sum = 0
            return is_hit
        self.sum += self.probability
        return self.sum >= _OVERDUE or (self.sum >= _SOON and is_hit)

    def settled(self, settled: Settled) -> None:
        super().settled(settled)
        if settled.fate == "over the limit":
            self.sum = 0

    # --- ticks ---

    def update(self, delay_ns: int) -> None:
        p, old_ns = self.parameters, self.delay_ns
        moved = self.step(delay_ns)
        if delay_ns > p["late_delay"]:
            moved += p["max_step"] << FRACTION - 31
        probability = min(max(0, self.p + moved), ONE)
        is_short = 2 * delay_ns < p["target"]
        are_short = is_short and 2 * old_ns < p["target"]
        if delay_ns == old_ns == 0 if p["decay_empty"] else are_short:
            probability -= probability >> 6
        burst_ns = max(0, self.burst_ns - p["tupdate"])
        if probability == 0 and are_short:
            burst_ns = p["max_burst"]
        is_spared = burst_ns > 0 or (is_short and probability < _SMALL)
        self._next = (probability, delay_ns, burst_ns, is_spared)

    def step(self, delay_ns: int) -> int:
        """What a tick that finds a delay moves p by, but for a late one and for what decays."""
        p, old_ns = self.parameters, self.delay_ns
        halvings = next((halvings for below, halvings in SCALES if self.p < below), 0)

        def scaled(gain: int, distance_ns: int) -> int:
            size = abs(term(gain, distance_ns)) >> halvings
            return size if distance_ns >= 0 else -size

        moved = scaled(p["alpha"], delay_ns - p["target"]) + scaled(p["beta"], delay_ns - old_ns)
        return moved if halvings else min(moved, p["max_step"] << FRACTION - 31)

    def settle(self, kind: str) -> None:
        del kind
        self.p, self.delay_ns, self.burst_ns, self.is_spared = self._next

    def status(self) -> dict[str, int]:
        return super().status() | {"burst_left": self.burst_ns}

    def view(self) -> dict[str, int]:
        return self._view

    # --- traffic ---

    def beside(self, rng: random.Random) -> dict[str, int]:
        return most_beside(rng, self.probability)

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Short bursts, and steps of any size; or gains so small that a delay moves p to just where it is wanted."""
        small = {name: rng.getrandbits(rng.randint(8, 14)) for name in ("alpha", "beta")}
        return (
            super().lively(rng)
            | (small if rng.random() < 0.3 else {})
            | {
                "max_burst": rng.choice((0, rng.getrandbits(rng.randint(0, 26)))),
                "max_step": rng.choice((1 << 31, rng.getrandbits(31), rng.getrandbits(rng.randint(20, 28)))),
                "late_delay": rng.choice((MOST_NS, rng.getrandbits(rng.randint(0, 30)))),
                "mark_most": rng.choice((1 << 31, rng.getrandbits(31))),
            }
        )

    def beside_ns(self, rng: random.Random) -> int:
        """At the target, at half of it, or where a delay is late."""
        p = self.parameters
        return max(0, rng.choice((p["target"], p["target"] // 2, p["late_delay"], 0)) + rng.randint(-2, 2))

    def leading_ns(self, rng: random.Random) -> int:
        """One that moves p to somewhere, also where its steps are many times halved."""
        return min(super().leading_ns(rng) << rng.choice((0, 0, 1, 3, 5, 11)), MOST_NS)

    def wait_ns(self, rng: random.Random) -> int:
        """Now and then just one of the bits, since any from 32 on says that a wait is too long to be counted."""
        return 1 << rng.randrange(64) if rng.random() < 0.05 else super().wait_ns(rng)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Head | Ticked | NewSet]:
        """To where a sum, a step, a probability or a delay decides: see there."""
        borders = (*(below for below, _ in SCALES), _SMALL, _SMALL)
        return PieWalk(self, rng, now_ns, (_SOON, _OVERDUE), borders).course()


class PieBacklog(Pie):
    """The delay is what the link takes for the queue."""

    name = "pie-backlog"

    @staticmethod
    def defaults() -> dict[str, int]:
        return Pie.defaults() | {"rate": round(0.02 * 2**22)}
