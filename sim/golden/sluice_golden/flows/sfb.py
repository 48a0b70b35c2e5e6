# SPDX-License-Identifier: Apache-2.0
"""Stochastic Fair BLUE, exact integer model (W. Feng, D. Kandlur, D. Saha, K. Shin, INFOCOM 2001), by Linux' rule or the
paper's.

Formats: probabilities Q0.16, and 2^16 - 1 stands for 1; draws Q0.16, the upper half of a word; time as in
:mod:`sluice_golden.blocks.token_bucket`. Nothing else is rounded. The reference is :mod:`sluice_golden.flows.sfb_reference`.

There are two sets of bins, each with a salt of its own. One is in force; while the next is warmed up, packets of flows that do
not respond move it too. A packet's tag holds for each set the number of its bins there, 0 in a set in which it does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.token_bucket import PACKET, TokenBucket
from sluice_golden.core import Arrival, CoreModel, Departed, Settled, Verdict
from sluice_golden.flows.sfb_bins import CERTAIN, COUNTED, BinSet

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping
    from typing import Self

FIRST_SALTS = (0x9E3779B97F4A7C15, 0xF39CC0605CEDC834)
_OLDEST = (1 << 8) - 1
_MISS = (1 << 32) - 1  # a draw that is below no probability
_PROBABILITIES = [f"probability_{level}" for level in range(8)]
_OTHER_PROBABILITIES = [f"other_probability_{level}" for level in range(8)]


class Sfb(CoreModel):
    """By Linux' rule: 8 levels of 16 bins."""

    name = "sfb"
    levels: ClassVar[int] = 8
    bins: ClassVar[int] = 16
    full_bins_warm: ClassVar[bool] = False
    """Whether a packet that is let in no more moves the set that is warmed up too."""
    drops_beyond_half: ClassVar[bool] = True
    """Whether more and more of what a probability beyond one half takes is dropped, though it could be marked."""
    random_words = 1
    ticks = ("warmup",)
    reasons = (
        Verdict("drop", "Unforced drop"),
        Verdict("mark", "Unforced mark"),
        Verdict("drop", "Bucket drop"),
        Verdict("drop", "Penalty drop"),
    )

    def __init__(self) -> None:
        super().__init__()
        self.draws = 0  # of the last four arrivals
        self.sets = [BinSet(self.levels, self.bins, salt) for salt in FIRST_SALTS]
        self.active = 0
        self.is_warming = False
        self.age = 0  # ticks since the last change of the salt
        self._next_age = 0  # the same as the last tick has it
        self.new_salt: int | None = None
        self.bucket = TokenBucket()
        # Of the last arrival: the draw, its bins, what these held and their probabilities, and what the bucket lacked; and of the
        # other set, if it moved that too, its bins and their probabilities.
        self._seen: tuple[int, int, list[int], list[int], int] = 0, 0, [], [], 0
        self._seen_other: tuple[int, list[int]] | None = None

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "bin_size": 20,
            "bin_max": 25,
            "increment": 66,
            "decrement": 11,
            "penalty_rate": 10,
            "penalty_burst": 20,
            "warmup": 60_000_000,
            "rehash": 10,
            "ecn": 0,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return parameters["warmup"] >= 1

    def least(self) -> int:
        """Packets from which on a bin's probability rises."""
        return self.parameters["bin_size"]

    def most(self) -> int:
        """Packets from which on a bin is not open."""
        return self.parameters["bin_max"]

    def is_full(self, counts: list[int]) -> bool:
        """Whether the counts of a packet's bins let it in no more."""
        return min(counts) >= self.most()

    def is_dropped(self, draw: int, probability: int) -> bool:
        """Whether a draw below the probability drops what could be marked as well."""
        return self.drops_beyond_half and draw < 2 * (probability - CERTAIN // 2)

    def arrive(self, arrival: Arrival) -> Verdict:
        p = self.parameters
        draw = arrival.random[0] >> 16
        self.draws = (self.draws << 16 | draw) & ((1 << 64) - 1)
        self.bucket.fill(arrival.now_ns, p["penalty_rate"])
        own, other = self.sets[self.active], self.sets[1 - self.active]
        number = own.number(arrival.flow)
        places = own.places(number)
        counts = [own.counts[place] for place in places]
        own.move(places, p["increment"], p["decrement"], self.least())
        probabilities = [own.probabilities[place] for place in places]
        self._seen, self._seen_other = (draw, number, counts, probabilities, self.bucket.lacks), None

        is_full, is_certain = self.is_full(counts), min(probabilities) == CERTAIN
        numbers = [0, 0]
        numbers[self.active] = number
        if is_certain and self.is_warming and (not is_full or self.full_bins_warm):
            numbers[1 - self.active] = number = other.number(arrival.flow)
            places = other.places(number)
            other.move(places, p["increment"], p["decrement"], self.least())
            self._seen_other = number, [other.probabilities[place] for place in places]
        tag = numbers[0] | numbers[1] << (own.bin_bits * self.levels)

        if is_full:
            return Verdict("drop", "Bucket drop", tag=tag)
        if is_certain:
            return (
                Verdict("pass", tag=tag)
                if self.bucket.takes(p["penalty_burst"])
                else Verdict("drop", "Penalty drop", tag=tag)
            )
        probability = min(probabilities)
        if draw >= probability:
            return Verdict("pass", tag=tag)
        if p["ecn"] and arrival.ect and not self.is_dropped(draw, probability):
            return Verdict("mark", "Unforced mark", tag=tag)
        return Verdict("drop", "Unforced drop", tag=tag)

    def settled(self, settled: Settled) -> None:
        if settled.fate == "accepted":
            self._count(settled.tag, 1)

    def departed(self, departed: Departed) -> None:
        self._count(departed.tag, -1)

    def _count(self, tag: int, by: int) -> None:
        bits = self.levels * self.sets[0].bin_bits
        for bin_set, number in zip(self.sets, (tag & ((1 << bits) - 1), tag >> bits), strict=True):
            bin_set.count(number, by)

    def interval_ns(self, kind: str) -> int:
        del kind
        return 1000 * self.parameters["warmup"]

    def tick(self, kind: str, now_ns: int) -> None:
        """A warm-up time has passed. The last one of a salt ends the warming up at once."""
        del kind, now_ns
        self._next_age = min(self.age + 1, _OLDEST)
        if 0 < self.parameters["rehash"] <= self._next_age:
            self.new_salt = self.draws
            self._next_age = 0
            self.is_warming = False

    def settle(self, kind: str) -> None:
        """The set that was in force is the next to be warmed up, with the new salt."""
        del kind
        if self.new_salt is not None:
            self.sets[self.active].salt = self.new_salt
            self.active = 1 - self.active
            self.new_salt = None
        self.age = self._next_age
        self.is_warming = 0 < self.parameters["rehash"] <= self.age + 1

    def status(self) -> dict[str, int]:
        return {"age": self.age, "warming": int(self.is_warming)}

    def view(self) -> dict[str, int]:
        draw, number, counts, probabilities, lacks = self._seen
        most = self.most()
        seen = {
            "open": sum([1 << level for level, count in enumerate(counts) if count < most]),
            "places": number,
            "below": sum([1 << level for level, probability in enumerate(probabilities) if draw < probability]),
            "gain": self.bucket.gain,
            "bucket": lacks,
        }
        seen.update(zip(_PROBABILITIES, probabilities, strict=False))
        if self.drops_beyond_half:
            far = [1 << level for level, probability in enumerate(probabilities) if self.is_dropped(draw, probability)]
            seen["far_below"] = sum(far)
        if self._seen_other is not None:
            other_number, others = self._seen_other
            seen["other_places"] = other_number
            seen.update(zip(_OTHER_PROBABILITIES, others, strict=False))
        return seen

    def fork(self) -> Self:
        other = super().fork()
        other.sets = [bin_set.fork() for bin_set in self.sets]
        other.bucket = self.bucket.fork()
        return other

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Bins that are soon full, probabilities that are soon anywhere, a few ticks to each salt. Seldom bins that hold as many
        as they can, under a salt that stays."""
        is_deep = rng.random() < 0.03
        bin_size = rng.choice((0, 1, 2, 5, 20, 20, rng.getrandbits(rng.randint(4, 10))))
        bin_size = rng.randrange(COUNTED // 2, COUNTED) if is_deep else bin_size
        return {
            "bin_size": bin_size,
            "bin_max": min(bin_size + rng.choice((0, 1, 5, 50, 500)), COUNTED - 1),
            "increment": rng.choice((CERTAIN, rng.randrange(1 << 16) >> rng.randrange(8))),
            "decrement": rng.choice((0, rng.randrange(1 << 16) >> rng.randrange(17))),
            "penalty_rate": rng.getrandbits(rng.randint(0, 16)),
            "penalty_burst": rng.choice((0, 1, 2, 20, 255)),
            "rehash": 0 if is_deep else rng.choice((0, 1, 2, 5)),
        }

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Departed]:
        """A few flows that fill their bins until probabilities rise, go back and forth there, and leave until all are empty: each
        bit of a count is read."""
        is_deep = self.parameters["bin_size"] >= COUNTED // 2
        flows = [rng.getrandbits(32) for _ in range(1 if is_deep else rng.choice((1, 1, 2, 5)))]
        coming = len(flows) * self.parameters["bin_size"] + rng.randint(1, 3)
        around = [rng.random() < 0.5 for _ in range(rng.choice((5, 30)))]
        for is_coming in (*[True] * coming, *around, *[False] * coming, True, True):
            if is_coming:
                word = rng.choice((_MISS, _MISS, rng.getrandbits(32)))
                yield Arrival(now_ns, rng.choice(flows), 1000, rng.getrandbits(2), 1, 1000, (word,))
            else:
                yield Departed(now_ns, 0, 0)

    def pause_ns(self, rng: random.Random) -> int:
        """What fills the bucket by about a packet, or any."""
        rate = max(1, self.parameters["penalty_rate"])
        beside = (self.bucket.lacks % PACKET or PACKET) // rate + rng.randint(-1, 1)
        return max(0, beside << 9) if rng.random() < 0.5 else super().pause_ns(rng)

    def step_bits(self, rng: random.Random) -> int:
        """Mostly such that a few arrivals, or a few hundred, fill the bucket by a packet."""
        bits = (10**9 // max(1, self.parameters["penalty_rate"])).bit_length()
        return max(0, bits - rng.randint(0, 8)) if rng.random() < 0.7 else super().step_bits(rng)


class Sfb2x23(Sfb):
    """By Linux' rule too: the paper's 2 levels of 23 bins."""

    name = "sfb-2x23"
    levels = 2
    bins = 23


class SfbPaper(Sfb):
    """By the paper's rule: 2 levels of 23 bins, and a packet that finds one of its bins full is dropped."""

    name = "sfb-paper"
    levels = 2
    bins = 23
    full_bins_warm = True
    drops_beyond_half = False

    @staticmethod
    def defaults() -> dict[str, int]:
        own = {"bin_size": 13, "increment": round(0.005 * 2**16), "decrement": round(0.001 * 2**16)}
        return {name: raw for name, raw in (Sfb.defaults() | own).items() if name != "bin_max"}

    def least(self) -> int:
        return self.parameters["bin_size"] + 1

    def most(self) -> int:
        return self.least()

    def is_full(self, counts: list[int]) -> bool:
        return max(counts) >= self.most()

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        return {name: raw for name, raw in super().lively(rng).items() if name != "bin_max"}
