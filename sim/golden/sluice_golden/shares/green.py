# SPDX-License-Identifier: Apache-2.0
"""GREEN, exact integer model (A. Kapadia, W. Feng, R. Campbell, "GREEN: A TCP Equation-Based Approach to Active Queue
Management", 2004).

A packet of a flow with round-trip time RTT is dropped with (K / RTT)^2, at most 1, whatever the queue; one whose RTT is not
known never is. No division and no square: two draws are both below K / RTT with that probability, so drop iff the larger one,
Q0.32, times RTT is below K, Q22.16 of microseconds (:mod:`sluice_golden.shares.green_window`).

A window ends with the first arrival after it, which is the first of the next one; the very first arrival ends an empty one. A
tick finds whether one has ended. If so it works out what holds from then on, and the next tick comes a window later; if not,
the next arrival ends the window, and the next tick looks for that soon after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sluice_golden.blocks.cardinality.min_count import FLOWS_FRACTION, MinCount
from sluice_golden.blocks.state import State
from sluice_golden.core import MOST_RTT_US, PASS, Arrival, CoreModel, Departed, Settled, Verdict
from sluice_golden.shares.green_walk import windows
from sluice_golden.shares.green_window import GAMMA_FRACTION, REACH_FRACTION, Rate, Window

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping
    from typing import Self

    from sluice_golden.core import Ticked

LOOK_NS = 1 << 20
"""From one look for the end of a window to the next: about a millisecond."""
_BUCKETS = 1024
_ID_BITS = 14
_MARK_FRACTION = 18  # of `mark_most`
_UNFORCED_DROP, _UNFORCED_MARK = Verdict("drop", "Unforced drop"), Verdict("mark", "Unforced mark")


class Counter(Protocol):
    """Counts the flows of a window."""

    view: dict[str, int]
    """What the last window's number was made of, by the names of the counter's views."""

    def arrive(self, flow: int) -> None:
        """A packet of a flow."""

    def end(self) -> int:
        """Flows since the last end, Q.8."""

    def fork(self) -> Self:
        """A copy that goes its own way."""


class _Estimate(MinCount):
    def end(self) -> int:
        return self.end_window().flows


class _Bitmap(State):
    """A bit for each of 16,384 ids."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.view: dict[str, int] = {}

    def arrive(self, flow: int) -> None:
        self.seen.add(flow % (1 << _ID_BITS))

    def end(self) -> int:
        flows = len(self.seen) << FLOWS_FRACTION
        self.seen.clear()
        return flows

    def fork(self) -> Self:
        other = super().fork()
        other.seen = self.seen.copy()
        return other


class Green(CoreModel):
    """With MINCOUNT's estimate of the number of flows."""

    name = "green"
    reasons = (_UNFORCED_DROP, _UNFORCED_MARK)
    random_words = 2
    has_rtt = True
    ticks = ("window",)

    def __init__(self) -> None:
        super().__init__()
        self.rate = Rate()
        self.window = Window()
        self.flows = self.make_counter()
        self._is_awaited = True  # the next arrival ends the window
        self._ended: tuple[Window, int, int] | None = None
        self._next: Rate | None = None
        self._interval = LOOK_NS
        self._weighed = self._mark_reach = 0

    @staticmethod
    def make_counter() -> Counter:
        """What counts flows."""
        return _Estimate(_BUCKETS)

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "capacity": round(0.00125 * 2**28),
            "segment": round(1.31 * 2**14),
            "window": 1_000_000_000,
            "freeze": 0,
            "gamma_min": 1 << GAMMA_FRACTION - 6,
            "gamma_max": 127 << GAMMA_FRACTION,
            "decrease": round(0.95 * 2**16),
            "wanted": round(0.98 * 2**16),
            "ecn": 0,
            "mark_most": 1 << _MARK_FRACTION - 1,
            "rtt_most": 1_000_000,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        p = parameters
        windows = p["capacity"] >= 1 and p["window"] >= 1 and 1 <= p["gamma_min"] <= p["gamma_max"]
        return windows and p["mark_most"] <= 1 << _MARK_FRACTION and p["rtt_most"] >= 1

    def arrive(self, arrival: Arrival) -> Verdict:
        if self._is_awaited:
            self._is_awaited = False
            window, flows = self.end_window(arrival.now_ns)
            self._ended = window, arrival.now_ns - window.begin_ns, min(flows, Rate.MOST_FLOWS)
        self.count(arrival)
        rtt_us = min(arrival.rtt_us, self.parameters["rtt_most"])
        self._weighed = max(arrival.random) * rtt_us >> 32 - REACH_FRACTION
        self._mark_reach = self.parameters["mark_most"] * rtt_us >> _MARK_FRACTION - REACH_FRACTION
        if rtt_us == 0 or self._weighed >= self.rate.reach:
            return PASS
        is_beyond = min(self.rate.reach, rtt_us << REACH_FRACTION) > self._mark_reach
        return _UNFORCED_MARK if self.parameters["ecn"] and arrival.ect and not is_beyond else _UNFORCED_DROP

    def count(self, arrival: Arrival) -> None:
        """An arrival's flow is one of this window."""
        self.flows.arrive(arrival.flow)

    def end_window(self, now_ns: int) -> tuple[Window, int]:
        """What the window that is over held, and its flows, Q.8; the next one begins."""
        window, self.window = self.window, Window(begin_ns=now_ns)
        return window, self.flows.end()

    def settled(self, settled: Settled) -> None:
        self.window.settle(settled.fate)

    def departed(self, departed: Departed) -> None:
        self.window.depart(departed.size)

    # --- ticks ---

    def interval_ns(self, kind: str) -> int:
        del kind
        return self._interval

    def tick(self, kind: str, now_ns: int) -> None:
        del kind, now_ns
        self._next = self.rate.after(*self._ended, self.parameters) if self._ended else None

    def settle(self, kind: str) -> None:
        del kind
        if self._next:
            self.rate, self._ended = self._next, None
            self._interval = self.parameters["window"]
        else:
            self._is_awaited = self._ended is None
            self._interval = LOOK_NS

    def status(self) -> dict[str, int]:
        rate = self.rate
        return {
            "flows": rate.flows,
            "utilisation": rate.utilisation,
            "gamma": rate.gamma,
            "reach": rate.reach >> REACH_FRACTION - 10,
            "windows": rate.windows,
        }

    def view(self) -> dict[str, int]:
        view = {"weighed": self._weighed, "exact_reach": self.rate.reach, **self.rate.view}
        if self.parameters["mark_most"] < 1 << _MARK_FRACTION:
            view["mark_reach"] = self._mark_reach
        if not self._ended:  # what comes of a window while it is worked on is not settled yet
            view |= self.of_counters()
        return view

    def of_counters(self) -> dict[str, int]:
        """Views of what counts flows."""
        return {f"flows_{name}": value for name, value in self.flows.view.items()}

    # --- for tests ---

    def fork(self) -> Self:
        other = super().fork()
        other.window, other.flows = self.window.fork(), self.flows.fork()
        return other

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """A link so fast that packets of some round-trip times are dropped, and gamma at either end or between."""
        most = rng.getrandbits(_MARK_FRACTION)
        gamma_max = (1 << 20) + rng.getrandbits(rng.choice((26, rng.randint(16, 26))))
        return {
            "capacity": 1 + rng.getrandbits(rng.randint(10, 32)),
            "segment": rng.getrandbits(rng.choice((20, rng.randint(12, 20)))),
            "window": 1 + rng.getrandbits(rng.randint(0, 31)),
            "freeze": rng.choice((0, 0, 0, rng.getrandbits(7))),
            "gamma_min": rng.choice((1 + rng.getrandbits(rng.randint(1, 20)), gamma_max >> rng.randint(0, 9))),
            "gamma_max": gamma_max,
            "decrease": rng.choice((round(0.95 * 2**16), rng.getrandbits(16))),
            "wanted": rng.choice((round(0.98 * 2**16), rng.getrandbits(16))),
            "mark_most": rng.choice((1 << _MARK_FRACTION, most >> most % _MARK_FRACTION)),
            "ecn": 1,
        }

    def rtt_us(self, rng: random.Random) -> int:
        """About as long as the reach, or some times that, or any."""
        if rng.random() < 0.3:
            return super().rtt_us(rng)
        reach_us = self.rate.reach >> REACH_FRACTION
        far_us = round(reach_us * rng.uniform(-0.5, 3))
        return min(MOST_RTT_US, reach_us + rng.choice((0, 1, far_us, far_us, far_us)))

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Departed | tuple[Arrival, Departed] | Ticked]:
        """Windows that end; in most sets none, because ticks are long."""
        return windows(self, rng, now_ns) if rng.random() < 0.17 else iter(())

    def step_bits(self, rng: random.Random) -> int:
        """Few: windows of the traffic's own length are short, and so the link may be used."""
        return rng.choice((0, 3, 10, 12, 16, 34))


class GreenExact(Green):
    """With a bit for each flow."""

    name = "green-exact"

    @staticmethod
    def make_counter() -> Counter:
        return _Bitmap()
