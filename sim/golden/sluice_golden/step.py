# SPDX-License-Identifier: Apache-2.0
"""Step marking, exact integer model (RFC 8257, section 3.1): every packet beyond a threshold of packets, bytes or time is marked,
and passed or dropped where it cannot be. At a threshold a packet is not beyond it; nothing is beyond one that is all ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sluice_golden.core import PASS, Arrival, CoreModel, Head, Verdict

if TYPE_CHECKING:
    import random

DROP, MARK = Verdict("drop", "Forced drop"), Verdict("mark", "Forced mark")
_MOST_PACKETS, _MOST_BYTES, _MOST_NS = (1 << 18) - 1, (1 << 26) - 1, (1 << 32) - 1


class Step(CoreModel):
    """By what a packet finds queued."""

    name = "step"
    reasons: ClassVar[tuple[Verdict, ...]] = (DROP, MARK)

    @staticmethod
    def defaults() -> dict[str, int]:
        return {"threshold_packets": 20, "threshold_bytes": _MOST_BYTES, "drop_not_ect": 0}

    def _judge(self, *, is_beyond: bool, is_ect: bool) -> Verdict:
        if not is_beyond:
            return PASS
        if is_ect:
            return MARK
        return DROP if self.parameters["drop_not_ect"] else PASS

    def _is_long(self, packets: int, size: int) -> bool:
        return packets > self.parameters["threshold_packets"] or size > self.parameters["threshold_bytes"]

    def arrive(self, arrival: Arrival) -> Verdict:
        is_beyond = self._is_long(arrival.queue_packets, arrival.queue_bytes)
        return self._judge(is_beyond=is_beyond, is_ect=arrival.ect)

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """At one of the thresholds, or a packet beside it."""
        p = self.parameters
        near = rng.choice((p["threshold_packets"], p["threshold_bytes"] // 64)) + rng.randint(-1, 1)
        near = min(max(0, near), _MOST_PACKETS)
        return near, near

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Thresholds that lie near each other, or one of packets alone."""
        packets = rng.getrandbits(rng.randint(0, 18))
        near = min(_MOST_BYTES, 64 * packets + rng.getrandbits(8))
        return {"threshold_packets": packets, "threshold_bytes": rng.choice((near, _MOST_BYTES))}


class StepHead(Step):
    """By what a packet leaves behind, and by the time that it waited."""

    name = "step-head"
    reasons: ClassVar[tuple[Verdict, ...]] = ()
    head_reasons: ClassVar[tuple[Verdict, ...]] = (DROP, MARK)

    def __init__(self) -> None:
        super().__init__()
        self.waited = 0

    @staticmethod
    def defaults() -> dict[str, int]:
        return Step.defaults() | {"threshold_ns": _MOST_NS}

    def arrive(self, arrival: Arrival) -> Verdict:
        del arrival
        return PASS

    def head(self, head: Head) -> Verdict:
        self.waited = head.now_ns - head.queued_ns
        is_late = self.parameters["threshold_ns"] < _MOST_NS and self.waited > self.parameters["threshold_ns"]
        is_beyond = self._is_long(head.queue_packets, head.queue_bytes) or is_late
        return self._judge(is_beyond=is_beyond, is_ect=head.is_ect)

    def head_view(self) -> dict[str, int]:
        return {"waited": self.waited}

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        return super().lively(rng) | {"threshold_ns": rng.getrandbits(rng.randint(0, 32))}

    def wait_ns(self, rng: random.Random) -> int:
        """Mostly at the threshold or a ns beside it."""
        near = max(0, self.parameters["threshold_ns"] + rng.randint(-1, 1))
        return near if rng.random() < 0.7 else super().wait_ns(rng)

    def aim_behind(self, rng: random.Random) -> int:
        """Mostly at one of the thresholds or beside it; here a packet behind is a byte."""
        p = self.parameters
        near = rng.choice((p["threshold_packets"], p["threshold_bytes"])) + rng.randint(-1, 1)
        return max(0, near) if rng.random() < 0.7 else super().aim_behind(rng)
