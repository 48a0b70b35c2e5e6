# SPDX-License-Identifier: Apache-2.0
"""The adaptive schemes' common body, exact integer model: RED whose max_p moves once in each interval.

Source: S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED", 2001. Formats: max_p Q1.31, the average as the step sees it Q18.14,
coefficients and the band's margin Q0.18, the distance from the band Q2.16. Everything rounds down.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.core import Arrival, Reset, Ticked
from sluice_golden.red.red import RedHalfWeights

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sluice_golden.core import NewSet

    Step = Callable[[int, int], int]  # from max_p and the distance from the band to the size of the step

_ONE = 1 << 31
_MOST_MAX = (1 << 32) - 1
_MOST_QUEUE = (1 << 18) - 1
_WORDS = 1 << 32
_MOST_STEPS = 40  # packets that lead an average towards somewhere
_DETOURS = 300  # last ways there that are tried
_SPACING = 4  # packets behind a restart of which each has a border of its own
_TINY = 1 << 13  # max_p with which thousands of packets in a row are not hit


def scaled(coefficient: float) -> Step:
    """max_p * coefficient."""
    return lambda max_p, _: (max_p * round(coefficient * 2**18)) >> 18


def additive(coefficient: float, most: float) -> Step:
    """max_p * coefficient, but at most `most`."""
    return lambda max_p, _: min((max_p * round(coefficient * 2**18)) >> 18, round(most * 2**31))


def proportional(coefficient: float) -> Step:
    """max_p * coefficient * distance."""
    return lambda max_p, distance: (((max_p * round(coefficient * 2**18)) >> 18) * distance) >> 16


class Adaptive(RedHalfWeights):
    """What the five schemes share."""

    ticks = ("adaptation",)
    margin: ClassVar[float]
    """Distance of the target band from min and from max, as a part of max - min."""

    def __init__(self) -> None:
        super().__init__()
        self.max_p = self.parameters["probability"]
        self.level_before = 0
        self._stepped = self.max_p

    @abstractmethod
    def increase(self, level: int) -> Step | None:
        """The step up at an average above the band."""

    @abstractmethod
    def decrease(self, level: int) -> Step | None:
        """The step down at an average below the band."""

    @staticmethod
    def defaults() -> dict[str, int]:
        own = {
            "probability": round(0.1 * _ONE),
            "interval": 500_000_000,
            "top": _ONE // 2,
            "bottom": round(0.01 * _ONE),
        }
        return RedHalfWeights.defaults() | own

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        bounds = parameters["top"] <= _ONE and parameters["bottom"] <= _ONE
        return RedHalfWeights.is_legal(parameters) and bounds and parameters["interval"] >= 1

    def apply(self, parameters: Mapping[str, int]) -> None:
        """`probability` is where max_p begins: only a new value moves it."""
        if parameters["probability"] != self.parameters["probability"]:
            self.max_p = self._stepped = parameters["probability"]
        super().apply(parameters)

    @property
    def max_probability(self) -> int:
        return self.max_p

    def interval_ns(self, kind: str) -> int:
        del kind
        return self.parameters["interval"]

    def tick(self, kind: str, now_ns: int) -> None:
        del kind, now_ns
        level = self.average >> 4
        self._stepped = self._next(level)
        self.level_before = level

    def settle(self, kind: str) -> None:
        del kind
        self.max_p = self._stepped

    def _next(self, level: int) -> int:
        p = self.parameters
        lower, upper = self._band(p["max"])
        if level > upper and self.max_p <= p["top"]:
            step = self.increase(level)
            return min(_ONE, self.max_p + step(self.max_p, _ratio(level - upper, upper))) if step else self.max_p
        if level < lower and self.max_p >= p["bottom"]:
            step = self.decrease(level)
            return self.max_p - step(self.max_p, _ratio(lower - level, lower - p["min"])) if step else self.max_p
        return self.max_p

    def _band(self, most: int) -> tuple[int, int]:
        """Where the average is meant to be with this `max`."""
        least = self.parameters["min"]
        space = ((most - least) * round(self.margin * 2**18)) >> 18
        return least + space, most - space

    def status(self) -> dict[str, int]:
        return super().status() | {"max_probability_now": self.max_p}

    # --- traffic ---

    def beside(self, rng: random.Random) -> dict[str, int]:
        """Also bounds beside max_p, and a `max` with which an end of the band is beside the average."""
        level, end, by = self.average >> 4, rng.randrange(2), rng.randint(-1, 1)
        most = bisect_left(range(_MOST_MAX), level, key=lambda most: self._band(most)[end])
        bound = {rng.choice(("top", "bottom")): min(max(0, self.max_p + by), _ONE)}
        return rng.choice((super().beside(rng), bound, {"max": min(max(0, most + by), _MOST_MAX)}))

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Also bounds beside where max_p begins, or none; any thresholds; and now and then a max_p that lets counts grow."""
        lively = super().lively(rng)
        begin = 1 + rng.randrange(_TINY) if rng.random() < 0.015 else rng.choice((lively["probability"],) * 8 + (_ONE,))
        most = min(1 + rng.getrandbits(rng.choice((18, 19, 20, rng.randint(4, 32)))), _MOST_MAX)
        return lively | {
            "probability": begin,
            "top": rng.choice((_ONE, min(_beside(rng, begin), _ONE))),
            "bottom": rng.choice((0, min(_beside(rng, begin), _ONE))),
            "min": rng.randrange(most),
            "max": most,
            "weight_exponent": rng.choice((5, 8, rng.randint(5, 12))),
            "weight_half": rng.getrandbits(1),
            "wait": rng.getrandbits(1),
        }

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked | NewSet | Reset]:
        """A tick while max_p is where it began; then ticks that find the average right beside an end of the band, or where the
        tick before found it, and after each packets that are shown max_p. At last, of a tiny max_p, many packets, and then a
        high average."""
        p = self.parameters
        yield Ticked(now_ns, "adaptation")
        for _ in range(rng.randint(1, 4)):
            seen = rng.choice((*self._band(p["max"]), self.level_before))
            yield from self._led(rng, now_ns, self._way(rng, _beside(rng, seen)))
            yield Ticked(now_ns, "adaptation")
        active = min(rng.randint(p["min"] >> 14, p["max"] >> 13) + 2, _MOST_QUEUE)
        yield from self._led(rng, now_ns, [*self._way(rng, p["min"] - 1), *[active] * 6])
        if self.max_p <= _TINY and p["max"] - p["min"] > 4 << 14:
            yield from self._led(rng, now_ns, self._way(rng, (p["min"] + p["max"]) // 2))
            for _ in range(1 << rng.randint(9, 12)):
                yield self._arrival(rng, now_ns, p["min"] + p["max"] >> 15, _WORDS - 1)
            yield from self._led(rng, now_ns, self._way(rng, rng.randint(p["max"], 2 * p["max"])))
        if rng.random() < 0.5:  # an average comes up soon and goes down slowly
            yield Reset()

    def _way(self, rng: random.Random, level: int) -> list[int]:
        """Queues that bring the average to a level, as near as one comes."""
        wanted, average, queues = (min(max(0, level), _MOST_MAX) << 4) + 8, self.average, list[int]()
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
            for below in (rng.getrandbits(19), rng.getrandbits(19), 0):
                tried.append(self._queue_towards(wanted - below, now))
                now = self._averaged(now, tried[-1])
            if abs(now - wanted) < missed:
                missed, best = abs(now - wanted), tried
        return queues + best

    def _averaged(self, average: int, queue: int) -> int:
        return average + sum((queue << 18 >> e) - (average >> e) for e in self.exponents)

    def _queue_towards(self, wanted: int, average: int) -> int:
        missing = wanted - average + sum(average >> e for e in self.exponents)
        unit = sum(1 << 18 - e for e in self.exponents)
        return min(max(0, (missing + unit // 2) // unit), _MOST_QUEUE)

    def _led(self, rng: random.Random, now_ns: int, queues: Sequence[int]) -> Iterator[Arrival]:
        """Packets that find these queues, with draws beside where they decide about one of the next."""
        for i, queue in enumerate(queues):
            ahead, later = self.fork(), queues[i + 1 : i + 1 + rng.randint(1, _SPACING)]
            for following in (queue, *later):
                ahead.arrive(self._arrival(rng, now_ns, following, 0))
            times = max(0, len(later) - rng.randrange(2))
            border = times * ahead.view().get("probability", 0) - self.parameters["wait"] * _WORDS
            yield self._arrival(rng, now_ns, queue, (border + rng.randint(-2, 1)) % _WORDS)

    def _arrival(self, rng: random.Random, now_ns: int, queue: int, draw: int) -> Arrival:
        return Arrival(now_ns, 1, 1000, rng.getrandbits(2), queue, queue << 6, (draw,))


def _beside(rng: random.Random, value: int) -> int:
    """Right beside a probability or a level, or off it in one bit."""
    return min(max(0, rng.choice((value + rng.randint(-1, 1), value ^ 1 << rng.randrange(31)))), _MOST_MAX)


def _ratio(part: int, whole: int) -> int:
    """part / whole, Q2.16; 4 - 2^-16 for all that is beyond."""
    return (part << 16) // whole if part < 4 * whole else (1 << 18) - 1
