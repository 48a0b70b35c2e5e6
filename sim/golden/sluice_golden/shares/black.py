# SPDX-License-Identifier: Apache-2.0
"""BLACK, exact integer model (G. Chatranon, M. Labrador, S. Banerjee, "BLACK: Detection and Preferential Dropping of High
Bandwidth Unresponsive Flows", ICC 2003).

While more than `threshold` packets are queued each arrival samples one of them, and the flow of that one has a hit in the cache
of high-bandwidth flows (:mod:`sluice_golden.blocks.hbf_cache`). The share of a flow in the buffer is H, its hits by all samples;
how often an arrival samples its own flow tells the number of flows N. A flow with more than 1/N is dropped with
probability N H - 1.

With S samples and M matches in the period before, N = S / M; with h hits of d samples, H = h / d. So N H - 1 is
(S h - M d) / (M d), and a draw is below it without a division: U M d < S h - M d. And an entry is kept, by the period that is
over, if it has as many hits as there were matches. A period without a sample does not count. Draws Q0.18, word 0.

The reference is :mod:`sluice_golden.shares.black_reference`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.hbf_cache import HbfCache, Period, Replacement, familiar
from sluice_golden.core import PASS, Arrival, CoreModel, NewSet, Reset, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping
    from typing import Self

_DRAW_BITS = 18
_MOST_PACKETS = (1 << 18) - 1
_NUMBERS = 1 << 12
_DROP = Verdict("drop", "Unfair drop")
_WALK = 250  # arrivals
_FILLING = 20  # ... for each entry, until about all are taken
_LONGEST = (1 << 16) - 1  # period


class Black(CoreModel):
    """With 50 entries, of which the one goes that was hit the longest ago. `is_led_far`: a walk has led through the longest
    period."""

    name = "black"
    random_words = 1
    samples = 1
    reasons = (_DROP,)
    entries: ClassVar[int] = 50
    replacement: ClassVar[Replacement] = "lru"

    def __init__(self) -> None:
        super().__init__()
        self.cache = HbfCache(self.entries, self.replacement)
        self.arrivals = self.sampled = self.matched = 0  # in this period
        self.number = 0
        self.before_sampled = self.before_matched = 1  # S and M
        self.is_led_far = False
        self._view: dict[str, int] = {}

    @classmethod
    def defaults(cls) -> dict[str, int]:
        return {"threshold": 200, "period": 1000}

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return parameters["period"] >= 1

    def arrive(self, arrival: Arrival) -> Verdict:
        sample = arrival.samples[0]
        is_over = arrival.queue_packets > self.parameters["threshold"]
        period = Period(self.number, self.before_matched)
        self._view = {"number": period.number, "least": period.least}
        if is_over and sample is not None:
            self.sampled += 1
            self.matched += sample == arrival.flow
            self._view |= self.cache.seen(sample, period, self.sampled)
        is_dropped = self._is_dropped(arrival, period)
        self._end_arrival()
        return _DROP if is_over and is_dropped else PASS

    def _is_dropped(self, arrival: Arrival, period: Period) -> bool:
        entry = self.cache.look_up(arrival.flow, period)
        self._view |= {"is_known": int(entry is not None)}
        if entry is None:
            return False
        hits = entry.hits + entry.previous
        drawn_from = self.sampled + (self.before_sampled if entry.previous else 0)
        share = self.before_matched * drawn_from
        excess = self.before_sampled * hits - share
        part = (arrival.random[0] >> 32 - _DRAW_BITS) * share >> _DRAW_BITS
        self._view |= {"share": share, "excess": excess, "part": part}
        return part < excess

    def _end_arrival(self) -> None:
        """The period may be over."""
        self.arrivals += 1
        if self.arrivals < self.parameters["period"]:
            return
        self.arrivals = 0
        if self.sampled:
            self.before_sampled, self.before_matched = self.sampled, max(1, self.matched)
            self.sampled = self.matched = 0
            self.number = (self.number + 1) % _NUMBERS

    def status(self) -> dict[str, int]:
        return {"samples": self.before_sampled, "matches": self.before_matched}

    def view(self) -> dict[str, int]:
        return self._view

    # --- for tests ---

    def fork(self) -> Self:
        other = super().fork()
        other.cache = self.cache.fork()
        return other

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """A threshold that is often passed, and periods that are soon over."""
        return {"threshold": rng.choice((0, 0, 1, 20)), "period": rng.choice((1, 5, 40, 300, 2000))}

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """Beyond the threshold, or beside it."""
        threshold = self.parameters["threshold"]
        level = threshold + rng.choice((0, 1, 1, 10))
        return min(_MOST_PACKETS, threshold + rng.randint(-1, 2)) if threshold else level, min(_MOST_PACKETS, level)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | NewSet | Reset]:
        """Where the cache is empty it is mostly filled, and a reset follows, which the same flows meet that come again after it.
        Else more flows than the cache has entries, some of which are sampled often; or few, which it knows, and now and then
        one that differs from such a one in a single bit. Once the longest period, when all places are taken."""
        if not self.cache.flows and rng.random() < 0.9:
            yield from self._reset(rng, now_ns)
            return
        if not self.is_led_far and len(self.cache.flows) == self.entries:
            self.is_led_far = True
            yield from self._longest_period(rng, now_ns)
        known = rng.sample(self.cache.flows, min(len(self.cache.flows), rng.choice((0, 3, 30))))
        others = [rng.getrandbits(32) for _ in range(rng.choice((1, 10, 3 * self.entries)))]
        flows = known + others if self.cache.flows else familiar(self.entries)
        heavy, share = rng.choices(flows, k=3), rng.choice((0.0, 0.2, 0.8))

        def flow() -> int:
            drawn = rng.choice(heavy if rng.random() < share else flows)
            return drawn if rng.random() < 0.98 else drawn ^ 1 << rng.randrange(32)

        for _ in range(_WALK):
            own, sample = flow(), flow()
            yield self._walked(rng, now_ns, own, own if rng.random() < 0.1 else sample)

    def _reset(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Reset]:
        """When about all places are taken."""
        flows = familiar(self.entries)
        for _ in range(_FILLING * self.entries):
            yield self._walked(rng, now_ns, *rng.choices(flows, k=2))
        yield Reset()

    def _longest_period(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | NewSet]:
        """All but a few of its arrivals are of one flow, and meet it: what is counted comes near to its most. So much the next
        period begins with."""
        yield NewSet({"period": _LONGEST})
        number, heavy = self.number, rng.choice(self.cache.flows)

        def flow(share: float) -> int:
            return heavy if rng.random() < share else rng.choice((rng.choice(self.cache.flows), rng.getrandbits(32)))

        while self.number == number:
            yield self._walked(rng, now_ns, flow(0.997), flow(0.997))
        for _ in range(_WALK):
            yield self._walked(rng, now_ns, flow(0.5), flow(0.5))

    def _walked(self, rng: random.Random, now_ns: int, own: int, sample: int) -> Arrival:
        """An arrival beyond the threshold."""
        level = min(_MOST_PACKETS, self.parameters["threshold"] + 1)
        return Arrival(now_ns, own, 1000, 0, level, 64 * level, (rng.getrandbits(32),), samples=(sample,))

    def step_bits(self, rng: random.Random) -> int:
        """Few: time makes no difference, and a reset, which a long time needs, empties the cache."""
        return rng.choice((0, 3, 10, 20))

    def pause_ns(self, rng: random.Random) -> int:
        """Short, likewise."""
        return rng.getrandbits(rng.randint(0, 34))


class Black200(Black):
    """With 200 entries, of which the one with the fewest hits goes."""

    name = "black-200"
    entries = 200
    replacement = "fewest"
