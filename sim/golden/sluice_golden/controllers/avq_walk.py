# SPDX-License-Identifier: Apache-2.0
"""Where AVQ's model leads in tests: to where a packet just finds room, may just be marked, or brings the capacity to an
end.

By chance the capacity is hardly ever near the border of marks when a packet finds no room, and a step of it, or the
virtual queue, near what it is compared with. Here the set is put beside that, or the time or the size is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sluice_golden.blocks.beside import beside
from sluice_golden.core import Arrival, NewSet

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    Moments = Iterator[Arrival | NewSet]

_UNIT_BITS = 4  # of the time
_LONGEST = (1 << 32) - 1  # time that counts, in 16 ns
_MOST_BYTES = (1 << 26) - 1
_ONE = 1 << 18
_WIDTHS = {"rate": 32, "alpha": 22, "gamma": 18}  # of what makes a capacity grow
_UNSEEN = 14  # bits of the capacity that the virtual queue does not see
_SERVED = 14  # bits of what is served that the virtual queue does not see
_QUEUE_FRACTION = 12
_PACKETS = 30
_TRIED = 32
_TO_THE_TOP = 1100  # of the longest packets, that fill the longest virtual queue


class Led(Protocol):
    """What the walk reads of the model."""

    parameters: dict[str, int]
    capacity: int
    virtual: int
    gain: int
    weight: int


@dataclass
class AvqWalk:
    """Of one model, from a time on. `start`: what a new rate's capacity begins at, of one."""

    model: Led
    rng: random.Random
    now_ns: int
    start: int

    def course(self) -> Moments:
        """First what a slow link has to do, by the set as it is; then some of the rest."""
        yield from self._served()
        for kind in self.rng.sample((self._room, self._marks, self._ends), 2):
            yield from kind()
        if self.rng.random() < 0.03:
            yield from self._longest()

    def _served(self) -> Moments:
        """Packets of which each comes after a part of what serves the virtual queue, or of what fills the capacity."""
        rng = self.rng
        for _ in range(_PACKETS):
            passed = rng.choice((0, rng.randint(0, self._serving), rng.randint(0, self._filling(0))))
            yield self._after(passed, rng.getrandbits(rng.randint(1, 16)))

    def _room(self) -> Moments:
        """Packets with just room for them, or a byte too little, or a bit; after a part of what serves all, or all.
        What a part leaves is hardly more than whole bytes, or hardly less, so that the fraction decides too."""
        rng = self.rng
        yield from self._new_rate({"ecn": 0})
        for _ in range(_PACKETS // 2):
            size = 1 + rng.getrandbits(rng.randint(1, 15))
            serving = min(self._serving, _LONGEST - 1)
            part = min((rng.randint(0, serving) for _ in range(_TRIED)), key=self._over_whole_bytes)
            passed = rng.choice((0, part, part, max(0, serving + rng.randint(-1, 1))))
            yield NewSet({"buffer": beside(rng, (self._left(passed) >> _QUEUE_FRACTION) + size, _MOST_BYTES)})
            yield self._after(passed, size)

    def _marks(self) -> Moments:
        """Packets that find no room, most of them ECN-capable, with `mark_most` beside where marks end. With a new rate
        the capacity may begin just there, to the last bit; then a packet brings it hardly below."""
        model, rng = self.model, self.rng
        yield NewSet({"buffer": 0, "ecn": 1})
        for _ in range(_PACKETS // 3):
            if rng.random() < 0.5:
                small = {"alpha": rng.getrandbits(rng.randint(0, 12)), "gamma": 0, "mark_most": _ONE - self.start}
                yield NewSet({"rate": self._rate()} | small)
            else:
                steep = {"alpha": rng.getrandbits(22), "gamma": 0, "mark_most": _ONE}
                yield NewSet({"rate": 1 << rng.randint(10, 20) | rng.getrandbits(10)} | steep)
                for _ in range(rng.randint(1, 8)):
                    yield self._after(0, rng.getrandbits(16))
                yield NewSet({"alpha": 0})
            for _ in range(2):
                yield self._after(0, 1 + rng.getrandbits(rng.randint(1, 12)))
                yield NewSet({})
            last = _ONE - min(_ONE, (((model.capacity >> _UNSEEN) + 1 << _UNSEEN) - 1) // model.parameters["rate"])
            yield NewSet({"mark_most": beside(rng, last, _ONE)})
            yield self._after(0, 1 + rng.getrandbits(6))

    def _ends(self) -> Moments:
        """The capacity of a new rate, of one that differs in one bit, or of the same, filled but for about nothing by a
        time or emptied by packets. What fate has moved counts from when it is told: each is told before the next packet
        comes."""
        rng, model = self.rng, self.model
        for _ in range(_PACKETS // 6):
            yield from self._new_rate({"buffer": rng.choice((_MOST_BYTES, rng.getrandbits(20)))})
            for _ in range(2):
                size = 1 + rng.getrandbits(rng.randint(1, 15))
                passed = self._filling(model.weight * size >> 8)
                yield self._after(max(0, passed + rng.randint(-2, 2)), size)
                yield NewSet({})
            emptying = min((model.capacity << 8) // max(1, model.weight), (1 << 16) - 2)
            yield self._after(0, emptying + rng.randint(0, 1))
            yield NewSet({})
            other = model.parameters["rate"] ^ 1 << rng.randrange(32)
            yield NewSet({"rate": max(1, rng.choice((other, model.parameters["rate"])))})
            yield self._after(0, 1)

    def _longest(self) -> Moments:
        """The virtual queue as long as it can be, and then served."""
        yield NewSet({"rate": 1, "buffer": _MOST_BYTES - self.rng.getrandbits(12)})
        for _ in range(_TO_THE_TOP):
            yield self._after(0, (1 << 16) - 1)
        yield NewSet({"rate": 1 << 31 | self._rate()})
        for _ in range(_PACKETS):
            yield self._after(self.rng.randint(0, self._serving) // 4, 1 + self.rng.getrandbits(16))

    def _new_rate(self, values: dict[str, int]) -> Moments:
        """A rate and gains of any size, or all of them as great as they can be but for little."""
        rng = self.rng
        some, most = {"rate": self._rate()}, dict[str, int]()
        for name, bits in _WIDTHS.items():
            some.setdefault(name, rng.getrandbits(rng.choice((bits, rng.randint(4, bits)))))
            most[name] = (1 << bits) - 1 - rng.getrandbits(bits - 5)
        yield NewSet((most if rng.random() < 0.2 else some) | values)

    def _rate(self) -> int:
        return max(1, self.rng.getrandbits(self.rng.choice((32, self.rng.randint(1, 32)))))

    def _left(self, passed: int) -> int:
        """What a time leaves of the virtual queue, Q27.12."""
        return max(0, self.model.virtual - ((self.model.capacity >> _UNSEEN) * passed >> _SERVED))

    def _over_whole_bytes(self, passed: int) -> int:
        """How far from whole bytes that is."""
        fraction = self._left(passed) % (1 << _QUEUE_FRACTION)
        return min(fraction, (1 << _QUEUE_FRACTION) - 1 - fraction)

    @property
    def _serving(self) -> int:
        """The time that serves all of the virtual queue."""
        return (self.model.virtual << _SERVED) // max(1, self.model.capacity >> _UNSEEN)

    def _filling(self, more: int) -> int:
        """The time that fills the capacity, if a packet takes as much more from it."""
        room = (self.model.parameters["rate"] << 18) - self.model.capacity + more
        return (room << 20) // max(1, self.model.gain)

    def _after(self, passed: int, size: int) -> Arrival:
        """A packet after a time, in 16 ns."""
        self.now_ns += min(passed, _LONGEST) << _UNIT_BITS
        size = min(max(1, size), (1 << 16) - 1)
        return Arrival(self.now_ns, self.rng.getrandbits(32), size, self.rng.getrandbits(2), 0, 0)
