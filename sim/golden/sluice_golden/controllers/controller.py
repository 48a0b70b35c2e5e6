# SPDX-License-Identifier: Apache-2.0
"""What REM and PI share: a probability that a tick moves by the queue, and a packet that is taken with it, by its size if bytes
count."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.marking import marks, most_beside
from sluice_golden.controllers.sized import PACKET, is_taken_by_size, queue_of, size_of, typical_of
from sluice_golden.core import PASS, Arrival, CoreModel, Departed, Settled, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

_MOST_PACKETS = (1 << 18) - 1
DROP, MARK = Verdict("drop", "Unforced drop"), Verdict("mark", "Unforced mark")


class Controller(CoreModel):
    """The probability is Q1.31, draws are Q0.32. The verdict is not rounded."""

    random_words = 1
    ticks = ("update",)
    reasons: ClassVar[tuple[Verdict, ...]] = (DROP, MARK)

    def __init__(self) -> None:
        super().__init__()
        self.probability = 0
        self._queue = (0, 0)  # packets and bytes, after the last packet that came in or left

    @abstractmethod
    def count(self, size: int) -> None:
        """A packet arrives that counts so many bytes."""

    @abstractmethod
    def update(self, queue: int) -> None:
        """A tick finds so many bytes queued."""

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return parameters["interval"] >= 1 and parameters["avpkt"] >= 256 and parameters["mark_most"] <= 1 << 31

    def arrive(self, arrival: Arrival) -> Verdict:
        self.count(size_of(self.parameters, arrival.size))
        if not self.takes(arrival.random[0], arrival.size):
            return PASS
        return MARK if marks(self.parameters, arrival.ect, self.probability) else DROP

    def takes(self, draw: int, size: int) -> bool:
        p = self.parameters
        return is_taken_by_size(draw, self.probability, size_of(p, size), typical_of(p))

    def settled(self, settled: Settled) -> None:
        self._queue = (settled.queue_packets, settled.queue_bytes)

    def departed(self, departed: Departed) -> None:
        self._queue = (departed.queue_packets, departed.queue_bytes)

    def interval_ns(self, kind: str) -> int:
        del kind
        return self.parameters["interval"]

    def tick(self, kind: str, now_ns: int) -> None:
        del kind, now_ns
        self.update(queue_of(self.parameters, *self._queue))

    def beside(self, rng: random.Random) -> dict[str, int]:
        return most_beside(rng, self.probability)

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Packets or bytes, of any typical size."""
        return {"byte_mode": rng.getrandbits(1), "avpkt": rng.randrange(PACKET, 1 << rng.randint(9, 16))}

    @abstractmethod
    def leading(self, rng: random.Random) -> int:
        """A queue, in bytes, that the next tick must find to move the probability to somewhere between 0 and 1."""

    def _packets_of(self, queue: int) -> int:
        """How many packets are as many bytes: where these count, packets of 64."""
        return queue // (64 if self.parameters["byte_mode"] else PACKET)

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """A queue around the target, or any: the first moves the probability to somewhere, the second holds it or lets it go
        on. Or what moves it to where a draw decides."""
        if rng.random() < 0.5:
            level = self._packets_of(self.leading(rng)) + rng.randint(-1, 1)
            level = min(max(0, level), _MOST_PACKETS)
            return level, level
        near = min(max(0, self.parameters["target"] + rng.randint(-20, 40)), _MOST_PACKETS)
        return rng.choice((super().aim(rng)[0], near)), rng.choice((near, super().aim(rng)[1]))
