# SPDX-License-Identifier: Apache-2.0
"""REM, exact integer model (S. Athuraliya, V. Li, S. Low, Q. Yin, IEEE Network 2001), with a verdict at the arrival; and the form
that marks at the head, as ns-2 does. Formats: :mod:`sluice_golden.controllers.rem_price`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sluice_golden.blocks.marking import DEFAULT_MOST, marks
from sluice_golden.controllers.controller import DROP, MARK, Controller
from sluice_golden.controllers.inverse_power import POWERS
from sluice_golden.controllers.rem_price import PRICE_FRACTION, RemPrice, probability_of
from sluice_golden.controllers.sized import size_of
from sluice_golden.core import PASS, Arrival, Head, Reset, Ticked, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from typing import Self


def seldom_needed(rng: random.Random) -> int:
    """A price below 1 that needs an entry of the table which was read less than others."""
    index = rng.choice((POWERS.seldom_read(rng), min(range(len(POWERS)), key=POWERS.reads.__getitem__)))
    return index << PRICE_FRACTION - 10 | rng.getrandbits(PRICE_FRACTION - 10)


class Rem(Controller):
    """A packet is dropped, or marked if it can be, with the probability that the price stands for."""

    name = "rem"
    tables = (POWERS,)

    def __init__(self) -> None:
        super().__init__()
        self.price = RemPrice()
        self._next_price = 0

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "gain": round(0.001 * math.log2(1.001) * 2**42),
            "alpha": round(0.1 * 2**18),
            "target": 20,
            "capacity": round(2.5 * 2**14),
            "interval": 2_000_000,
            "avpkt": 1000,
            "byte_mode": 0,
            "ecn": 0,
            "mark_most": DEFAULT_MOST,
        }

    def count(self, size: int) -> None:
        self.price.count(size)

    def update(self, queue: int) -> None:
        self._next_price = self.price.next(self.parameters, queue)

    def settle(self, kind: str) -> None:
        del kind
        self.price.price = self._next_price
        self.probability = probability_of(self._next_price)

    def status(self) -> dict[str, int]:
        return {"price": self.price.price >> (PRICE_FRACTION - 28), "probability_now": self.probability}

    def view(self) -> dict[str, int]:
        """What was counted, with this arrival, and the whole price."""
        return {"counted": self.price.counted, "price": self.price.price}

    def leading(self, rng: random.Random) -> int:
        """For a price that needs an entry of the table which was read less than others."""
        return self._leading(seldom_needed(rng) + (rng.choice((0, 0, 1, 2, rng.randrange(16))) << PRICE_FRACTION))

    def _leading(self, price: int) -> int:
        return self.price.leading(self.parameters, price)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked | Reset]:
        """Small packets, so that hardly anything is counted, each with a queue that leads the price up to such an entry, of which
        nothing is halved away; or a reset, from prices that are beyond."""
        if self.price.price >> PRICE_FRACTION and rng.random() < 0.8:
            yield Reset()
            return
        for price in sorted(seldom_needed(rng) for _ in range(6)):
            level = min(max(0, self._packets_of(self._leading(price))), (1 << 18) - 1)
            words = (rng.getrandbits(32),)
            yield Arrival(
                now_ns, rng.getrandbits(32), 64, rng.getrandbits(2), level, min(64 * level, (1 << 26) - 1), words
            )
            yield Ticked(now_ns, "update")

    def fork(self) -> Self:
        other = super().fork()
        other.price = self.price.fork()
        return other

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Few arrivals between two ticks, and a gain with which they move the price from anywhere to anywhere."""
        return {
            "gain": rng.getrandbits(rng.choice((32, 32, 30, 26))),
            "alpha": rng.getrandbits(18),
            "target": rng.getrandbits(rng.randint(0, 10)),
            "capacity": rng.getrandbits(rng.randint(0, 20)),
            **super().lively(rng),
        }


class RemHead(Rem):
    """An ECN-capable packet is judged when it leaves, by the probability of then, with the draw that it brought along; by that of
    its arrival where it is beyond `mark_most`."""

    name = "rem-head"
    reasons = (DROP,)
    head_reasons = (MARK,)

    def arrive(self, arrival: Arrival) -> Verdict:
        self.count(size_of(self.parameters, arrival.size))
        draw = arrival.random[0]
        is_spared = marks(self.parameters, arrival.ect, self.probability)
        is_dropped = not is_spared and self.takes(draw, arrival.size)
        return Verdict(DROP.action, DROP.reason, tag=draw) if is_dropped else Verdict("pass", tag=draw)

    def head(self, head: Head) -> Verdict:
        is_taken = self.parameters["ecn"] and head.is_ect and self.takes(head.tag, head.size)
        return MARK if is_taken else PASS
