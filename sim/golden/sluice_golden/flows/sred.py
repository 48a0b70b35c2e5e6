# SPDX-License-Identifier: Apache-2.0
"""SRED, exact integer model (T. Ott, T. Lakshman, L. Wong, INFOCOM 1999).

Every arrival is compared with one of the last flows seen, drawn from a list of M: the zombies. How often they are the same, P,
tells how many flows there are, about 1/P. `sred` drops with p_sred (1 + Hit/P), where p_sred is one of three by the queue's
length (Plain); the paper's two forms multiply by min(1, (1/(256 P))^2), with the hit (`sred-full`) or without (`sred-simple`).

Three draws for every arrival: word 0 chooses the zombie, word 1 whether a miss overwrites it, word 2 drops. Formats:
probabilities Q1.31, draws Q0.32, the number of flows Q16.10. What a zombie counts in the paper, and its time, decide nothing and
are left out. The reference is :mod:`sluice_golden.flows.sred_reference`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.marking import marks, most_beside
from sluice_golden.blocks.sampler import is_taken
from sluice_golden.blocks.table import Table
from sluice_golden.core import PASS, Arrival, CoreModel, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping
    from typing import Self

_ONE = 1 << 31  # probability 1
_WORD_BITS = 32
_EXPONENTS = range(5, 13)  # of the weight of a hit or miss
_MANY = 256  # flows: from here on the number of flows makes no difference
_FLOWS_FRACTION = 10
_MOST_FLOWS = (1 << 16 + _FLOWS_FRACTION) - 1
_INDEX_BITS = 10
_INVERSE_FRACTION = 18
INVERSES = Table(
    "1 / (1 .. 2), Q0.18, in the middle of each step",
    (round((1 << _INVERSE_FRACTION) / (1 + (i + 0.5) / (1 << _INDEX_BITS))) for i in range(1 << _INDEX_BITS)),
)


def flows(hit_frequency: int) -> int:
    """1 / P, Q16.10: at most 2^-11 of it wrong, and rounded down. The most that there is stands for 2^16 and more."""
    zeros = _WORD_BITS - hit_frequency.bit_length()
    leading = (hit_frequency << zeros) >> (_WORD_BITS - 1 - _INDEX_BITS) & (1 << _INDEX_BITS) - 1
    inverse = INVERSES[leading] << zeros >> (_INVERSE_FRACTION - _FLOWS_FRACTION)
    return min(inverse, _MOST_FLOWS)


class Sred(CoreModel):
    """Plain, with 1,000 zombies."""

    name = "sred"
    random_words = 3
    reasons = (Verdict("drop", "Unforced drop"), Verdict("mark", "Unforced mark"))
    tables = (INVERSES,)
    zombies_kept: ClassVar[int] = 1000

    def __init__(self) -> None:
        super().__init__()
        self.zombies: list[int] = []
        self.hit_frequency = round(_ONE / self.zombies_kept)  # P: as if the first round will be of as many flows
        self.flows = flows(self.hit_frequency)
        self._view: dict[str, int] = {}

    @classmethod
    def defaults(cls) -> dict[str, int]:
        return {
            "buffer": 1_000_000,
            "max_probability": round(0.15 * _ONE),
            "overwrite_probability": round(0.25 * _ONE),
            "alpha_exponent": round(math.log2(cls.zombies_kept)),
            "ecn": 0,
            "mark_most": round(0.1 * _ONE),
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        p = parameters
        probabilities = ("max_probability", "overwrite_probability", "mark_most")
        return all(p[name] <= _ONE for name in probabilities) and p["alpha_exponent"] in _EXPONENTS

    def arrive(self, arrival: Arrival) -> Verdict:
        p = self.parameters
        place_draw, overwrite_draw, drop_draw = arrival.random
        if len(self.zombies) < self.zombies_kept:
            self.zombies.append(arrival.flow)
            self._view = {}
            return PASS
        place = place_draw * self.zombies_kept >> _WORD_BITS
        is_hit = self.zombies[place] == arrival.flow
        if not is_hit and is_taken(overwrite_draw, p["overwrite_probability"]):
            self.zombies[place] = arrival.flow
        self.hit_frequency += (is_hit << 31 - p["alpha_exponent"]) - (self.hit_frequency >> p["alpha_exponent"])
        self.flows = flows(self.hit_frequency)

        base = self._scaled(self._pressure(arrival.queue_bytes))
        self._view = {"hit": int(is_hit), "base": base}
        if not self._is_dropped(drop_draw, base, is_hit):
            return PASS
        return self.reasons[marks(p, arrival.ect, base)]

    def _pressure(self, queue_bytes: int) -> int:
        """p_sred: by thirds and sixths of the buffer."""
        buffer, most = self.parameters["buffer"], self.parameters["max_probability"]
        if 3 * queue_bytes >= buffer:
            return most
        return most >> 2 if 6 * queue_bytes >= buffer else 0

    def _scaled(self, pressure: int) -> int:
        """The probability but for a hit's weight."""
        return pressure

    def _is_dropped(self, draw: int, base: int, is_hit: bool) -> bool:
        """With probability base (1 + Hit/P), exactly: `draw < base (1 + 1/P)` is `(draw - base) P < base`."""
        excess = draw - 2 * base
        if excess < 0 or not is_hit:
            return excess < 0
        self._view["weighed"] = excess * self.hit_frequency >> _WORD_BITS
        return self._view["weighed"] < base

    def status(self) -> dict[str, int]:
        return {"hit_frequency": self.hit_frequency, "flows": self.flows}

    def view(self) -> dict[str, int]:
        return self._view

    def fork(self) -> Self:
        other = super().fork()
        other.zombies = self.zombies.copy()
        other._view = self._view.copy()
        return other

    def beside(self, rng: random.Random) -> dict[str, int]:
        return most_beside(rng, self._view["base"]) if "base" in self._view else {}

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """A buffer that is soon filled by thirds, and any probabilities."""
        return {
            "buffer": rng.getrandbits(rng.randint(8, 20)),
            "max_probability": rng.randint(_ONE >> rng.randint(0, 6), _ONE),
            "overwrite_probability": rng.randint(0, _ONE),
            "alpha_exponent": rng.choice(_EXPONENTS),
            "ecn": rng.getrandbits(1),
        }

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival]:
        """A full list, and then in clock after clock the same few places and flows: what was written just now is met, also by a
        flow that differs in one bit."""
        places = [rng.getrandbits(32) for _ in range(2)]
        sender = rng.getrandbits(32)
        senders = (sender, sender ^ 1 << rng.randrange(32))
        rest = self.zombies_kept - len(self.zombies)
        for number in range(rest + 40):
            place = rng.getrandbits(32) if number < rest else rng.choice(places)
            words = (place, rng.getrandbits(32), rng.getrandbits(32))
            ecn = rng.getrandbits(2)
            yield Arrival(now_ns, rng.choice(senders), 64, ecn, 0, rng.getrandbits(rng.randint(0, 26)), words)

    def step_bits(self, rng: random.Random) -> int:
        """Few: time makes no difference, and a reset, which a long time needs, empties the list."""
        return rng.choice((0, 3, 10, 20))

    def pause_ns(self, rng: random.Random) -> int:
        """Short, likewise."""
        return rng.getrandbits(rng.randint(0, 34))

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """A queue of short packets beside a third or a sixth of the buffer, or well above both."""
        part = rng.choice((3, 6, 2))
        near = (self.parameters["buffer"] // part // 64 + rng.randint(-1, 1) for _ in range(2))
        return tuple(max(0, packets) for packets in near)  # type: ignore[return-value]


class Sred4096(Sred):
    """Plain, with 4,096 zombies."""

    name = "sred-4096"
    zombies_kept = 4096


class SredFull(Sred):
    """The paper's full form: few flows are dropped less."""

    name = "sred-full"

    def _scaled(self, pressure: int) -> int:
        """p_sred min(1, (flows / 256)^2), rounded down after each multiplication."""
        fraction = _FLOWS_FRACTION + 8
        if self.flows >= _MANY << _FLOWS_FRACTION:
            return pressure
        return (pressure * self.flows >> fraction) * self.flows >> fraction


class SredSimple(SredFull):
    """The paper's simple form: hits only count for the number of flows."""

    name = "sred-simple"

    def _is_dropped(self, draw: int, base: int, is_hit: bool) -> bool:
        del is_hit
        return is_taken(draw, base)
