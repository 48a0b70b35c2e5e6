# SPDX-License-Identifier: Apache-2.0
"""PI, exact integer model (C. Hollot, V. Misra, D. Towsley, W. Gong, "On Designing Improved Controllers for AQM Routers
Supporting TCP Flows", INFOCOM 2001).

Once in each interval p <- p + a (q - q_ref) - b (q_old - q_ref), from 0 to 1. Formats: p Q1.40, a and b Q0.40, queues Q18.16 in
packets; each of the two terms is rounded towards 0. The reference is :mod:`sluice_golden.controllers.pi_family.pi_reference`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.blocks.beside import beside
from sluice_golden.blocks.marking import DEFAULT_MOST
from sluice_golden.controllers.controller import Controller
from sluice_golden.controllers.sized import inverse_of, typical_of
from sluice_golden.core import Arrival, NewSet, Ticked

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

FRACTION = 40
_ONE = 1 << FRACTION
_MOST_MARK, _MOST_PACKETS, _MOST_BYTES = 1 << 31, (1 << 18) - 1, (1 << 26) - 1
_LONGEST_NS = (1 << 32) - 1


class Pi(Controller):
    """Proportional to the distance of the queue from its target, and to its integral."""

    name = "pi"

    def __init__(self) -> None:
        super().__init__()
        self.p = 0
        self.old = 0  # the queue at the last tick, in packets
        self._next = (0, 0)  # p and that

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "a": round(1.822e-5 * _ONE),
            "b": round(1.816e-5 * _ONE),
            "target": 50,
            "interval": 5_882_353,
            "avpkt": 1000,
            "byte_mode": 0,
            "ecn": 0,
            "mark_most": DEFAULT_MOST,
        }

    def count(self, size: int) -> None:
        """Arrivals do not count."""

    def update(self, queue: int) -> None:
        now = queue * inverse_of(typical_of(self.parameters)) >> 8
        moved = self.p + self._term("a", now) - self._term("b", self.old)
        self._next = (min(max(0, moved), _ONE), now)

    def _term(self, factor: str, queue: int) -> int:
        distance = queue - (self.parameters["target"] << 16)
        size = abs(distance) * self.parameters[factor] >> 16
        return size if distance >= 0 else -size

    def settle(self, kind: str) -> None:
        del kind
        self.p, self.old = self._next
        self.probability = self.p >> (FRACTION - 31)

    def status(self) -> dict[str, int]:
        return {"probability_now": self.probability}

    def view(self) -> dict[str, int]:
        return {"p": self.p}

    def leading(self, rng: random.Random) -> int:
        p, sought = self.parameters, self.parameters["target"] << 16
        wanted = (rng.randint(0, _ONE) - self.p << 16) + p["b"] * (self.old - sought)
        return (sought + wanted // max(1, p["a"])) * typical_of(p) >> 16

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked | NewSet]:
        """Ticks that bring p to somewhere, and behind each packets that are all taken, most of them ECN-capable, with `mark_most`
        beside it."""

        def arriving(packets: int) -> Arrival:
            octets = min(64 * packets, _MOST_BYTES)
            return Arrival(now_ns, rng.getrandbits(32), 64, rng.getrandbits(2), packets, octets, (0,))

        for _ in range(4):
            yield Ticked(now_ns, "update")
            yield NewSet(self.lively(rng) | {"ecn": 1, "interval": _LONGEST_NS})
            yield arriving(min(max(0, self._packets_of(self.leading(rng))), _MOST_PACKETS))
            yield Ticked(now_ns, "update")
            for _ in range(6):
                yield NewSet({"mark_most": beside(rng, self.probability, _MOST_MARK)})
                yield arriving(0)

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Factors with which p goes from 0 to 1 within few ticks, or within some hundred."""
        a = rng.getrandbits(rng.randint(24, 32))
        return {
            "a": a,
            "b": max(0, a - rng.getrandbits(rng.randint(0, 31))),
            "target": rng.getrandbits(rng.randint(0, 10)),
            **super().lively(rng),
        }
