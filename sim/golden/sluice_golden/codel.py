# SPDX-License-Identifier: Apache-2.0
"""CoDel, exact integer model (RFC 8289, with the choices of Linux's ``codel_impl.h``), one packet of the head at a time.

The RFC tells of a dequeue that drops packets until it finds one to send. Here each packet is judged alone, in the state that
those before it have left, so what the dequeue knows from its loop stands in ``follows``: which drop the packet follows. Times
are ns of 64 bits, sums of them modulo 2^64. The RFC's dequeue as it stands there is :mod:`sluice_golden.codel_reference`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sluice_golden.blocks.arithmetic.inverse_root import ROOTS, scaled
from sluice_golden.core import PASS, Arrival, CoreModel, Head, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping

DROP = Verdict("drop", "Target exceeded drop", restart=True)
MARK = Verdict("mark", "Target exceeded mark", restart=True)
CE_MARK = Verdict("mark", "CE threshold exceeded mark")
NO_THRESHOLD = (1 << 32) - 1
_ALWAYS = 255  # of `mark_most`
_MOST_DELAY = (1 << 32) - 1
_TIME = 1 << 64
_COUNT = 1 << 32
_MOST_COUNT = 1 << 16
"""Where the count of one dropping state stops."""


class Codel(CoreModel):
    """CoDel with ECN and a threshold of its own for marks."""

    name = "codel"
    head_reasons = (DROP, MARK, CE_MARK)
    tables = (ROOTS,)
    head_status = frozenset({"count", "dropping", "delay"})

    def __init__(self) -> None:
        super().__init__()
        self.first_above_ns: int | None = (
            None  # from when on a packet may be dropped, while the delay is above the target
        )
        self.dropping = False
        self.count = self.last_count = 0  # drops and marks since the rate was last begun; what it was begun with
        self.drop_next_ns = 0
        self.settled_drop_next_ns = (
            0  # the same without what a drop has moved it by, until the packet behind is above too
        )
        self.follows: Literal["", "first drop", "drop"] = ""
        self.delay_ns = 0
        self._view: dict[str, int] = {}

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "target": 5_000_000,
            "interval": 100_000_000,
            "min_bytes": 1500,
            "ecn": 0,
            "mark_most": 32,
            "ce_threshold": NO_THRESHOLD,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return parameters["interval"] >= 1

    def derive(self) -> None:
        """What a packet may have waited that is marked and not dropped."""
        p = self.parameters
        self.most_ns = min(p["target"] * p["mark_most"], _MOST_DELAY) if p["mark_most"] != _ALWAYS else _TIME

    def arrive(self, arrival: Arrival) -> Verdict:
        del arrival
        return PASS

    def found_empty(self, now_ns: int) -> None:
        del now_ns
        self.first_above_ns = None
        self.dropping = False
        self.follows = ""

    def head(self, head: Head) -> Verdict:
        p = self.parameters
        self.delay_ns = head.now_ns - head.queued_ns
        self._view = {"delay": self.delay_ns}
        may_drop = self._may_drop(head)
        follows, self.follows = self.follows, ""
        if follows == "first drop":
            is_hit = False  # sent, whatever it is
        else:
            if self.dropping and may_drop:
                self.settled_drop_next_ns = self.drop_next_ns
            if self.dropping:
                self._view["drop_next"] = self.drop_next_ns
            is_hit = may_drop and (not self.dropping or head.now_ns >= self.drop_next_ns)
        if is_hit:
            return self._hit(head)
        self.dropping = may_drop or follows == "first drop"
        is_past = p["ce_threshold"] != NO_THRESHOLD and self.delay_ns > p["ce_threshold"]
        return CE_MARK if is_past and head.is_ect else PASS

    def _may_drop(self, head: Head) -> bool:
        """Whether the delay has been above the target for an interval."""
        p = self.parameters
        if self.delay_ns < p["target"] or head.queue_bytes <= p["min_bytes"]:
            self.first_above_ns = None
            return False
        if self.first_above_ns is None:
            self.first_above_ns = (head.now_ns + p["interval"]) % _TIME
            return False
        self._view["first_above"] = self.first_above_ns
        return head.now_ns > self.first_above_ns

    def _hit(self, head: Head) -> Verdict:
        """Drops or marks, and says when the next one is due."""
        p = self.parameters
        is_first = not self.dropping
        verdict = MARK if p["ecn"] and head.is_ect and self.delay_ns <= self.most_ns else DROP
        if is_first:
            since = (self.count - self.last_count) % _COUNT
            is_soon = head.now_ns < (self.settled_drop_next_ns + 16 * p["interval"]) % _TIME
            self.count = self.last_count = since if since > 1 and is_soon else 1
        else:
            self.count = min(self.count + 1, _MOST_COUNT)
        begin = head.now_ns if is_first else self.drop_next_ns
        self.drop_next_ns = (begin + scaled(p["interval"], self.count)) % _TIME
        self.dropping = True
        if verdict is DROP:
            self.follows = "first drop" if is_first else "drop"
        if self.follows != "drop":
            self.settled_drop_next_ns = self.drop_next_ns
        return verdict

    def status(self) -> dict[str, int]:
        return {"count": self.count, "dropping": int(self.dropping), "delay": min(self.delay_ns, _MOST_DELAY)}

    def head_view(self) -> dict[str, int]:
        return self._view

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Intervals as short as the steps of the time that the traffic takes."""
        return {
            "ecn": rng.getrandbits(1),
            "mark_most": rng.choice((_ALWAYS, rng.getrandbits(rng.randint(0, 8)))),
            "interval": 1 + rng.getrandbits(rng.randint(0, 26)),
            "target": rng.getrandbits(rng.randint(0, 26)),
            "ce_threshold": rng.choice((NO_THRESHOLD, rng.getrandbits(rng.randint(0, 26)))),
        }

    def wait_ns(self, rng: random.Random) -> int:
        """Mostly above the target, so that it stays there for an interval; now and then right beside a threshold, or any."""
        p = self.parameters
        if rng.random() < 0.98:
            return p["target"] + rng.getrandbits(rng.randint(0, 34))
        beside = rng.choice((p["target"], p["ce_threshold"], p["target"] * p["mark_most"])) + rng.randint(-1, 1)
        return max(0, beside) if rng.random() < 0.7 else super().wait_ns(rng)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Head]:
        """A dropping state, with a head at each time that is due and one just before it, until all roots were read; then the next
        one, which begins at the end of the 16 intervals or just before it."""
        p = self.parameters

        def head(behind: int = 1) -> Head:
            is_ect = rng.random() < 0.5
            return Head(
                now_ns, 0, 0, queue_bytes=p["min_bytes"] + behind, is_ect=is_ect, queued_ns=now_ns - p["target"]
            )

        now_ns += p["target"]
        yield head()
        now_ns += p["interval"] + 1
        yield head()
        yield head()
        hits = rng.randint(2, 6)
        while self.count < hits or min(ROOTS.reads) == 0:
            now_ns = max(now_ns, self.drop_next_ns - 1)
            yield head()
            now_ns = max(now_ns, self.drop_next_ns)
            yield head()
        yield head(behind=0)
        soon = self.settled_drop_next_ns + 16 * p["interval"] - rng.randint(0, 1)
        now_ns = soon - p["interval"] - 1
        yield head()
        now_ns = soon
        yield head()

    def step_bits(self, rng: random.Random) -> int:
        """Mostly such that some hundred steps make an interval, or one does."""
        bits = self.parameters["interval"].bit_length()
        return max(0, bits - rng.randint(-2, 6)) if rng.random() < 0.8 else super().step_bits(rng)

    def aim_behind(self, rng: random.Random) -> int:
        """Mostly more than `min_bytes`; now and then that, or a byte beside it."""
        least = self.parameters["min_bytes"]
        if rng.random() < 0.98:
            return least + 1 + rng.getrandbits(rng.randint(0, 26))
        return max(0, least + rng.randint(-1, 1))
