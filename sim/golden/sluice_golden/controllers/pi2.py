# SPDX-License-Identifier: Apache-2.0
"""PI2, exact integer model (K. De Schepper, O. Bondarenko, I. Tsang, B. Briscoe, "PI2: A Linearized AQM for both Classic and
Scalable TCP", CoNEXT 2016; RFC 9332, appendix A.1).

A tick moves p' by alpha (d - target) + beta (d - d_old), from 0 to `max_base`. A packet is taken if two draws are both below
p', or, where p' is coupled and the packet is ECT(1) or CE, if the first one is below `coupling` p'. Formats: p' Q1.40, of which
a draw of Q0.32 sees Q1.31; `coupling` Q3.1. The reference is :mod:`sluice_golden.controllers.pi2_reference`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sluice_golden.controllers.delay import FRACTION, MOST_NS, ONE, backlog_ns, term
from sluice_golden.core import PASS, Arrival, CoreModel, Departed, Head, Settled, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

DROP, MARK = Verdict("drop", "Unforced drop"), Verdict("mark", "Unforced mark")
_MOST_PACKETS = (1 << 18) - 1
_WORD = 32


class Pi2(CoreModel):
    """Judges arrivals; the delay is what the link takes for the queue."""

    name = "pi2"
    random_words = 2
    ticks = ("update",)
    reasons: ClassVar[tuple[Verdict, ...]] = (DROP, MARK)

    def __init__(self) -> None:
        super().__init__()
        self.base = 0  # p'
        self.delay_ns = 0  # at the last tick
        self._queue_bytes = 0  # after the last packet that came in or left
        self._next = (0, 0)

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "target": 15_000_000,
            "tupdate": 16_000_000,
            "alpha": round(0.16 * 2**16),
            "beta": round(3.2 * 2**16),
            "coupling": 0,
            "max_base": 1 << 30,
            "min_bytes": 3028,
            "rate": round(0.02 * 2**22),
            "ecn": 0,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return parameters["tupdate"] >= 1 and parameters["max_base"] <= 1 << 31 and parameters.get("rate", 1) >= 1

    @property
    def probability(self) -> int:
        """p' as draws see it."""
        return self.base >> FRACTION - 31

    # --- packets ---

    def draw(self, arrival: Arrival) -> tuple[int, bool]:
        """What is compared for a packet, and whether it is coupled. Both words are below a bound if the greater one is."""
        is_coupled = self.parameters["coupling"] > 0 and arrival.ecn & 1 == 1
        return arrival.random[0] if is_coupled else max(arrival.random), is_coupled

    def judge(self, draw: int, queue_bytes: int, *, is_coupled: bool, is_ect: bool) -> Verdict:
        p = self.parameters
        bound = self.probability * (p["coupling"] if is_coupled else 2)
        if draw >= bound or queue_bytes < p["min_bytes"]:
            return PASS
        return MARK if p["ecn"] and is_ect else DROP

    def arrive(self, arrival: Arrival) -> Verdict:
        draw, is_coupled = self.draw(arrival)
        return self.judge(draw, arrival.queue_bytes, is_coupled=is_coupled, is_ect=arrival.ect)

    def settled(self, settled: Settled) -> None:
        self._queue_bytes = settled.queue_bytes

    def departed(self, departed: Departed) -> None:
        self._queue_bytes = departed.queue_bytes

    # --- ticks ---

    def delay_now_ns(self) -> int:
        """The delay that a tick finds."""
        return backlog_ns(self._queue_bytes, self.parameters["rate"])

    def interval_ns(self, kind: str) -> int:
        del kind
        return self.parameters["tupdate"]

    def tick(self, kind: str, now_ns: int) -> None:
        del kind, now_ns
        p, now = self.parameters, self.delay_now_ns()
        moved = self.base + term(p["alpha"], now - p["target"]) + term(p["beta"], now - self.delay_ns)
        self._next = (min(max(0, moved), p["max_base"] << FRACTION - 31), now)

    def settle(self, kind: str) -> None:
        del kind
        self.base, self.delay_ns = self._next

    def status(self) -> dict[str, int]:
        return {"probability_now": self.probability, "delay": self.delay_ns}

    def view(self) -> dict[str, int]:
        return {"base": self.base}

    # --- traffic ---

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Delays of any size, and gains with which they take p' from 0 to 1 within few ticks, or within some hundred."""
        bits = rng.randint(8, 28)  # of the delays
        most = min(32, 46 - bits)  # of a gain with which they make 1
        return {
            "target": rng.getrandbits(bits),
            "alpha": rng.getrandbits(rng.randint(max(1, most - 8), most)),
            "beta": rng.getrandbits(rng.randint(max(1, most - 4), most)),
            "coupling": rng.choice((0, rng.getrandbits(4))),
            "max_base": rng.choice((1 << 31, rng.getrandbits(31))),
            "min_bytes": rng.getrandbits(rng.randint(0, 14)),
            "ecn": rng.getrandbits(1),
        } | cls._lively_rate(rng)

    @classmethod
    def _lively_rate(cls, rng: random.Random) -> dict[str, int]:
        return {"rate": 1 + rng.getrandbits(rng.randint(10, 32))}

    def leading_ns(self, rng: random.Random) -> int:
        """A delay that the next tick must find to move p' to somewhere between 0 and 1."""
        p = self.parameters
        wanted = rng.randint(0, ONE) - self.base + term(p["alpha"], p["target"]) + term(p["beta"], self.delay_ns)
        per_second = max(1, p["alpha"] + p["beta"]) << FRACTION - 16
        return min(max(0, wanted * 10**9 // per_second), MOST_NS)

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """A queue of packets of 64 bytes that moves p', or one around the target or the least that is judged."""
        p = self.parameters
        wanted_ns = self.leading_ns(rng) if rng.random() < 0.5 else p["target"] + rng.randint(-2, 2)
        level = max(0, wanted_ns) * p["rate"] >> 26 + 6
        if rng.random() < 0.2:
            level = (p["min_bytes"] >> 6) + rng.randint(-1, 1)
        level = min(max(0, level), _MOST_PACKETS)
        return level, level


class Pi2Head(Pi2):
    """Judges packets when they leave, with the draw that they bring along; the delay is the time that the last one waited."""

    name = "pi2-head"
    reasons: ClassVar[tuple[Verdict, ...]] = ()
    head_reasons: ClassVar[tuple[Verdict, ...]] = (DROP, MARK)

    def __init__(self) -> None:
        super().__init__()
        self.waited_ns = 0

    @staticmethod
    def defaults() -> dict[str, int]:
        return {name: raw for name, raw in Pi2.defaults().items() if name != "rate"}

    def arrive(self, arrival: Arrival) -> Verdict:
        draw, is_coupled = self.draw(arrival)
        return Verdict("pass", tag=is_coupled << _WORD | draw)

    def head(self, head: Head) -> Verdict:
        waited_ns = min(head.now_ns - head.queued_ns, MOST_NS)
        self.waited_ns = waited_ns if head.queue_bytes else 0
        is_coupled, draw = bool(head.tag >> _WORD), head.tag & (1 << _WORD) - 1
        return self.judge(draw, head.queue_bytes, is_coupled=is_coupled, is_ect=head.is_ect)

    def found_empty(self, now_ns: int) -> None:
        del now_ns
        self.waited_ns = 0

    def delay_now_ns(self) -> int:
        return self.waited_ns

    def head_view(self) -> dict[str, int]:
        return {"base": self.base}

    @classmethod
    def _lively_rate(cls, rng: random.Random) -> dict[str, int]:
        del rng
        return {}

    def aim(self, rng: random.Random) -> tuple[int, int]:
        return CoreModel.aim(self, rng)

    def wait_ns(self, rng: random.Random) -> int:
        """Mostly one that moves p', or at the target."""
        if rng.random() < 0.8:
            return self.leading_ns(rng)
        near = max(0, self.parameters["target"] + rng.randint(-2, 2))
        return near if rng.random() < 0.5 else super().wait_ns(rng)

    def aim_behind(self, rng: random.Random) -> int:
        """Mostly more than `min_bytes`, or as much, or a byte beside it; seldom nothing."""
        least = self.parameters["min_bytes"]
        if rng.random() < 0.8:
            return least + rng.getrandbits(rng.randint(0, 20))
        return max(0, least + rng.randint(-1, 1)) if rng.random() < 0.8 else 0
