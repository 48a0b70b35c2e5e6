# SPDX-License-Identifier: Apache-2.0
"""AVQ, exact integer model (S. Kunniyur, R. Srikant, "Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for
Active Queue Management", SIGCOMM 2001), in bytes.

Time is counted in 16 ns. Formats: the link's rate in bytes per 16 ns Q10.22, the virtual capacity Q10.40, of which the
virtual queue sees Q10.26; the virtual queue Q27.12 bytes; alpha Q2.20 per second, gamma Q0.18. All is rounded down. The
reference is :mod:`sluice_golden.controllers.avq_reference`.

Marks end where they do not help: while the virtual capacity is less than 1 - `mark_most` of the rate, who could be marked is
dropped.

As in ns-2 a packet that AVQ drops does not count against the capacity, and so it is what becomes of a packet that moves the
capacity, not its arrival.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.controllers.avq_walk import AvqWalk
from sluice_golden.core import PASS, Arrival, CoreModel, Settled, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping

    from sluice_golden.core import NewSet

_UNIT_BITS = 4  # of the time
LONGEST = (1 << 32) - 1  # time that counts, in 16 ns
_PER_SECOND = round(2**32 / 1e9 * 2**15)  # 2^40 * 16 ns, of an alpha in Q.20, as Q.8: Q3.15
_ONE = 1 << 18
_START = round(0.8 * 2**18)  # of the link's rate
_CAPACITY_FRACTION = 40
_SEEN_FRACTION = 26
_QUEUE_FRACTION = 12


class Avq(CoreModel):
    """A queue that is served by a capacity of its own, which follows the load; who would overflow it is dropped or marked."""

    name = "avq"
    reasons = (Verdict("drop", "Virtual queue drop"), Verdict("mark", "Virtual queue mark"))

    def __init__(self) -> None:
        super().__init__()
        self.capacity = self._start
        self.virtual = 0  # the virtual queue
        self.arrived = 0  # when the last packet arrived, in 16 ns
        self.counted: int | None = None  # when the last one that counts did
        self._found = self.capacity

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "rate": round(0.02 * 2**22),
            "buffer": 200_000,
            "alpha": round(0.15 * 2**20),
            "gamma": round(0.98 * 2**18),
            "ecn": 0,
            "mark_most": 1 << 16,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return parameters["rate"] >= 1 and parameters["mark_most"] <= _ONE

    def derive(self) -> None:
        p = self.parameters
        self.weight = p["alpha"] * _PER_SECOND >> 15  # what a byte takes from the capacity, Q.48
        self.least = p["rate"] * (_ONE - p["mark_most"]) >> _CAPACITY_FRACTION - _SEEN_FRACTION  # for marks, Q10.26
        self.gain = ((self.weight * p["gamma"] >> 10) * p["rate"]) >> 18  # what 16 ns add to it, Q.60

    @property
    def _most(self) -> int:
        """The link's rate as a capacity."""
        return self.parameters["rate"] << (_CAPACITY_FRACTION - 22)

    @property
    def _start(self) -> int:
        return self.parameters["rate"] * _START

    def apply(self, parameters: Mapping[str, int]) -> None:
        """The capacity begins at 0.8 of a new rate."""
        is_new = parameters["rate"] != self.parameters["rate"]
        super().apply(parameters)
        if is_new:
            self.capacity = self._start

    def arrive(self, arrival: Arrival) -> Verdict:
        now = arrival.now_ns >> _UNIT_BITS
        passed, self.arrived = min(now - self.arrived, LONGEST), now
        self._found = self.capacity
        seen = self.capacity >> _CAPACITY_FRACTION - _SEEN_FRACTION
        served = seen * passed >> _SEEN_FRACTION - _QUEUE_FRACTION
        self.virtual = max(0, self.virtual - served)
        size = arrival.size << _QUEUE_FRACTION
        if self.virtual + size <= self.parameters["buffer"] << _QUEUE_FRACTION:
            self.virtual += size
            return PASS
        return self.reasons[bool(self.parameters["ecn"] and arrival.ect and seen >= self.least)]

    def settled(self, settled: Settled) -> None:
        if settled.fate == "refused":
            return
        now = settled.now_ns >> _UNIT_BITS
        passed = 0 if self.counted is None else min(now - self.counted, LONGEST)
        self.counted = now
        moved = self.capacity + (self.gain * passed >> 20) - (self.weight * settled.size >> 8)
        self.capacity = min(max(0, moved), self._most)

    def status(self) -> dict[str, int]:
        return {
            "capacity": self.capacity >> (_CAPACITY_FRACTION - 22),
            "virtual_queue": self.virtual >> _QUEUE_FRACTION,
        }

    def view(self) -> dict[str, int]:
        """The capacity that the arrival found, and the virtual queue that it left."""
        return {"capacity": self._found, "virtual_queue": self.virtual}

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """A link and a virtual buffer of some packets, and a capacity that goes from one end to the other: of a slow link by a
        packet, of a fast one by a new rate and the time after it."""
        return {
            "mark_most": rng.choice((_ONE, rng.randint(0, _ONE))),
            "rate": max(1, rng.getrandbits(rng.choice((rng.randint(1, 16), rng.randint(10, 32))))),
            "buffer": rng.getrandbits(rng.randint(10, 20)),
            "alpha": rng.getrandbits(rng.choice((22, rng.randint(10, 22)))),
            "gamma": rng.getrandbits(18),
        }

    def step_bits(self, rng: random.Random) -> int:
        """Mostly such that a packet is served in some steps, or in one."""
        bits = (1000 * 16 * 2**22 // max(1, self.parameters["rate"])).bit_length()
        return max(0, min(64, bits - rng.randint(-2, 6))) if rng.random() < 0.7 else super().step_bits(rng)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | NewSet]:
        """To where room, marks or the capacity end: see there."""
        return AvqWalk(self, rng, now_ns, _START).course()

    def pause_ns(self, rng: random.Random) -> int:
        """What serves about all of the virtual queue, what brings the capacity to somewhere below its most, or any."""
        if rng.random() < 0.3:
            return (rng.randint(0, max(0, self._most - self.capacity)) << 20) // max(1, self.gain) << _UNIT_BITS
        seen = max(1, self.capacity >> (_CAPACITY_FRACTION - _SEEN_FRACTION))
        all_of_it = (self.virtual << (_SEEN_FRACTION - _QUEUE_FRACTION)) // seen
        beside = (all_of_it + rng.randint(-1, 1)) << _UNIT_BITS
        return max(0, beside) if rng.random() < 0.5 else super().pause_ns(rng)
