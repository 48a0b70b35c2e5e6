# SPDX-License-Identifier: Apache-2.0
"""What PI2 and PIE share: ticks that move a probability, Q1.40, by the delay, and the two ways of knowing
that."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.controllers.delay import FRACTION, MOST_NS, ONE, backlog_ns, term
from sluice_golden.core import PASS, CoreModel, Departed, Head, Settled, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

DROP, MARK = Verdict("drop", "Unforced drop"), Verdict("mark", "Unforced mark")
_MOST_PACKETS = (1 << 18) - 1


class DelayController(CoreModel):
    """With a `rate` the delay is what the link takes for the queue. Without one it is the time that the last packet waited, and
    none where nothing is behind that, or since the queue was found empty."""

    ticks = ("update",)
    reasons: ClassVar[tuple[Verdict, ...]] = (DROP, MARK)

    def __init__(self) -> None:
        super().__init__()
        self.p = 0
        self.delay_ns = 0  # at the last tick
        self._queue_bytes = 0  # after the last packet that came in or left
        self._waited_ns = 0

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return parameters["tupdate"] >= 1 and parameters.get("rate", 1) >= 1

    @property
    def probability(self) -> int:
        """As draws see it, Q1.31."""
        return self.p >> FRACTION - 31

    def settled(self, settled: Settled) -> None:
        self._queue_bytes = settled.queue_bytes

    def departed(self, departed: Departed) -> None:
        self._queue_bytes = departed.queue_bytes

    def head(self, head: Head) -> Verdict:
        self._waited_ns = min(head.now_ns - head.queued_ns, MOST_NS) if head.queue_bytes else 0
        return PASS

    def found_empty(self, now_ns: int) -> None:
        del now_ns
        self._waited_ns = 0

    def interval_ns(self, kind: str) -> int:
        del kind
        return self.parameters["tupdate"]

    def tick(self, kind: str, now_ns: int) -> None:
        del kind, now_ns
        self.update(self.delay_now_ns())

    def delay_now_ns(self) -> int:
        """The delay that a tick finds."""
        rate = self.parameters.get("rate")
        return self._waited_ns if rate is None else backlog_ns(self._queue_bytes, rate)

    @abstractmethod
    def update(self, delay_ns: int) -> None:
        """A tick finds a delay; what it changes takes effect when it settles."""

    def status(self) -> dict[str, int]:
        return {"probability_now": self.probability, "delay": self.delay_ns}

    # --- traffic ---

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Delays of any size, and gains with which they take p from 0 to 1 within few ticks, or within some hundred."""
        bits = rng.randint(8, 28)  # of the delays
        most = min(32, 46 - bits)  # of a gain with which they make 1
        rate = {"rate": 1 + rng.getrandbits(rng.randint(10, 32))} if "rate" in cls.defaults() else {}
        return rate | {
            "target": rng.getrandbits(bits),
            "alpha": rng.getrandbits(rng.randint(max(1, most - 8), most)),
            "beta": rng.getrandbits(rng.randint(max(1, most - 4), most)),
            "min_bytes": rng.getrandbits(rng.randint(0, 14)),
            "ecn": rng.getrandbits(1),
        }

    def leading_ns(self, rng: random.Random) -> int:
        """A delay that the next tick must find to move p to somewhere between 0 and 1."""
        p = self.parameters
        wanted = rng.randint(0, ONE) - self.p + term(p["alpha"], p["target"]) + term(p["beta"], self.delay_ns)
        per_second = max(1, p["alpha"] + p["beta"]) << FRACTION - 16
        return min(max(0, wanted * 10**9 // per_second), MOST_NS)

    def beside_ns(self, rng: random.Random) -> int:
        """A delay at which a rule changes, or beside it."""
        return max(0, self.parameters["target"] + rng.randint(-2, 2))

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """A queue of packets of 64 bytes that moves p, or one at which a rule changes or packets begin to be judged."""
        p = self.parameters
        wanted_ns = self.leading_ns(rng) if rng.random() < 0.5 else self.beside_ns(rng)
        level = wanted_ns * p["rate"] >> 26 + 6 if "rate" in p else rng.getrandbits(rng.randint(8, 18))
        if rng.random() < 0.2:
            level = (p["min_bytes"] >> 6) + rng.randint(-1, 1)
        level = min(max(0, level), _MOST_PACKETS)
        return level, level

    def wait_ns(self, rng: random.Random) -> int:
        """Mostly one that moves p, or at which a rule changes."""
        if rng.random() < 0.8:
            return self.leading_ns(rng)
        return self.beside_ns(rng) if rng.random() < 0.5 else super().wait_ns(rng)

    def aim_behind(self, rng: random.Random) -> int:
        """Mostly more than `min_bytes`, or as much, or a byte beside it; seldom nothing."""
        least = self.parameters["min_bytes"]
        if rng.random() < 0.8:
            return least + rng.getrandbits(rng.randint(0, 20))
        return max(0, least + rng.randint(-1, 1)) if rng.random() < 0.8 else 0
