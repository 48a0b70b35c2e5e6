# SPDX-License-Identifier: Apache-2.0
"""Where CHOKe's model leads in tests, and the adaptive schemes': to where the average, a slope or a draw decides, with
sets of any size.

By chance an average is seldom near thresholds of thousands of packets, and there are so few sets that of a division, of
which each bit shows only in a quotient that is hardly rounded, or nearly by one, most bits never show. Here sets follow
each other within a walk, and the average goes where they need it.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice_golden.blocks.beside import beside
from sluice_golden.core import Arrival, NewSet

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from sluice_golden.core import Ticked
    from sluice_golden.red.red import Red

    Moments = Iterator[Arrival | Ticked | NewSet]

MOST_THRESHOLD = (1 << 32) - 1
_ONE = 1 << 31
_WORDS = 1 << 32
_DIVIDEND_BITS, _QUOTIENT_BITS = 49, 18
_MOST_PACKETS = (1 << 18) - 1
_UNCOUNTED = (1 << 16) + 200  # packets: more than are counted, and some that lead the average on
_MOST_STEPS = 60  # packets that lead an average towards somewhere
_TRIED = 64  # idle times of which the one is taken that is nearest to rounding
_LONGEST_NS = (1 << 36) - 1


def range_beside(rng: random.Random) -> int:
    """A difference of thresholds, Q18.14, which divides almost without a rest, or almost once more."""
    aligned = (1 << _DIVIDEND_BITS) // rng.randrange(1 << _QUOTIENT_BITS - 1, 1 << _QUOTIENT_BITS) + rng.randint(-1, 2)
    return max(1, min(aligned, MOST_THRESHOLD) >> rng.choice((0, 0, 1, 2, rng.randrange(28))))


def idle_beside_ns(rng: random.Random, model: Red) -> int:
    """An idle time by which the average decays by few halvings, of which what is rounded off is about nothing or nearly
    one; or by so many that nothing is left, which just one bit of their number says."""
    unit, whole = max(1, model.decay_mantissa), 1 << model.decay_shift
    exponent = rng.randrange(1024 * rng.choice((1, 1, 2, 8))) if rng.random() < 0.8 else 1 << rng.randrange(15, 40)
    around = (exponent << model.decay_shift) // unit + 1
    spread = max(8, around >> 14)

    def rounded(ticks: int) -> int:
        rest = ticks * unit % whole
        return min(rest, whole - 1 - rest)

    tried = (max(0, around + rng.randint(-spread, spread)) for _ in range(_TRIED))
    return min(16 * min(tried, key=rounded) + rng.randrange(16), _LONGEST_NS)


def any_idle_rate(rng: random.Random) -> int:
    """Of any size, and often one so high that hardly anything of a decay's exponent is rounded off."""
    return rng.getrandbits(rng.choice((32, rng.randint(12, 32))))


def any_thresholds(rng: random.Random) -> dict[str, int]:
    """Of any size, with any distance."""
    most = min(2 + rng.getrandbits(rng.choice((18, 19, 20, rng.randint(4, 32)))), MOST_THRESHOLD)
    return {"min": rng.randrange(most), "max": most}


@dataclass
class RedWalk:
    """Of one model, at a time. `fastest`: the set's weight with which the average follows the queue as fast as it
    can."""

    model: Red
    rng: random.Random
    now_ns: int
    fastest: dict[str, int]

    def course(self) -> Moments:
        """Some of what there is, each with a new set."""
        for kind in self.rng.sample(self.kinds, 3):
            yield from kind()
        if self.rng.random() < 0.12:
            yield from self.waiting()

    @property
    def kinds(self) -> list[Callable[[], Moments]]:
        """What there is, the more often the more of it there is to be seen."""
        return [self.slope, self.slope, self.thresholds, self.weights, self.spaced]

    def slope(self) -> Moments:
        """Averages on a slope of which the division is hardly rounded; now and then it is that of the gentle one."""
        rng = self.rng
        for _ in range(3):
            space = range_beside(rng)
            least = rng.randint(0, MOST_THRESHOLD - space) >> rng.choice((0, 8, 32))
            is_gentle = "gentle" in self.model.defaults() and rng.random() < 0.3
            thresholds = {"min": least, "max": least + space}
            if is_gentle:
                thresholds = {"min": rng.randrange(space), "max": space, "gentle": 1}
            yield from self.set(self.fastest | thresholds | {"probability": self._any_probability()})
            bottom, top = (space, 2 * space) if is_gentle else (least, least + space)
            yield from self.led(rng.randint(bottom, top))
            for _ in range(3):
                yield self.arrival(self.queue_of(rng.randint(bottom, top)))

    def thresholds(self) -> Moments:
        """Packets with one of the thresholds, or a half of the average, beside the average that they bring about."""
        rng = self.rng
        for _ in range(2):
            yield from self.set(self.fastest | any_thresholds(rng))
            yield from self.led(rng.getrandbits(rng.randint(14, 32)))
            yield from self.set({"weight_exponent": rng.randint(5, 12)})
            for _ in range(4):
                queue = self.queue_of(self.model.average >> 4) + rng.choice((0, 0, rng.getrandbits(12)))
                coming = self.arrival(min(queue, _MOST_PACKETS))
                ahead = self.model.fork()
                ahead.arrive(coming)
                level = ahead.average >> 4
                name, value = rng.choice((("min", level), ("max", level), ("max", level // 2)))
                yield from self.set({name: beside(rng, value, MOST_THRESHOLD)})
                yield coming

    def weights(self) -> Moments:
        """High averages with each weight, and queues far from them on either side."""
        rng = self.rng
        yield from self.set(self.fastest | any_thresholds(rng))
        yield from self.led(rng.getrandbits(rng.randint(24, 32)))
        for _ in range(3):
            half = {"weight_half": rng.getrandbits(1)} if "weight_half" in self.model.defaults() else {}
            yield from self.set(half | {"weight_exponent": rng.randint(5, 12)})
            for _ in range(3):
                yield self.arrival(rng.choice((0, _MOST_PACKETS, rng.getrandbits(rng.randint(0, 18)))))

    def spaced(self) -> Moments:
        """Packets of one average, mostly behind one below `min` that restarts the count, with draws beside
        the multiple of their probability at which one of them is hit."""
        rng, fork = self.rng, self.model.fork
        sorts = {"probability": self._any_probability(), "wait": rng.getrandbits(1)}
        yield from self.set(self.fastest | any_thresholds(rng) | sorts)
        p = self.model.parameters
        for _ in range(6):
            level, is_behind_one = rng.randint(p["min"], p["max"]), rng.random() < 0.7
            yield from self.led(p["min"] if is_behind_one else level)
            queues = [self.queue_of(level)] * rng.randint(4, 8)
            if is_behind_one:
                (ahead := fork()).arrive(self.arrival(0))
                queues[:2] = 0, self._towards(level, ahead.average)
            border = self._border(queues)
            for queue in queues:
                yield self.arrival(queue, (border + rng.randint(-2, 1)) % _WORDS)

    def _border(self, queues: list[int]) -> int:
        """A draw of the first of these packets from which on one of the others is not hit."""
        ahead, borders = self.model.fork(), list[int]()
        for queue in queues:
            ahead.arrive(self.arrival(queue, _WORDS - 1))
            view = ahead.view()
            borders.append(view["count"] * view.get("probability", 0) - ahead.parameters["wait"] * _WORDS)
        return self.rng.choice([border for border in borders[1:] if 0 < border <= _WORDS] or [0])

    def waiting(self) -> Moments:
        """Packets of which none is hit, few or many, and at times more than are counted; then a probability with which one
        is hit by far, which mostly just one bit of its multiple says, or ever higher ones until one is: where one stays
        as it is, nothing becomes so many times it."""
        rng = self.rng
        least = rng.getrandbits(rng.randint(10, 30))
        level = least + (1 << rng.randint(16, 30))
        thresholds = {"min": least, "max": 2 * level - least}
        yield from self.set(self.fastest | thresholds | {"probability": 0})
        yield from self.led(level)
        some = (1 << (bits := rng.randint(2, 13))) + rng.getrandbits(bits)
        for _ in range(_UNCOUNTED if rng.random() < 0.05 else some):
            yield self.arrival(self.queue_of(level))
        higher = sorted(rng.getrandbits(rng.randint(8, 31)) for _ in range(rng.choice((1, 10))))
        for probability in higher if rng.random() < 0.4 else [self._of_one_bit(level)]:
            yield from self.set({"probability": probability})
            for _ in range(3):
                yield self.arrival(self.queue_of(level))

    def _of_one_bit(self, level: int) -> int:
        """The least max_p with which the next packet's multiple comes to one of the two highest powers of two that it can."""
        coming = self.arrival(self.queue_of(level))

        def multiple(max_p: int) -> int:
            ahead = self.model.fork()
            ahead.apply({**ahead.parameters, "probability": max_p})
            ahead.arrive(coming)
            return ahead.view()["count"] * ahead.view().get("probability", 0)

        highest = multiple(_ONE).bit_length() - 1
        return bisect_left(range(_ONE), 1 << max(0, highest - self.rng.randrange(2)), key=multiple)

    def set(self, values: dict[str, int]) -> Moments:
        """These values for what follows, if they are legal."""
        known = {name: value for name, value in values.items() if name in self.model.defaults()}
        if self.model.is_legal({**self.model.parameters, **known}):
            yield NewSet(known)

    def led(self, level: int) -> Moments:
        """Packets until the average is at a level, Q18.14, or about there."""
        for _ in range(_MOST_STEPS):
            if abs((level << 4) - self.model.average) < 1 << 18:
                break
            yield self.arrival(self._towards(level, self.model.average))

    def _towards(self, level: int, average: int) -> int:
        """The queue that brings an average, Q18.18, to a level, Q18.14, or as far towards it as one can."""
        step = sum(1 << 18 - exponent for exponent in self.model.exponents)
        queue = (average >> 18) + ((level << 4) - average) // step
        return min(max(0, queue), _MOST_PACKETS)

    def queue_of(self, level: int) -> int:
        """The queue that is as long as an average."""
        return min(level >> 14, _MOST_PACKETS)

    def arrival(self, queue: int, draw: int | None = None, size: int = 1000) -> Arrival:
        """A packet of whose flow none is sampled."""
        model, rng = self.model, self.rng
        draw = rng.getrandbits(32) if draw is None else draw
        others = (2,) * model.samples
        return Arrival(self.now_ns, 1, size, rng.getrandbits(2), queue, queue << 6, (draw,), samples=others)

    def _any_probability(self) -> int:
        return self.rng.randint(0, _ONE) >> self.rng.randrange(6)
