# SPDX-License-Identifier: Apache-2.0
"""FRED, exact integer model (D. Lin, R. Morris 1997): RED that knows how much of the queue is whose.

Flows are told apart by the low bits of their ids. Formats: RED's; the average is Q18.18, counts are whole packets. An average per
flow is nowhere divided out: `q_i >= avg / N` is `q_i * N >= avg`. Where one verdict per clock and the paper's sequence collide:

- A sample of the average belongs to a packet that has been accepted or has departed, so it comes when that is settled.
- A departure and the next acceptance, with no arrival, no departure and no new set of parameters between them, are one sample: of
  the queue that the accepted packet found, with twice the weight.
- The average decays, by any fraction of a packet's time, over the time until an arrival that finds nothing queued and nothing in
  judgment; the paper's decays by whole packet times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sluice_golden.core import PASS, Arrival, Verdict
from sluice_golden.flows.fred_walk import course, decaying_ns
from sluice_golden.red.red import Red

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping
    from typing import Self

    from sluice_golden.core import Departed, Settled
    from sluice_golden.flows.fred_walk import Moments

_OFF = {"gentle": 0, "wait": 0, "byte_mode": 0, "avpkt": 1, "hard_drop": 1, "mark_most": 1 << 31}
"""RED's parameters that FRED does not have."""
_BUCKET_BITS = 10
_LONG_NS = 1 << 54
_MOST_RAW = (1 << 32) - 1  # of a threshold
_STRUCK = 2  # strikes with which a flow gets its fair share and no more; not counted beyond
_FLOW_LIMIT, _STRIKES = Verdict("drop", "Flow limit drop"), Verdict("drop", "Strikes drop")
_UNFORCED, _FORCED, _MARK = Red.reasons[:3]


class Fred(Red):
    """FRED with 1,024 buckets of flows."""

    name = "fred"
    buckets: ClassVar[int] = 1 << _BUCKET_BITS
    reasons = (_UNFORCED, _FORCED, _MARK, _FLOW_LIMIT, _STRIKES)

    def __init__(self) -> None:
        super().__init__()
        self.queued: dict[int, int] = {}  # packets, by bucket
        self.strikes: dict[int, int] = {}
        self.sharing = 0  # active flows at the last acceptance, itself included, or departure, before it
        self.present = 0  # packets queued or in judgment
        self._empty_ns = 0  # when a departure last left nothing queued, or an arrival found nothing
        self._before: int | None = None  # the average before a departure that no other event has followed

    @staticmethod
    def defaults() -> dict[str, int]:
        own = {"min_q": 2, "two_packets": 0, "forced": 1}
        return {name: raw for name, raw in Red.defaults().items() if name not in _OFF} | own

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return (
            Red.is_legal({**parameters, **_OFF})
            and parameters["weight_exponent"] != 5
            and parameters["min"] >= 1 << 14
            and bool(parameters["two_packets"] or parameters["forced"])
        )

    def derive(self) -> None:
        self.parameters = {**self.parameters, **_OFF}
        super().derive()

    def apply(self, parameters: Mapping[str, int]) -> None:
        super().apply(parameters)
        self._before = None

    @property
    def active(self) -> int:
        """Buckets with packets queued."""
        return len(self.queued)

    def found_empty(self, now_ns: int) -> None:
        """Makes no difference: that nothing is there FRED knows for itself."""

    def arrive(self, arrival: Arrival) -> Verdict:
        if not self.present:
            self.idle_since_ns, self._empty_ns = self._empty_ns, arrival.now_ns
            self._end_idle(arrival.now_ns)
        self.present += 1
        self._before = None
        bucket = arrival.flow % self.buckets
        own, strikes = self.queued.get(bucket, 0), self.strikes.get(bucket, 0)
        self._view = {
            "average": self.average,
            "queued": own,
            "sharing": self.sharing,
            "strikes": strikes,
            "count": self.count,
            "if_shared": own * self.sharing,
            "has_min": own >= self.parameters["min_q"],
            "has_share": self._has_share(own),
            "has_twice": self._has_twice(own),
        }
        verdict = self._own_limit(own, strikes)
        if verdict is _FLOW_LIMIT:
            self.strikes[bucket] = min(_STRUCK, strikes + 1)
        return verdict or self._by_average(arrival, own)

    def _own_limit(self, own: int, strikes: int) -> Verdict | None:
        """Whether the flow has too much in the queue already."""
        p = self.parameters
        is_full = self.average >> 4 >= p["max"]
        has_most = own << 14 >= p["min"] or (p["two_packets"] and is_full and own >= 2)
        if has_most or (p["forced"] and is_full and self._has_twice(own)):
            return _FLOW_LIMIT
        return _STRIKES if strikes >= _STRUCK and self._has_share(own) else None

    def _by_average(self, arrival: Arrival, own: int) -> Verdict:
        """RED of 1993 between the thresholds, for flows that have their share."""
        p, level = self.parameters, self.average >> 4
        if level < p["min"]:
            self.count = 0
            return PASS
        if level >= p["max"]:
            if not p["forced"]:
                return PASS
            self.count = 1
            return _FORCED
        probability = self._probability(level, arrival.size)
        self.shown_probability = probability >> 1
        self._view |= {"fraction": self._fraction(level), "probability": probability}
        if own >= p["min_q"] and self._has_share(own) and self._is_met(probability, arrival.random[0]):
            self.count = 1
            return _MARK if p["ecn"] and arrival.ect else _UNFORCED
        self.count = min(self.count + 1, (1 << 16) - 1)
        return PASS

    def _share(self, own: int) -> int:
        """The queue if each flow had as much that was active at the last sample of the average; Q.18 as that."""
        return own * self.sharing << 18

    def _has_share(self, own: int) -> bool:
        return own >= 1 and self._share(own) >= self.average

    def _has_twice(self, own: int) -> bool:
        return own > 2 and self._share(own) > 2 * self.average

    def _is_met(self, probability: int, draw: int) -> bool:
        """draw < p_b / (1 - count * p_b), multiplied out. The product of draw and p_b is Q0.36."""
        product = (draw >> 14) * probability >> 14
        return (probability << 4) + self.count * product > draw << 4

    def settled(self, settled: Settled) -> None:
        if settled.fate != "accepted":
            self.present -= 1
            return
        bucket = settled.flow % self.buckets
        self.queued[bucket] = self.queued.get(bucket, 0) + 1
        self.sharing = self.active
        found = settled.queue_packets - 1
        if found <= 0:
            return
        exponents = self.exponents
        if self._before is not None:
            self.average = self._before
            exponents = [max(0, e - 1) for e in exponents]
        self._sample(found, exponents)
        self._before = None

    def departed(self, departed: Departed) -> None:
        self.present -= 1
        bucket = departed.flow % self.buckets
        self.sharing = self.active
        self.queued[bucket] -= 1
        if not self.queued[bucket]:
            del self.queued[bucket]
            self.strikes.pop(bucket, None)
        if not departed.queue_packets:
            self._empty_ns = departed.now_ns
        self._before = self.average
        self._sample(departed.queue_packets, self.exponents)

    def status(self) -> dict[str, int]:
        average = self.average if self._before is None else self._before
        return {**super().status(), "average": average >> 4, "active": self.active}

    def fork(self) -> Self:
        forked = super().fork()
        forked.queued, forked.strikes = self.queued.copy(), self.strikes.copy()
        return forked

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """An average that makes one flow's share of it too much or just not; or one right below `max`, where flows with their
        share are hit so often that they keep just that; or one near the thresholds."""
        kind = rng.random()
        if kind < 0.3:
            return super().aim(rng)
        lower, upper = self.parameters["min"] >> 14, self.parameters["max"] >> 14
        share = rng.choice(list(self.queued.values()) or [0]) * self.sharing
        if kind < 0.6 or not share:
            return self._towards(rng.randint((lower + upper) // 2, upper))
        return self._towards(rng.choice((share, share // 2, rng.randint(lower, upper))) + rng.randint(-2, 2))

    def step_bits(self, rng: random.Random) -> int:
        """Any but the longest: between packets time makes no difference, and at its end a reset takes the parameters away."""
        return min(super().step_bits(rng), _LONG_NS.bit_length() - 1)

    def walk(self, rng: random.Random, now_ns: int) -> Moments:
        return course(self, rng, now_ns, is_first=self.parameters == self.defaults() | _OFF)

    def pause_ns(self, rng: random.Random) -> int:
        """RED's, of the longest few; or one after which packets are let in again."""
        if self.average >> 4 >= self.parameters["max"] and rng.random() < 0.5:
            return min(decaying_ns(self, rng), _LONG_NS)
        pause = super().pause_ns(rng)
        return pause if pause < _LONG_NS or rng.random() < 0.2 else pause % _LONG_NS

    def beside_border(self, rng: random.Random, arrival: Arrival) -> int:
        """One of the two neighbouring draws of which one is hit and the other not, if the arrival is tested; or any."""
        p, level, own = self.parameters, self.average >> 4, self.queued.get(arrival.flow % self.buckets, 0)
        if not p["min"] <= level < p["max"] or own < p["min_q"] or not self._has_share(own):
            return rng.getrandbits(32)
        probability = self._probability(level, arrival.size)
        hit, spared = 0, (1 << 32) - 1
        while spared - hit > 1:
            middle = (hit + spared) // 2
            hit, spared = (middle, spared) if self._is_met(probability, middle) else (hit, middle)
        return rng.choice((hit, spared))

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Thresholds that a few packets reach, and an average that is soon there; or, now and then, any."""
        few = (rng.choice((1, 1, 2, 3, 4)), rng.randint(3, 12), rng.randint(3, 12), rng.randint(5, 60))
        least = rng.choice(few) << 14
        exponents: tuple[int, ...] = (0, 6, 6, 7, 8)
        above = rng.randint(1, rng.choice((least >> 14, least >> 14, 40))) << 14
        least += rng.choice((0, 0, 1 << rng.randrange(14)))
        above += rng.choice((0, 0, 1 << rng.randrange(14)))
        if rng.random() < 0.1:
            exponents = (0, 0, 6)
            above = 1 + rng.getrandbits(rng.randint(14, 30))
            least = min(_MOST_RAW - above, (1 << 14) + rng.getrandbits(rng.choice((32, rng.randint(14, 32)))))
        return {
            "min": least,
            "max": least + above,
            "probability": rng.randrange(1 << 31) >> rng.randrange(4),
            "idle_rate": 1 + rng.getrandbits(rng.randint(8, 20)),
            "weight_exponent": rng.choice(exponents),
            "min_q": rng.choice((0, 1, 1, 2, rng.randrange(20), 1 << rng.randrange(18))),
            "two_packets": rng.randrange(2),
            "ecn": rng.randrange(2),
        }
