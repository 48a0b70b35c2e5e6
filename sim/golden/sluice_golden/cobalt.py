# SPDX-License-Identifier: Apache-2.0
"""COBALT, exact integer model (Linux' ``sch_cake.c``: CoDel whose count falls as it rose, and BLUE), one packet of the head at a
time.

One time, ``drop_next``, has two meanings: while ``count`` is above 0 it is when the next step of the count is due, and else when
the last packet is so long ago that the first one above the target need not wait for an interval. Times are ns of 64 bits, sums
of them modulo 2^64; BLUE's probability is Q1.31, draws Q0.32. Cake's dequeue is :mod:`sluice_golden.cobalt_reference`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.blocks.arithmetic.inverse_root import ROOTS, scaled
from sluice_golden.blocks.beside import beside
from sluice_golden.blocks.sampler import is_taken
from sluice_golden.core import Arrival, CoreModel, Head, Settled, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping

TARGET_DROP, TARGET_MARK, BLUE_DROP = "Target exceeded drop", "Target exceeded mark", "BLUE drop"
_ONE = 1 << 31  # probability 1
_TIME = 1 << 64
_MOST_DELAY = (1 << 32) - 1
_MOST_COUNT = (1 << 16) - 1


class Cobalt(CoreModel):
    """Judges packets when they leave, each with the draw of its arrival."""

    name = "cobalt"
    random_words = 1
    head_reasons = (Verdict("drop", TARGET_DROP), Verdict("mark", TARGET_MARK), Verdict("drop", BLUE_DROP))
    head_status = frozenset({"count", "dropping", "delay", "probability_now"})
    tables = (ROOTS,)

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.drop_next_ns = 0
        self.dropping = False
        self.delay_ns = 0
        self.probability = 0
        self.frozen_until_ns = 0  # after it the probability may move
        self.is_idle = False
        self._step_ns = 0  # interval / sqrt(count), as it was when the count came to be; from a count of 2 on
        self._view: dict[str, int] = {}

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "target": 5_000_000,
            "interval": 100_000_000,
            "mtu_time": 0,
            "increment": _ONE >> 8,
            "decrement": _ONE >> 12,
            "ecn": 0,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return parameters["interval"] >= 1 and all(parameters[name] <= _ONE for name in ("increment", "decrement"))

    def derive(self) -> None:
        """The longest delay that is accepted."""
        self.most_ns = max(self.parameters["target"], 4 * self.parameters["mtu_time"])

    def arrive(self, arrival: Arrival) -> Verdict:
        self.is_idle = False
        return Verdict("pass", tag=arrival.random[0])

    def settled(self, settled: Settled) -> None:
        """A packet that found no room: the packet that leaves next is due, if it is late."""
        if settled.fate != "over the limit":
            return
        self._move(settled.now_ns, self.parameters["increment"])
        self.dropping, self.drop_next_ns, self.count = True, settled.now_ns, max(self.count, 1)

    def found_empty(self, now_ns: int) -> None:
        """Of an idle time only its begin lowers the probability."""
        self.dropping = False
        if not self.is_idle and self.probability:
            self._move(now_ns, -self.parameters["decrement"])
        self.is_idle = True

    def _move(self, now_ns: int, by: int) -> None:
        """Unless it moved `target` ago, or less."""
        if now_ns > self.frozen_until_ns:
            self.probability = min(max(0, self.probability + by), _ONE)
            self.frozen_until_ns = now_ns + self.parameters["target"]

    def head(self, head: Head) -> Verdict:
        self.delay_ns = head.now_ns - head.queued_ns
        self._view = {"delay": self.delay_ns, "drop_next": self.drop_next_ns}
        is_over = self.delay_ns > self.most_ns
        is_due = self.count > 0 and head.now_ns >= self.drop_next_ns
        is_late = self.count == 0 and head.now_ns > self.drop_next_ns
        is_hit = is_due and is_over
        is_marked = is_hit and bool(self.parameters["ecn"]) and head.is_ect
        is_blue = is_taken(head.tag, self.probability)
        self._turn(head.now_ns, is_over=is_over)
        if is_due:
            self._count(1 if is_hit else -1)
            is_late = is_hit and head.now_ns > self.drop_next_ns
        if self.count == 0:
            self.drop_next_ns = (head.now_ns + self.parameters["interval"]) % _TIME
        elif is_late and not (is_blue or (is_hit and not is_marked)):
            self.drop_next_ns = head.now_ns
        is_last = head.queue_packets == 0
        if is_hit and not is_marked:
            return Verdict("pass", restart=True) if is_last else Verdict("drop", TARGET_DROP, restart=True)
        if is_blue and not is_last:
            return Verdict("drop", BLUE_DROP, restart=is_due)
        return Verdict("mark", TARGET_MARK, restart=True) if is_marked else Verdict("pass", restart=is_due)

    def _turn(self, now_ns: int, *, is_over: bool) -> None:
        """The dropping state begins with a packet above the target and ends with one that is not."""
        if is_over and not self.dropping:
            step_ns = self._step_ns if self.count > 1 else self.parameters["interval"]
            self.drop_next_ns = (now_ns + step_ns) % _TIME
            self.count = max(self.count, 1)
        self.dropping = is_over

    def _count(self, by: int) -> None:
        """A step of the count, and when the next one is due."""
        self.count = min(self.count + by, _MOST_COUNT)
        self._step_ns = scaled(self.parameters["interval"], self.count)
        self.drop_next_ns = (self.drop_next_ns + self._step_ns) % _TIME

    def status(self) -> dict[str, int]:
        return {
            "count": self.count,
            "dropping": int(self.dropping),
            "delay": min(self.delay_ns, _MOST_DELAY),
            "probability_now": self.probability,
        }

    def head_view(self) -> dict[str, int]:
        return self._view

    # --- traffic ---

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Intervals as short as the steps of the time that the traffic takes, and a probability that is soon between 0 and 1."""
        return {
            "ecn": rng.getrandbits(1),
            "interval": 1 + rng.getrandbits(rng.randint(0, 26)),
            "target": rng.getrandbits(rng.randint(0, 26)),
            "mtu_time": rng.choice((0, rng.getrandbits(rng.randint(0, 26)))),
            "increment": rng.randrange(_ONE >> 2) >> rng.randrange(20),
            "decrement": rng.randrange(_ONE >> 2) >> rng.randrange(12),
        }

    def tag(self, rng: random.Random, bits: int) -> int:
        """A draw beside twice the probability, or any."""
        return beside(rng, 2 * self.probability, (1 << bits) - 1) if rng.random() < 0.3 else super().tag(rng, bits)

    def wait_ns(self, rng: random.Random) -> int:
        """Mostly above the target or below it, for a while each; now and then right beside it, or any."""
        if rng.random() < 0.1:
            return max(0, self.most_ns + rng.randint(-1, 1)) if rng.random() < 0.7 else super().wait_ns(rng)
        stays = rng.random() < 0.9
        is_above = self.dropping if stays else rng.random() < 0.7
        return self.most_ns + rng.getrandbits(rng.randint(0, 34)) if is_above else rng.randint(0, self.most_ns)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Head]:
        """Up to some count, with a head at each time that is due and mostly one just before it, until all roots were read; and
        down again, now and then with two steps due at once, or one just not."""
        p = self.parameters

        def head(*, is_over: bool) -> Head:
            queued_ns = now_ns - self.most_ns - is_over
            return Head(
                now_ns, 0, 0, rng.getrandbits(32), queue_packets=1, is_ect=rng.random() < 0.5, queued_ns=queued_ns
            )

        now_ns += self.most_ns + 1
        yield head(is_over=False)
        now_ns += p["interval"] + rng.randint(0, 1)  # late or not
        yield head(is_over=True)
        hits = rng.randint(2, 6)
        while self.count < hits or min(ROOTS.reads) == 0:
            for early in rng.choice(((1, 0), (1, 0), (0,))):
                now_ns = max(now_ns, self.drop_next_ns - early)
                yield head(is_over=True)
        while self.count:
            now_ns = max(now_ns, self.drop_next_ns - rng.randint(0, 1) + rng.choice((0, 0, p["interval"])))
            yield head(is_over=False)

    def step_bits(self, rng: random.Random) -> int:
        """Mostly such that some hundred steps make an interval, or one does."""
        bits = self.parameters["interval"].bit_length()
        return max(0, bits - rng.randint(-2, 6)) if rng.random() < 0.8 else super().step_bits(rng)

    def aim_behind(self, rng: random.Random) -> int:
        """Now and then nothing."""
        return 0 if rng.random() < 0.1 else super().aim_behind(rng)
