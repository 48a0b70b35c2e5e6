# SPDX-License-Identifier: Apache-2.0
"""RED, exact integer model (S. Floyd, V. Jacobson 1993; gentle, wait and the ECN rule as ns-2).

Formats: average Q18.18 in packets (byte mode: 64-byte units); thresholds Q18.14; probabilities of the registers Q1.31, of
the decision Q1.32; draws Q0.32. Everything rounds down. The float reference is :mod:`sluice_golden.red.red_reference`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.marking import DEFAULT_MOST, marks, most_beside
from sluice_golden.blocks.table import Table
from sluice_golden.core import PASS, Arrival, CoreModel, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Mapping

_ONE = 1 << 32  # probability 1 in the decision
_EXPONENTS = range(5, 13)  # of the averaging weight 2^-n
_MOST_COUNT = (1 << 16) - 1
_RECENT = 4  # packets for which a core that has restarted its count works no product out
_POWERS = Table("2^-(i/1024), Q0.18", (min(round(2 ** (18 - i / 1024)), (1 << 18) - 1) for i in range(1024)))
_LONGEST_NS = 1 << 36  # idle time after which nothing is left of the average
_MOST_PACKETS = (1 << 18) - 1
_UNFORCED_DROP, _FORCED_DROP = Verdict("drop", "Unforced drop"), Verdict("drop", "Forced drop")
_UNFORCED_MARK, _FORCED_MARK = Verdict("mark", "Unforced mark"), Verdict("mark", "Forced mark")


@dataclass(frozen=True, slots=True)
class Reciprocal:
    """A 32-bit number x = mantissa * 2^(14 - zeros) and 1/x = reciprocal * 2^(zeros - 49), 18 bits each."""

    mantissa: int
    reciprocal: int
    zeros: int

    @classmethod
    def of(cls, x: int) -> Reciprocal:
        """For 0 the mantissa is 0 and the reciprocal means nothing."""
        if x == 0:
            return cls(0, 0, 31)
        zeros = 32 - x.bit_length()
        aligned = x << zeros
        return cls(aligned >> 14, min((1 << 49) // aligned, (1 << 18) - 1), zeros)


def halvings_per_packet(weight: float) -> tuple[int, int]:
    """log2(1 / (1 - weight)) = mantissa * 2^-(10 + shift), mantissa of 18 bits."""
    if weight >= 1:
        return (1 << 18) - 1, 0
    halvings = -math.log1p(-weight) / math.log(2)
    exponent = -math.floor(math.log(halvings) / math.log(2))
    mantissa = math.floor(halvings * 2 ** (17 + exponent) + 0.5)
    return min(mantissa, (1 << 18) - 1), 7 + exponent


def queues_towards(target: int, average: int, exponent: int) -> tuple[int, int]:
    """The queue that brings an average, Q18.18, to a target in packets at once, as far as one can with a weight of 2^-exponent,
    and the queue that keeps it there."""
    target = min(max(0, target), _MOST_PACKETS)
    once = average + (((target << 18) - average) << exponent) >> 18
    return min(max(0, once), _MOST_PACKETS), target


class Red(CoreModel):
    """RED with one power of two as averaging weight."""

    name = "red"
    random_words = 1
    reasons: ClassVar[tuple[Verdict, ...]] = (_UNFORCED_DROP, _FORCED_DROP, _UNFORCED_MARK, _FORCED_MARK)
    tables = (_POWERS,)

    def __init__(self) -> None:
        super().__init__()
        self._view: dict[str, int] = {}
        self.average = 0
        self.idle_since_ns: int | None = None
        self.count = 1  # packets since the last restart, the next one included
        self.kept_draw = 0
        self.shown_probability = 0

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "min": 5 << 14,
            "max": 15 << 14,
            "probability": round(0.02 * 2**31),
            "weight_exponent": 9,
            "avpkt": 1000,
            "idle_rate": round(2e-5 * 2**32),
            "gentle": 1,
            "wait": 1,
            "byte_mode": 0,
            "ecn": 0,
            "hard_drop": 1,
            "mark_most": DEFAULT_MOST,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return (
            parameters["min"] < parameters["max"]
            and parameters["probability"] <= 1 << 31
            and parameters["mark_most"] <= 1 << 31
            and parameters["avpkt"] >= 1
            and (parameters["weight_exponent"] in _EXPONENTS or parameters["weight_exponent"] == 0)
        )

    def derive(self) -> None:
        p = self.parameters
        self.lower_range = Reciprocal.of(p["max"] - p["min"])
        self.upper_range = Reciprocal.of(p["max"])
        self.avpkt = Reciprocal.of(p["avpkt"])
        self.exponents = [p["weight_exponent"] + i for i in range(1 + p.get("weight_half", 0))]
        rate = Reciprocal.of(p["idle_rate"])
        mantissa, shift = halvings_per_packet(sum(2.0**-e for e in self.exponents))
        self.decay_mantissa = (rate.mantissa * mantissa) >> 18
        self.decay_shift = shift + rate.zeros

    @property
    def max_probability(self) -> int:
        """max_p, Q1.31; the adaptive schemes move it."""
        return self.parameters["probability"]

    def found_empty(self, now_ns: int) -> None:
        if self.idle_since_ns is None:
            self.idle_since_ns = now_ns

    def arrive(self, arrival: Arrival) -> Verdict:
        p = self.parameters
        queue = self._queue(arrival)
        self._end_idle(arrival.now_ns)
        self._sample(queue, self.exponents)
        level = self.average >> 4  # Q18.14
        is_active = not self._is_below(level) and (queue > 1 or not p["wait"])
        draw = arrival.random[0]
        self._view = {"average": self.average, "count": self.count, "draw": self.kept_draw}
        if p["byte_mode"]:
            self._view["size_factor"] = self._size_factor(arrival.size)
        if is_active and (caught := self._screened(arrival)):
            return caught

        verdict = PASS
        if is_active and self._is_forced(level):
            may_mark = p["ecn"] and arrival.ect and not p["hard_drop"]
            verdict = _FORCED_MARK if may_mark else _FORCED_DROP
        elif is_active:
            probability = self._probability(level, arrival.size)
            self.shown_probability = probability >> 1
            may_mark = marks(p, arrival.ect, -(-probability // 2))
            self._view |= {"fraction": self._fraction(level), "probability": probability, "may_mark": int(may_mark)}
            if self.count > _RECENT:
                self._view["total"] = self.count * probability
            if self._is_hit(probability):
                verdict = _UNFORCED_MARK if may_mark else _UNFORCED_DROP

        if verdict is not PASS or not is_active:
            self.count = 0 if not is_active and not p["wait"] else 1
            self.kept_draw = draw
        else:
            self.count = min(self.count + 1, _MOST_COUNT)
        return verdict

    def _queue(self, arrival: Arrival) -> int:
        """What is averaged: packets, or 64 bytes in byte mode."""
        return (arrival.queue_bytes >> 6) & 0x3FFFF if self.parameters["byte_mode"] else arrival.queue_packets

    def _screened(self, arrival: Arrival) -> Verdict | None:
        """A drop before RED's test, which then is not made, and leaves the spacing as it is. RED itself has none."""
        del arrival
        return None

    def _is_below(self, level: int) -> bool:
        return level < self.parameters["min"]

    def _is_forced(self, level: int) -> bool:
        p = self.parameters
        return level >= (2 * p["max"] if p["gentle"] else p["max"])

    def _end_idle(self, now_ns: int) -> None:
        """The average decays over an idle time (1993, section 4)."""
        if self.idle_since_ns is not None:
            idle_ns = (now_ns - self.idle_since_ns) % 2**64
            exponent = ((idle_ns >> 4) * self.decay_mantissa) >> self.decay_shift  # Q5.10
            if exponent >> 15 or idle_ns >= _LONGEST_NS:
                self.average = 0
            else:
                halvings = exponent >> 10
                power = _POWERS.read(exponent & 1023, is_whole=self._shows_power(halvings))
                self.average = (self.average * power) >> 18 >> halvings
            self.idle_since_ns = None

    def _shows_power(self, halvings: int) -> bool:
        """Whether the average will show all bits of the power by which it decays, for tests. Here that is taken for granted."""
        del halvings
        return True

    def _sample(self, queue: int, exponents: Iterable[int]) -> None:
        """The queue enters the average with a weight that is the sum of 2^-e."""
        before, sample = self.average, queue << 18
        for e in exponents:
            self.average += (sample >> e) - (before >> e)

    def _size_factor(self, size: int) -> int:
        """What a packet's size makes of its probability, Q4.14."""
        if not self.parameters["byte_mode"]:
            return 1 << 14
        return min((size * self.avpkt.reciprocal) >> (35 - self.avpkt.zeros), (1 << 18) - 1)

    def _probability(self, level: int, size: int) -> int:
        """p_b times the packet's size factor, Q1.32."""
        factor = self._size_factor(size)
        scaled_max = (self.max_probability * factor) >> 13  # Q4.32
        scaled_rest = (factor << 18) - scaled_max
        base, span = (scaled_max, scaled_rest) if self._is_upper(level) else (0, scaled_max)
        return min(base + ((span * self._fraction(level)) >> 18), _ONE)

    def _is_upper(self, level: int) -> bool:
        """Whether a level is on the gentle slope."""
        return bool(self.parameters["gentle"]) and level >= self.parameters["max"]

    def _fraction(self, level: int) -> int:
        """How far up its slope a level is, Q0.18."""
        p = self.parameters
        x, unit = (
            (level - p["max"], self.upper_range) if self._is_upper(level) else (level - p["min"], self.lower_range)
        )
        return (((x << unit.zeros) >> 14) * unit.reciprocal) >> 17

    def _is_hit(self, probability: int) -> bool:
        """Whether the spreading lets this packet be hit: count * p > R, with `wait` > 1 + R."""
        return self.count * probability > self.parameters["wait"] * _ONE + self.kept_draw

    def status(self) -> dict[str, int]:
        return {"average": self.average >> 4, "probability_now": self.shown_probability}

    def view(self) -> dict[str, int]:
        return self._view

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """An average near or between the thresholds, now and then anywhere."""
        p = self.parameters
        lower, upper = p["min"] >> 14, p["max"] >> 14
        end = 2 * upper if p["gentle"] else upper
        between = rng.randint(lower, end)
        target = rng.choice((lower, upper, end, between, between, between, rng.getrandbits(rng.randint(0, 18))))
        return self._towards(target + rng.randint(-2, 2))

    def _towards(self, target: int) -> tuple[int, int]:
        return queues_towards(target, self.average, self.exponents[0])

    def beside(self, rng: random.Random) -> dict[str, int]:
        if "mark_most" not in self.defaults() or "probability" not in self._view:
            return {}
        return most_beside(rng, -(-self._view["probability"] // 2))

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Now and then also by size, in relation to a typical packet of any."""
        lively = {"probability": rng.randrange(1 << 31) >> rng.randrange(6)}
        if "avpkt" in cls.defaults() and rng.random() < 0.2:
            lively |= {"byte_mode": 1, "avpkt": 1 + rng.getrandbits(rng.randint(0, 15))}
        return lively

    def pause_ns(self, rng: random.Random) -> int:
        """An idle time that needs one of the entries of the table that were read less than others, a few halvings or many;
        or any."""
        exponent = _POWERS.seldom_read(rng) + 1024 * rng.choice((0, 0, 1, rng.randrange(32)))
        ticks = -(-(exponent << self.decay_shift) // max(1, self.decay_mantissa))
        idle_ns = 16 * ticks + rng.randrange(16)
        return idle_ns if idle_ns < _LONGEST_NS and rng.random() < 0.75 else super().pause_ns(rng)


class RedHalfWeights(Red):
    """RED whose averaging weight may be 1.5 times a power of two: the sum of two neighbours."""

    name = "red-half-weights"

    @staticmethod
    def defaults() -> dict[str, int]:
        return Red.defaults() | {"weight_half": 0}

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return Red.is_legal(parameters) and parameters["weight_exponent"] in _EXPONENTS
