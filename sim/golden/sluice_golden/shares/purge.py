# SPDX-License-Identifier: Apache-2.0
"""Purge, exact integer model (G. Abbas, A. Nagar, H. Tawfik, J. Goulermas, "Pricing and Unresponsive Flows Purging for Global
Rate Enhancement", Journal of Electrical and Computer Engineering 2010; formulas rebuilt, the text has lost them).

REM's price and probability m for everybody (:mod:`sluice_golden.controllers.rem_price`, of accepted packets). Beyond the target
b* each arrival samples a queued packet, whose flow has a hit in the cache of high-bandwidth flows; a flow's hits h of d samples
and the number of flows N of the last window (:mod:`sluice_golden.blocks.cardinality.min_count`) say how many shares it has:
N h / d. A flow with more than theta is, while there is congestion (:mod:`sluice_golden.shares.purge_load`), marked or dropped
with delta = g s (N h / d - 1) instead of m; with `gate` only beyond the target too, so that no number of flows closes the link.

No division: U d < g s (N h - d), with N Q14.4, U Q0.18, g s Q4.14, theta Q4.8; nothing is rounded. A window's end is worked out
from the samples that its tick finds, an entry is kept with S / N hits or more, rounded up; those after it, until it takes
effect, still belong to the window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.cardinality.min_count import FLOWS_FRACTION, MinCount
from sluice_golden.blocks.hbf_cache import HbfCache, Period, familiar
from sluice_golden.controllers.inverse_power import POWERS
from sluice_golden.controllers.rem import Rem, seldom_needed
from sluice_golden.controllers.rem_price import PRICE_FRACTION, RemPrice, probability_of
from sluice_golden.controllers.sized import PACKET
from sluice_golden.core import PASS, Arrival, CoreModel, Departed, Reset, Settled, Ticked, Verdict
from sluice_golden.shares.purge_load import Congestion, LoadWatch

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping
    from typing import Self

_DRAW_BITS = 18
_MOST_PACKETS = (1 << 18) - 1
_MOST_SAMPLES = 1 << 19
_NUMBERS = 1 << 12
_FRACTION = 4  # of N
_MOST_FLOWS = (1 << 14 + _FRACTION) - 1
_BUCKETS = 1024
_UNFORCED_DROP, _UNFORCED_MARK = Verdict("drop", "Unforced drop"), Verdict("mark", "Unforced mark")
_UNFAIR_DROP, _UNFAIR_MARK = Verdict("drop", "Unfair drop"), Verdict("mark", "Unfair mark")
_MOST_ALPHA = (1 << 18) - 1
_WALK = 1000  # arrivals
_LONG = ((4_000, 0.7), (132_000, 0.1), (130_900, 0.0))
"""Windows, by arrivals and the share that many others send. Of samples the last two have more than 2^18 together, and all lower
bits in the last."""
_PRICES = 40  # ... of a walk of prices
_READS = 2  # of each entry of the table; one may be at a tick that no arrival sees


class Purge(CoreModel):
    """With 50 entries, of which the one with the fewest hits goes."""

    name = "purge"
    random_words = 1
    samples = 1
    ticks = ("price", "load", "window")
    tables = (POWERS,)
    reasons = (_UNFORCED_DROP, _UNFORCED_MARK, _UNFAIR_DROP, _UNFAIR_MARK)
    entries: ClassVar[int] = 50

    def __init__(self) -> None:
        super().__init__()
        self.price = RemPrice()
        self.probability = self._next_price = 0
        self.load = LoadWatch()
        self.congestion = self._next_congestion = Congestion()
        self.cache = HbfCache(self.entries, "fewest")
        self.counter = MinCount(_BUCKETS)
        self.number = self.sampled = self.sampled_before = 0
        self.flows = self._next_flows = 1 << _FRACTION  # N
        self.least = self._next_least = 0
        self._queue = 0  # after the last packet that came in or left
        self._counted: dict[str, int] = {}  # the last window's numbers, until the next one's are worked out
        self._view: dict[str, int] = {}

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "target": 200,
            "buffer": 1000,
            **{name: Rem.defaults()[name] for name in ("gain", "alpha", "capacity", "interval")},
            "load_capacity": round(62.5 * 2**14),
            "load_interval": 50_000_000,
            "window": 1_000_000_000,
            "saturation": 1,
            "step": round(0.001 * 2**18),
            "persistence": 2,
            "theta": round(1.5 * 2**8),
            "share_gain": 2 << 8,
            "gate": 1,
            "ecn": 0,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        p = parameters
        positive = ("target", "load_capacity", "interval", "load_interval", "window", "persistence")
        return all(p[name] >= 1 for name in positive) and 1 <= p["saturation"] <= 4 and p["theta"] >= 1 << 8

    # --- packets ---

    def arrive(self, arrival: Arrival) -> Verdict:
        self.load.count()
        self.counter.arrive(arrival.flow)
        sample = arrival.samples[0]
        period = Period(self.number, self.least)
        self._view = self._counted | {"number": period.number, "least": period.least}
        is_over = arrival.queue_packets > self.parameters["target"]
        if is_over and sample is not None and self.sampled < _MOST_SAMPLES:
            self.sampled += 1
            self._view |= self.cache.seen(sample, period, self.sampled)
        is_high, is_unfair = self._weigh(arrival, period)
        draw = arrival.random[0]
        marks = self.parameters["ecn"] and arrival.ect
        is_open = is_over or not self.parameters["gate"]
        if not (self.congestion.is_there and is_high and is_open):
            if draw >= 2 * self.probability:
                return PASS
            return _UNFORCED_MARK if marks else PASS if self.parameters["ecn"] else _UNFORCED_DROP
        if not is_unfair:
            return PASS
        if self.congestion.run >= self.parameters["persistence"]:
            return _UNFAIR_DROP
        return _UNFAIR_MARK if marks else PASS

    def _weigh(self, arrival: Arrival, period: Period) -> tuple[bool, bool]:
        """Whether its flow is a high-bandwidth one, and whether the draw is below delta then."""
        entry = self.cache.look_up(arrival.flow, period)
        self._view |= {"is_known": int(entry is not None)}
        if entry is None:
            return False, False
        hits = entry.hits + entry.previous
        drawn_from = self.sampled + (self.sampled_before if entry.previous else 0)
        weight = self.flows * hits  # Q.4
        bound = self.parameters["theta"] * drawn_from
        excess = weight - (drawn_from << _FRACTION)
        drawn = (arrival.random[0] >> 32 - _DRAW_BITS) * drawn_from
        whole = self.congestion.strength * excess
        self._view |= {"weight": weight, "drawn_from": drawn_from, "bound": bound, "drawn": drawn}
        if excess >= 0:
            self._view |= {"whole": whole}
        return weight << 8 - _FRACTION > bound, drawn < whole

    def settled(self, settled: Settled) -> None:
        self._queue = settled.queue_packets
        if settled.fate == "accepted":
            self.price.count(PACKET)

    def departed(self, departed: Departed) -> None:
        self._queue = departed.queue_packets

    # --- ticks ---

    def interval_ns(self, kind: str) -> int:
        return self.parameters[{"price": "interval", "load": "load_interval", "window": "window"}[kind]]

    def tick(self, kind: str, now_ns: int) -> None:
        del now_ns
        if kind == "price":
            self._next_price = self.price.next(self._in_packets(), self._queue * PACKET)
        elif kind == "load":
            self._next_congestion = self.load.tick(self.parameters, self._queue, self.probability)
        else:
            flows = self.counter.end_window().flows >> FLOWS_FRACTION - _FRACTION
            self._next_flows = min(max(flows, 1 << _FRACTION), _MOST_FLOWS)
            self._next_least = -(-(self.sampled << _FRACTION) // self._next_flows)
            self._counted = {}

    def _in_packets(self) -> dict[str, int]:
        """The price's parameters."""
        return {**self.parameters, "byte_mode": 0}

    def settle(self, kind: str) -> None:
        if kind == "price":
            self.price.price = self._next_price
            self.probability = probability_of(self._next_price)
        elif kind == "load":
            self.congestion = self._next_congestion
        else:
            self.flows, self.least = self._next_flows, self._next_least
            self.sampled_before, self.sampled = self.sampled, 0
            self.number = (self.number + 1) % _NUMBERS
            self._counted = self.counter.view

    def status(self) -> dict[str, int]:
        return {
            "price": self.price.price >> (PRICE_FRACTION - 28),
            "probability_now": self.probability,
            "flows": self.flows,
            "samples": self.sampled_before,
            "overload": self.congestion.run,
            "strength": self.congestion.strength,
        }

    def view(self) -> dict[str, int]:
        return self._view | {"priced": self.price.price, "is_congested": int(self.congestion.is_there)}

    # --- for tests ---

    def fork(self) -> Self:
        other = super().fork()
        other.price, other.load = self.price.fork(), self.load.fork()
        other.cache, other.counter = self.cache.fork(), self.counter.fork()
        return other

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """A target that is often passed, a load that is often too much, by each saturation, and a price that moves from anywhere
        to anywhere."""
        return {
            "target": rng.choice((1, 2, 20)),
            "buffer": rng.choice((10, 25, 100, _MOST_PACKETS)),
            "gain": rng.getrandbits(rng.choice((32, 30, 26))),
            "alpha": rng.choice((rng.getrandbits(18), rng.getrandbits(15), _MOST_ALPHA)),
            "capacity": rng.getrandbits(rng.randint(0, rng.choice((22, 22, 31)))),
            "load_capacity": 1 + rng.getrandbits(rng.randint(10, 21)),
            "saturation": rng.randint(1, 4),
            "step": rng.choice((rng.getrandbits(rng.randint(1, 18)), 1 << rng.randrange(18))),
            "persistence": rng.choice((1, 1, 2, 3)),
            "theta": rng.choice((256, 384, 600)),
            "share_gain": rng.choice((5, 40, 256, 512)),
        }

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """Beyond the target, or beside it."""
        target = self.parameters["target"]
        level = target + rng.choice((0, 1, 1, 10, 40))
        return min(_MOST_PACKETS, target + rng.randint(-1, 2)), min(_MOST_PACKETS, level)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked | Reset]:
        """At first long windows; then prices, until each entry of the table was read. From then on more flows than the cache has
        entries, some of which are sampled often; or few, which it knows, and perhaps many that send little;
        with any queue beyond the target."""
        if self.parameters == self.defaults():
            yield from self._long_windows(rng, now_ns)
            return
        if min(POWERS.reads) < _READS:
            yield from self._prices(rng, now_ns)
            return
        known = rng.sample(self.cache.flows, min(len(self.cache.flows), rng.choice((0, 3, 30))))
        flows = [*known, *(rng.getrandbits(32) for _ in range(rng.choice((1, 10, 40, 100, 3 * self.entries))))]
        heavy, share = rng.choices(flows, k=3), rng.choice((0.0, 0.02, 0.2, 0.8))
        level = self.parameters["target"] + rng.choice((1, 1, 1, rng.getrandbits(18), _MOST_PACKETS))
        strangers = rng.choice((0.0, 0.0, 0.1, 0.6))
        for _ in range(_WALK):
            own, sample = (rng.choice(heavy if rng.random() < share else flows) for _ in range(2))
            own = own if rng.random() >= strangers else rng.getrandbits(32)
            yield self._walked(rng, now_ns, level, own, sample)

    def _long_windows(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked | Reset]:
        """One flow has nearly all of the queue, in windows with many others and in one in which it is alone: so there are many
        hits of many samples, as many shares, and a high least. Then a while with what comes of that, and with too much load."""
        heavy, others = rng.getrandbits(32), familiar(self.entries)
        flows = [*self.entries * [heavy], *others]
        level = self.parameters["target"] + 1
        yield Ticked(now_ns, "window")
        for length, strangers in _LONG:
            for number in range(length):
                own = heavy if rng.random() >= strangers else rng.getrandbits(32)
                # Now and then it is not met for so long that its word is read from the memory.
                is_met = number % 500 >= 8 and rng.random() < 0.97
                yield self._walked(rng, now_ns, level, own, heavy if is_met else rng.choice(others))
            yield Ticked(now_ns, "window")
            yield Ticked(now_ns, "load")
        for number in range(_WALK):
            yield self._walked(rng, now_ns, level, *rng.choices(flows, k=2))
            if number % 300 == 100:
                yield Ticked(now_ns, "load")
        yield Reset()

    def _prices(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked | Reset]:
        """Each arrival finds a queue that leads the price up to an entry of the table which was seldom read, of which nothing is
        halved away. Behind a reset the flows of before it come again first."""
        yield Ticked(now_ns, "price")
        flows = familiar(self.entries)
        if not self.cache.flows:
            for flow in rng.sample(flows, len(flows)):
                yield self._walked(rng, now_ns, self.parameters["target"] + 1, flow, flow)
            yield Ticked(now_ns, "price")
        for price in sorted(seldom_needed(rng) for _ in range(_PRICES)):
            level = self.price.leading(self._in_packets(), price) // PACKET
            yield self._walked(rng, now_ns, level, *rng.choices(flows, k=2))
            yield Ticked(now_ns, "price")
        yield self._walked(rng, now_ns, 0, *rng.choices(flows, k=2))
        yield Ticked(now_ns, "load")  # which waits for the verdict
        if self.price.price >> PRICE_FRACTION - 1:
            yield Reset()

    def _walked(self, rng: random.Random, now_ns: int, queue: int, own: int, sample: int) -> Arrival:
        """An arrival that finds about such a queue."""
        level = min(max(0, queue), _MOST_PACKETS)
        words = (rng.getrandbits(32),)
        return Arrival(now_ns, own, 1000, rng.choice((0, 1)), level, 64 * level, words, samples=(sample,))

    def step_bits(self, rng: random.Random) -> int:
        """Few: time makes no difference, and a reset, which a long time needs, empties the cache."""
        return rng.choice((0, 3, 10, 20))

    def pause_ns(self, rng: random.Random) -> int:
        """Short, likewise."""
        return rng.getrandbits(rng.randint(0, 34))
