# SPDX-License-Identifier: Apache-2.0
"""PI2 of each of many queues: :class:`~sluice_golden.controllers.pi_family.pi2.Pi2Head` with a state by queue.

A tick is one of all queues, and only counted. A queue's next head makes up for those since its last one, and is judged by the
p' that they lead to. Each finds the time that the last packet waited, so all but the first move p' by the same. By how much
they do is worked out behind that packet, by the parameters then; what p' may be at most is the head's. While parameters stay
as they are p' is what ticks at their times would have made it, but that after 1,024 updates no more are made up for; and the
count has 16 bits, so that of 65,536 more none is seen.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.beside import beside
from sluice_golden.blocks.of_each_queue import OfEachQueue
from sluice_golden.controllers.delay import FRACTION, term
from sluice_golden.controllers.pi_family.pi2 import Pi2Head
from sluice_golden.core import Head, Ticked

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from sluice_golden.core import Verdict

_TICKS = 1 << 16
_MOST_UPDATES = 1024


class FqPi2Of1k(OfEachQueue, Pi2Head):
    """In a tile of a thousand queues with RFC 8290's two lists."""

    name = "fq-pi2-1k"
    head_status: ClassVar[frozenset[str]] = frozenset({"probability_now", "delay"})
    kept: ClassVar[tuple[str, ...]] = ("p", "delay_ns", "_waited_ns", "_terms", "_known")

    def __init__(self) -> None:
        self._ticks = 0
        self._terms = (0, 0)  # that the next update moves p' by; those after it leave out the second one
        self._known = 0  # ticks that the queue's last head knew of
        super().__init__()

    @staticmethod
    def defaults() -> dict[str, int]:
        return Pi2Head.defaults() | {"max_base": 1 << 31}

    def tick(self, kind: str, now_ns: int) -> None:
        """Nothing is worked out."""

    def settle(self, kind: str) -> None:
        del kind
        self._ticks = (self._ticks + 1) % _TICKS

    def head(self, head: Head) -> Verdict:
        self.turn_to(head.queue)
        self._make_up_for((self._ticks - self._known) % _TICKS)
        self._known = self._ticks
        verdict = super().head(head)
        p = self.parameters
        self._terms = (
            term(p["alpha"], self._waited_ns - p["target"]),
            term(p["beta"], self._waited_ns - self.delay_ns),
        )
        return replace(verdict, restart=True)

    def _make_up_for(self, updates: int) -> None:
        of_target, of_old = self._terms
        most = self.parameters["max_base"] << FRACTION - 31
        for number in range(min(updates, _MOST_UPDATES)):
            before = self.p
            self.p = min(max(0, self.p + of_target + (0 if number else of_old)), most)
            self.delay_ns = self._waited_ns
            if number and self.p == before:
                break  # and so it would with all others

    def view(self) -> dict[str, int]:
        return {}

    def head_view(self) -> dict[str, int]:
        return {"base": self.p}

    # --- traffic ---

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Head | Ticked]:
        """Heads with no tick between them, with one, or with so many that p' comes to a bound, or near one."""
        for _ in range(30):
            for _ in range(rng.choice((0, 1, 1, 2, rng.randint(3, 12)))):
                yield Ticked(now_ns, "update")
            waited_ns = (
                self.leading_ns(rng) >> rng.choice((0, 0, 1, 2, 3)) if rng.random() < 0.7 else self.beside_ns(rng)
            )
            yield Head(
                now_ns,
                rng.getrandbits(32),
                1000,
                tag=self.tag(rng, 33),
                queue_bytes=self.aim_behind(rng),
                is_ect=rng.random() < 0.5,
                queued_ns=now_ns - waited_ns,
            )

    def tag(self, rng: random.Random, bits: int) -> int:
        """A draw beside the bound that p' is now, or any."""
        if rng.random() < 0.5:
            return super().tag(rng, bits)
        is_coupled = rng.getrandbits(1)
        factor = self.parameters["coupling"] if is_coupled else 2
        return is_coupled << 32 | beside(rng, self.probability * factor, (1 << 32) - 1)
