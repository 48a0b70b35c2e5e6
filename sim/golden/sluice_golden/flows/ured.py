# SPDX-License-Identifier: Apache-2.0
"""URED, exact integer model (R. Nossenson, H. Maryuma): a packet is judged by the average queue and by that of its own tunnel.

Tunnels are told apart by the low bits of the flow ids, which the datapath makes of what its key mode says. Formats: the average
is Q18.18, a tunnel's Q18.14, thresholds Q18.14, the hazard function's points Q0.16, its values Q0.18 and their product Q0.36;
draws Q0.32. Everything rounds down. B / max(N, 3) and 2B / max(N, 4) are nowhere divided out: they are compared multiplied.

An average of a tunnel that has nothing queued stays as it is until its next arrival.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.table import Table
from sluice_golden.core import PASS, Arrival, CoreModel, Departed, Reset, Verdict
from sluice_golden.flows.returning import filling
from sluice_golden.red.red import Reciprocal, queues_towards

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping
    from typing import Self

    from sluice_golden.core import Settled

POINTS = 64
"""Points of the hazard function, at 0, 1/32, ... 63/32 of the upper threshold."""
BUCKET_BITS = 10
_RATIO = 17  # fraction bits of what is looked up
_REST = 12  # of them between two points
_EXPONENTS = (0, *range(5, 13))
_OWN_EXPONENTS = (0, *range(2, 10))
_LONG = 1 << 16  # packets of one tunnel, in the walks

# Which points each of the two functions was looked up at. An own average at the upper threshold or above is not looked up.
_OF_ALL = Table("points of P_u", range(POINTS))
_OF_OWN = Table("points of P_i", range(POINTS // 2))
_LENGTHS = Table("bits that a tunnel's packets take", range(18))


def pair_name(index: int) -> str:
    """The register of the points `index` and `index` + 1, the first in the low half."""
    return f"hazard_{index}_{index + 1}"


def table(probability: float = 0.1, kappa: float = 2, theta: float = 0) -> list[int]:
    """The points of min(1, max_p ((x - theta) / (1 - theta))^kappa), x in upper thresholds, Q0.16 with a most of all ones."""
    rises = (max(0.0, i / (POINTS // 2) - theta) / (1 - theta) for i in range(POINTS))
    return [min(round(min(1, probability * rise**kappa) * 2**16), 2**16 - 1) for rise in rises]


def registers(points: list[int]) -> dict[str, int]:
    """The points as parameters."""
    return {pair_name(i): points[i] | points[i + 1] << 16 for i in range(0, POINTS, 2)}


class Ured(CoreModel):
    """URED with 1,024 buckets of tunnels."""

    name = "ured"
    random_words = 1
    buckets: ClassVar[int] = 1 << BUCKET_BITS
    reasons = (Verdict("drop", "Unforced drop"), Verdict("drop", "Forced drop"), Verdict("mark", "Unforced mark"))
    tables = (_OF_ALL, _OF_OWN, _LENGTHS)

    def __init__(self) -> None:
        super().__init__()
        self._view: dict[str, int] = {}
        self.average = 0
        self.own: dict[int, int] = {}  # averages by bucket
        self.queued: dict[int, int] = {}  # packets by bucket

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "min": 25 << 14,
            "max": 50 << 14,
            "buffer": 100,
            "weight_exponent": 9,
            "own_weight_exponent": 3,
            "hered": 0,
            "ecn": 0,
        } | registers(table())

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return (
            parameters["min"] < parameters["max"]
            and parameters["buffer"] >= 1
            and parameters["weight_exponent"] in _EXPONENTS
            and parameters["own_weight_exponent"] in _OWN_EXPONENTS
        )

    def derive(self) -> None:
        p = self.parameters
        pairs = [p[pair_name(i)] for i in range(0, POINTS, 2)]
        self.points = [point for pair in pairs for point in (pair & 0xFFFF, pair >> 16)]
        self.max = Reciprocal.of(p["max"])
        self.buffer = Reciprocal.of(p["buffer"] << 14)

    @property
    def active(self) -> int:
        """Buckets with packets queued."""
        return len(self.queued)

    def arrive(self, arrival: Arrival) -> Verdict:
        p, bucket = self.parameters, arrival.flow % self.buckets
        queued, active = self.queued.get(bucket, 0), self.active
        _ = _LENGTHS[queued.bit_length()]
        self.average += (arrival.queue_packets << 18 >> p["weight_exponent"]) - (self.average >> p["weight_exponent"])
        own = self.own.get(bucket, 0)
        own += (queued << 14 >> p["own_weight_exponent"]) - (own >> p["own_weight_exponent"])
        self.own[bucket] = own
        self._view = {"tunnel": bucket, "average": self.average, "queued": queued, "active": active, "own": own}
        return self._by_table(arrival, own, active)

    def _by_table(self, arrival: Arrival, own: int, active: int) -> Verdict:
        """The paper's table: rows by the average, columns by the tunnel's own."""
        p, level, buffer = self.parameters, self.average >> 4, self.parameters["buffer"] << 14
        shared = own * max(active, 4)
        fair_below = buffer + (own if active < 4 else 0)  # which is what B / max(N, 3) becomes
        is_above_min, is_above_max = level >= p["min"], level >= p["max"]
        is_long, is_fair = shared >= 2 * buffer, shared < fair_below
        self._view |= {
            "shared": shared,
            "fair_below": fair_below,
            "row": is_above_max << 1 | is_above_min,
            "column": is_long << 1 | is_fair,
        }
        of_all = self._view["of_all"] = self._hazard(2 * level, self.max, _OF_ALL)
        if not is_long:
            of_own = self._view["of_own"] = self._hazard(shared, self.buffer, _OF_OWN)
        if not is_above_min:
            return PASS
        if p["hered"]:
            is_long, is_fair = True, False
        if not is_above_max:
            threshold = 0 if is_fair else of_all << 18 if is_long else of_all * of_own
        elif is_long and not p["hered"]:
            return self.reasons[1]
        else:
            threshold = of_all * of_own if is_fair else of_all << 18
        if arrival.random[0] << 4 < threshold:
            return self.reasons[2] if p["ecn"] and arrival.ect else self.reasons[0]
        return PASS

    def _hazard(self, doubled: int, of: Reciprocal, places: Table) -> int:
        """The function at `doubled` / 2 thresholds of Q18.14, between two points on a chord; beyond the last one as there."""
        aligned = doubled << of.zeros
        ratio = (aligned >> 16) * of.reciprocal >> 17
        if aligned >> 34 or ratio >> _RATIO + 1:
            ratio = (2 << _RATIO) - 1
        place = places[ratio >> _REST]
        point, following = self.points[place], self.points[min(place + 1, POINTS - 1)]
        rest = ratio & (1 << _REST) - 1
        return (point << _REST) + (following - point) * rest >> _REST - 2

    def settled(self, settled: Settled) -> None:
        if settled.fate == "accepted":
            bucket = settled.flow % self.buckets
            self.queued[bucket] = self.queued.get(bucket, 0) + 1

    def departed(self, departed: Departed) -> None:
        bucket = departed.flow % self.buckets
        self.queued[bucket] -= 1
        if not self.queued[bucket]:
            del self.queued[bucket]

    def status(self) -> dict[str, int]:
        return {"average": self.average >> 4, "active": self.active}

    def view(self) -> dict[str, int]:
        return self._view

    def fork(self) -> Self:
        forked = super().fork()
        forked.own, forked.queued = self.own.copy(), self.queued.copy()
        return forked

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """An average near the thresholds, or one at which a seldom read point of P_u is read; now and then anywhere."""
        lower, upper = self.parameters["min"] >> 14, self.parameters["max"] >> 14
        place = _OF_ALL.seldom_read(rng) * upper // (POINTS // 2)
        return self._towards(
            rng.choice((lower, upper, place, place, rng.getrandbits(rng.randint(0, 18)))) + rng.randint(-2, 2)
        )

    def _towards(self, target: int) -> tuple[int, int]:
        return queues_towards(target, self.average, self.parameters["weight_exponent"])

    def beside(self, rng: random.Random) -> dict[str, int]:
        """A threshold right beside the average, and a buffer with which the last arrival's tunnel is just fair or just long."""
        level, shared = self.average >> 4, self._view.get("shared", 0) >> 14
        threshold = level + rng.randint(-1, 3)
        buffer = rng.choice((shared, shared * 3 // 4, shared // 2)) + rng.randint(0, 1)
        return {
            rng.choice(("min", "max")): min(max(0, threshold), (1 << 32) - 1),
            "buffer": min(max(1, buffer), (1 << 18) - 1),
        }

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Departed | tuple[Arrival, Departed] | Reset]:
        """A few tunnels that fill the buffer, as fast as some leave it, while the average is somewhere above the lower threshold;
        once one that is very long, under many sets of parameters, until it has left."""
        if not _LENGTHS.reads[-1]:
            yield from self._crowd(rng, now_ns)
        lower, upper = self.parameters["min"] >> 14, self.parameters["max"] >> 14
        once, level = self._towards(rng.randint(lower, 2 * upper))
        if self.queued.get(0, 0) > 1:
            yield from self._shrinking(rng, now_ns, once, level)
        else:
            yield from filling(rng, now_ns, BUCKET_BITS, self.queued, once, level)
        # The next set finds an average that it may not be able to move far.
        anywhere, _ = self._towards(rng.getrandbits(rng.randint(0, 18)))
        yield Arrival(now_ns, rng.getrandbits(32), 1000, 0, anywhere, 1000 * anywhere, (rng.getrandbits(32),))

    # The long tunnel is in bucket 0: a memory's address is 0 too while nothing is written, and what is lost then is lost there.

    @staticmethod
    def _crowd(rng: random.Random, now_ns: int) -> Iterator[Arrival | tuple[Arrival, Departed]]:
        """Packets of one tunnel that come as fast as they leave, so that each may be its only one; then so many that stay that
        its counts and its average reach their highest bits. Some of others let it be read when all that was written is there."""

        def coming(number: int) -> Arrival:
            flow = 0 if number % 512 > 15 else rng.getrandbits(32)
            return Arrival(now_ns, flow, 1000, 0, 1, 1000, (rng.getrandbits(32),))

        for number in range(_LONG):
            yield coming(number), Departed(now_ns, 0, 0, queue_packets=1)
        for number in range(_LONG + 6000):
            yield coming(number)

    def _shrinking(
        self, rng: random.Random, now_ns: int, once: int, level: int
    ) -> Iterator[Arrival | Departed | tuple[Arrival, Departed]]:
        """More of that tunnel and of others, and more than these leave; at last as many leave as there are, but one."""
        for packets in (once, *(level for _ in range(60))):
            flow = rng.choice((0, 0, rng.getrandbits(32)))
            arrival = Arrival(now_ns, flow, 1000, rng.randrange(4), packets, 1000 * packets, (rng.getrandbits(32),))
            departure = Departed(now_ns, 0, 0, queue_packets=packets)
            yield rng.choice((arrival, (arrival, departure)))
        for _ in range(min(rng.choice((80, 1500)), sum(self.queued.values()) - 1)):
            yield Departed(now_ns, 0, 0, queue_packets=level)

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Thresholds that a few packets reach, or far ones, averages that are soon there, and a probability that matters."""
        least = rng.choice((rng.randint(1, 20), rng.randint(1, 20), rng.getrandbits(17)))
        any_points = [rng.getrandbits(16) for _ in range(POINTS)]
        points = table(rng.choice((0.1, 1, 4)), rng.choice((1, 2, 3)), rng.choice((0, 0, 0.5)))
        return {
            "min": least << 14,
            "max": (least << 14) + rng.randint(1, 40 << 14),
            "buffer": rng.choice((rng.randint(1, 10), rng.randint(1, 60), rng.getrandbits(rng.randint(0, 18)) or 1)),
            "weight_exponent": rng.choice((0, 5, 6, rng.choice(_EXPONENTS))),
            "own_weight_exponent": rng.choice(_OWN_EXPONENTS),
            "ecn": rng.randrange(2),
        } | registers(rng.choice((any_points, points, points)))
