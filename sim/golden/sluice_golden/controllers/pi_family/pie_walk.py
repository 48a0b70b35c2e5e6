# SPDX-License-Identifier: Apache-2.0
"""Where PIE's model leads in tests: to what a tick or a packet decides by, from both sides.

By chance p is hardly ever near `mark_most` when a packet is taken, a step near its most, p near where its steps become
larger, or a delay such that its last bits are seen in what it moves p by. Here the set is put beside what it will be
compared with, or a delay is one that brings p there.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sluice_golden.blocks.beside import beside
from sluice_golden.controllers.delay import FRACTION, MOST_NS, ONE, seconds
from sluice_golden.core import Arrival, Head, NewSet, Ticked

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    Moments = Iterator[Arrival | Head | Ticked | NewSet]

_MISS = (1 << 32) - 1  # a draw that is below no probability but 1
_MOST = 1 << 31  # of a probability of the registers
_MOST_BYTES = (1 << 26) - 1
_UNSEEN = FRACTION - 31  # bits of p that draws do not see
_ROUNDED = 1 << 32
_MORE = seconds(_ROUNDED) - _ROUNDED  # of which a distance is a multiple that is rounded
_UNBOUND = {"max_step": _MOST, "late_delay": MOST_NS, "max_burst": 0, "tupdate": MOST_NS}
"""Nothing keeps a tick from moving p, and no burst spares packets."""


class Led(Protocol):
    """What the walk reads of the model."""

    parameters: dict[str, int]
    p: int
    sum: int
    delay_ns: int

    @property
    def probability(self) -> int:
        """Of p what draws see, Q1.31."""

    @property
    def is_spared(self) -> bool:
        """Whether packets pass whatever p is."""

    def step(self, delay_ns: int) -> int:
        """What a tick that finds a delay moves p by."""


@dataclass(frozen=True)
class PieWalk:
    """Of one model, from a time on. `sums`: from which sum on a packet is taken that its draw hits, and from which on
    any. `borders`: values of p below which something is otherwise."""

    model: Led
    rng: random.Random
    now_ns: int
    sums: tuple[int, int]
    borders: Sequence[int]

    def course(self) -> Moments:
        """Sums, and some of the rest, from where the one before has left the model."""
        yield from self._sums()
        for kind in self.rng.sample((self._marks, self._steps, self._crossings, self._distances), 2):
            yield from kind()

    def _sums(self) -> Moments:
        """Long delays until packets are judged and p is 1/32 or more; then draws that miss until the sum takes packets.
        Or a p of which a whole number of times is right beside where the sum begins to take who is hit, or takes
        anyone; or another p, of a later packet, with which it comes there."""
        model, rng = self.model, self.rng
        for _ in range(12):
            if self._is_led:
                break
            yield from self._ticked(model.parameters["target"] + rng.getrandbits(rng.randint(20, 32)))
        if not self._is_led:
            return
        if rng.random() < 0.7:
            yield NewSet(_UNBOUND | {"target": 0, "alpha": 0, "beta": 1 << rng.randint(8, 13)})  # to the last bit of p
        border, draw = rng.choice(tuple(zip(self.sums, (0, _MISS), strict=True)))
        packets = border // model.probability + rng.randint(0, 1)
        if packets and model.parameters["derandomise"] and rng.random() < 0.7:
            wanted = border // packets + rng.randint(0, 1) << _UNSEEN | rng.getrandbits(_UNSEEN)
            yield from self._moved(wanted)
            while self._is_led and model.sum:
                yield self._arriving(0)
        is_left = rng.random() < 0.5
        for _ in range(rng.randint(1, 3) + packets):
            missing = border - model.sum
            if is_left and 0 < missing < 2 * model.probability:
                is_left = False
                yield from self._moved(missing + rng.randint(-1, 1) << _UNSEEN | rng.getrandbits(_UNSEEN))
            yield self._arriving(draw)

    def _marks(self) -> Moments:
        """Packets that are all taken, most of them ECN-capable, with `mark_most` beside p."""
        yield from self._anywhere({"derandomise": 0, "ecn": 1})
        for _ in range(12):
            yield NewSet({"mark_most": beside(self.rng, self.model.probability, _MOST)})
            yield self._arriving(0)

    def _steps(self) -> Moments:
        """Ticks that move p up, with the most that they may move it by beside what they would."""
        for _ in range(4):
            yield from self._anywhere({"decay_empty": 1})
            delay_ns = self._delay_ns_for(self.rng.randint(self.model.p, ONE))
            step = max(0, self.model.step(delay_ns)) >> _UNSEEN
            yield NewSet({"max_step": beside(self.rng, step, _MOST)})
            yield from self._shown(delay_ns)

    def _crossings(self) -> Moments:
        """Ticks that bring p beside a border, and one from there. With the target as far as it can be every delay is
        short."""
        rng = self.rng
        for _ in range(4):
            border = rng.choice((*self.borders, ONE))
            far, decays_empty = rng.choice((MOST_NS, MOST_NS, 0)), rng.getrandbits(1)
            yield from self._anywhere({}, border - rng.getrandbits(rng.randint(1, 32)))
            yield NewSet({"target": far, "alpha": rng.choice((0, 1)), "beta": rng.getrandbits(rng.randint(8, 18))})
            yield NewSet({"decay_empty": decays_empty, "derandomise": rng.getrandbits(1)})
            for _ in range(3):
                wanted = border + rng.choice((-1, 1)) * rng.getrandbits(rng.randint(1, 24))
                decaying = wanted // 63 if far and not decays_empty else 0
                yield from self._shown(self._delay_ns_for(min(wanted + decaying, ONE)))
            yield from self._shown(self.model.delay_ns + rng.getrandbits(rng.randint(0, 20)))

    def _distances(self) -> Moments:
        """Ticks by gains so high that each bit of a distance is seen in p, at distances that are rounded to seconds by
        hardly anything or by nearly one; and waits of one bit, with none before and behind: each bit says that one is
        not short, or that it is too long to be counted."""
        model, rng = self.model, self.rng
        bits = rng.randint(10, 22)
        for _ in range(3):
            yield from self._anywhere({})
            gains = {name: rng.getrandbits(min(32, 44 - bits)) >> rng.randint(0, 6) for name in ("alpha", "beta")}
            yield NewSet({"target": rng.getrandbits(bits + 2), "decay_empty": rng.getrandbits(1)} | gains)
            for _ in range(4):
                distance = min((rng.getrandbits(bits) for _ in range(64)), key=_is_rounded_by)
                start_ns = rng.choice((model.parameters["target"], model.delay_ns))
                yield from self._shown(max(0, start_ns + rng.choice((-1, 1)) * distance))
        waits_ns = (1 << rng.randrange(20), 1 << rng.randrange(32), 1 << rng.randrange(self.now_ns.bit_length() or 1))
        for wait_ns in waits_ns:
            yield from self._shown(0)
            yield from self._shown(wait_ns)

    def _anywhere(self, values: dict[str, int], p: int | None = None) -> Moments:
        """Ticks that bring p somewhere, by a set with which they can and packets are not spared, and with these
        values."""
        rng = self.rng
        gains = {"alpha": rng.getrandbits(rng.randint(10, 16)), "beta": rng.getrandbits(rng.randint(10, 17))}
        yield NewSet(_UNBOUND | gains | {"target": 0} | values)
        for _ in range(4):
            wanted = ONE // 8 + rng.getrandbits(FRACTION - 1) if p is None else p
            yield from self._moved(wanted)

    @property
    def _is_led(self) -> bool:
        return self.model.probability >> 26 > 0 and not self.model.is_spared

    def _delay_ns_for(self, p: int) -> int:
        """The shortest delay with which a tick moves p at least there."""
        return bisect_left(range(MOST_NS), p, key=lambda delay_ns: self.model.p + self.model.step(delay_ns))

    def _moved(self, p: int) -> Moments:
        """A tick that moves p there, as near as one can."""
        return self._ticked(self._delay_ns_for(p))

    def _shown(self, delay_ns: int) -> Moments:
        """A tick, and a packet that shows what it has changed."""
        yield from self._ticked(delay_ns)
        yield self._arriving(0)

    def _ticked(self, delay_ns: int) -> Moments:
        """A tick that finds such a delay."""
        if "rate" in self.model.parameters:
            yield self._arriving(_MISS, delay_ns * self.model.parameters["rate"] >> 26)
        else:
            behind = 1 + self.rng.getrandbits(16)
            yield Head(self.now_ns, 1, 1000, queue_bytes=behind, queued_ns=max(0, self.now_ns - delay_ns))
        yield Ticked(self.now_ns, "update")

    def _arriving(self, draw: int, queue_bytes: int | None = None) -> Arrival:
        """A packet, if nothing else is said in front of as few bytes as are judged."""
        least = self.model.parameters["min_bytes"]
        queue_bytes = min(least if queue_bytes is None else queue_bytes, _MOST_BYTES)
        return Arrival(self.now_ns, 1, 1000, self.rng.getrandbits(2), queue_bytes // 1000, queue_bytes, (draw,))


def _is_rounded_by(distance_ns: int) -> int:
    """How much is lost where a distance becomes seconds, or missing to one more, whichever is less."""
    rest = distance_ns * _MORE % _ROUNDED
    return min(rest, _ROUNDED - 1 - rest)
