# SPDX-License-Identifier: Apache-2.0
"""CARE, exact integer model (M.-K. Chan, M. Hamdi, "An Active Queue Management Scheme Based on a Capture-Recapture Model",
IEEE JSAC 2003).

Every arrival is captured with probability p_cap. m2 of the t entries of the list are its own flow's; the most recent t_n
captures tell the number of flows n (:mod:`sluice_golden.blocks.estimators.jackknife`). A flow with m2 n > t takes more than its
share and is dropped with probability 1 - t / (n m2), or marked while that is at most `mark_most`. While the list fills, or
shrinks to a new length, its fill level stands for t.

Both draws are taken for every arrival: word 0 captures, the upper 18 bits of word 1 drop. All of an arrival's own effects
on list, window and estimate come before its verdict. The float reference is :mod:`sluice_golden.flows.care_reference`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.estimators import jackknife_windows
from sluice_golden.blocks.estimators.capture import CaptureList, CaptureWindow
from sluice_golden.blocks.estimators.frequency import FREQUENCIES
from sluice_golden.blocks.estimators.jackknife import Estimate, estimate
from sluice_golden.blocks.sampler import is_taken
from sluice_golden.blocks.table import Table
from sluice_golden.core import PASS, Arrival, CoreModel, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping
    from typing import Self

    from sluice_golden.blocks.estimators.jackknife_windows import Entry

_DRAW_BITS = 18  # of the drop's draw, and of `mark_most`
_MOST_WINDOW = 64
_WORD = 1 << 32


@functools.lru_cache(maxsize=1 << 14)
def flows(frequencies: tuple[int, ...], distinct: int, captures: int) -> tuple[Estimate, tuple[Entry, ...]]:
    """Estimated number of flows, with what it came from, and what it reads in the tables."""
    with Table.uncounted() as looked_up:
        estimated = estimate(frequencies, distinct, captures)
    return estimated, tuple(looked_up)


class Care(CoreModel):
    """CARE with a list of up to 200 captures."""

    name = "care"
    random_words = 2
    reasons = (Verdict("drop", "Unforced drop"), Verdict("mark", "Unforced mark"))
    capacity: ClassVar[int] = 200
    fingerprint_bits: ClassVar[int] = 32

    def __init__(self) -> None:
        super().__init__()
        self.captures = CaptureList(self.fingerprint_bits)
        self.window = CaptureWindow()
        self.estimate, self._reads = flows((0,) * FREQUENCIES, 0, 0)
        self.recaptures = 0
        self._view: dict[str, int] = {}
        self._looked_up: set[Entry] = set()  # on walks

    @classmethod
    def window_capacity(cls) -> int:
        """Largest t_n."""
        return min(cls.capacity, _MOST_WINDOW)

    @classmethod
    def defaults(cls) -> dict[str, int]:
        return {
            "list_length": cls.capacity,
            "window": min(cls.capacity, 50),
            "capture_probability": round(0.04 * 2**31),
            "gate": 2,
            "gate_threshold": 25,
            "ecn": 0,
            "mark_most": 1 << _DRAW_BITS - 1,
        }

    @classmethod
    def is_legal(cls, parameters: Mapping[str, int]) -> bool:
        p = parameters
        return (
            8 <= p["list_length"] <= cls.capacity
            and 1 <= p["window"] <= min(p["list_length"], cls.window_capacity())
            and p["capture_probability"] <= 1 << 31
            and p["gate"] <= 2
            and p["mark_most"] <= 1 << _DRAW_BITS
        )

    def arrive(self, arrival: Arrival) -> Verdict:
        p = self.parameters
        capture_draw, drop_draw = arrival.random
        is_captured = is_taken(capture_draw, p["capture_probability"])
        self.captures.arrive(arrival.flow, is_captured, p["list_length"])
        if self.window.arrive(arrival.flow, is_captured, p["window"]):
            counter = self.window.counter
            self.estimate, self._reads = flows(counter.frequencies, counter.distinct, len(self.window))
        self.recaptures = self.captures.count(arrival.flow)

        weight = self.estimate.value * self.recaptures  # n * m2, Q20.8
        excess = weight - (len(self.captures) << 8)
        distance = (excess << _DRAW_BITS) - (drop_draw >> (32 - _DRAW_BITS)) * weight
        is_hit = distance > 0
        self._view = self.estimate.view | {
            "captured": int(is_captured),
            "window_fill": len(self.window),
            "weight": weight,
            "excess": distance - 1,
            "mark_product": (~p["mark_most"] & (1 << _DRAW_BITS) - 1) * weight,
        }
        if not is_hit or not self._is_gate_open(arrival.queue_packets):
            return PASS
        is_beyond = excess << _DRAW_BITS > p["mark_most"] * weight  # 1 - t / (n m2) > mark_most
        return self.reasons[bool(p["ecn"] and arrival.ect and not is_beyond)]

    def _is_gate_open(self, queue_packets: int) -> bool:
        match self.parameters["gate"]:
            case 0:
                return True
            case 1:
                return queue_packets > 0
            case _:
                return queue_packets >= self.parameters["gate_threshold"]

    def status(self) -> dict[str, int]:
        return {"flows": self.estimate.value, "recaptures": self.recaptures, "fill": len(self.captures)}

    def view(self) -> dict[str, int]:
        return self._view

    def fork(self) -> Self:
        other = super().fork()
        other.captures, other.window = self.captures.fork(), self.window.fork()
        other._looked_up = self._looked_up.copy()
        return other

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Also any length of the list, so that it shrinks, long as it is."""
        window = rng.randint(1, cls.window_capacity())
        return {
            "capture_probability": rng.randrange(1, 1 << 31),
            "window": window,
            "list_length": rng.choice((cls.capacity, rng.randint(max(8, window), cls.capacity))),
        }

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival]:
        """Captures, in a window that has shrunk to its length: whole windows that read in the estimate's tables what no walk has
        read so far."""
        length = self.parameters["window"]
        readers = list(jackknife_windows.readers(length).items())
        rng.shuffle(readers)

        def arrival(flow: int, draw: int) -> Arrival:
            return Arrival(now_ns, flow, 64, 0, 0, 0, random=(draw, rng.getrandbits(32)))

        while len(self.window) > length:
            yield arrival(self._other(rng), _WORD - 1)
        for entry, window in readers:
            if entry not in self._looked_up:
                counts = jackknife_windows.flows(window, length)
                for flow in rng.sample(self._others(rng, len(counts)), length, counts=counts):
                    yield arrival(flow, 0)
                    self._looked_up.update(self._reads)

    def unread(self) -> list[Entry]:
        return sorted(jackknife_windows.readable(self.window_capacity()) - self._looked_up)

    def _other(self, rng: random.Random) -> int:
        """A flow that differs from one of the list in a single bit, or any."""
        if len(self.captures) == 0 or rng.random() < 0.3:
            return rng.getrandbits(32)
        return self.captures[rng.randrange(len(self.captures))] ^ 1 << rng.randrange(32)

    def _others(self, rng: random.Random, number: int) -> list[int]:
        """So many of them, no two alike."""
        found: set[int] = set()
        while len(found) < number:
            found.add(self._other(rng))
        return list(found)

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """The queue at the gate's threshold."""
        at = self.parameters["gate_threshold"] if self.parameters["gate"] == 2 else 0
        near = [max(0, at + rng.randint(-1, 1)) for _ in range(2)]
        return min(near[0], (1 << 18) - 1), min(near[1], (1 << 18) - 1)


class Care50(Care):
    """CARE with a list of 50, all of them the window."""

    name = "care-50"
    capacity = 50


class Care800(Care):
    """CARE with a list of 800."""

    name = "care-800"
    capacity = 800


class CareTable50(Care50):
    """The list's counts by fingerprint; likewise below."""

    name = "care-table-50"
    fingerprint_bits = 10


class CareTable200(Care):
    """See :class:`CareTable50`."""

    name = "care-table-200"
    fingerprint_bits = 12


class CareTable800(Care800):
    """See :class:`CareTable50`."""

    name = "care-table-800"
    fingerprint_bits = 14


class Care4Queues(CareTable50):
    """In a tile of four queues, of which it does not know."""

    name = "care-4q"
