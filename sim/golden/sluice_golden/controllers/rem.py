# SPDX-License-Identifier: Apache-2.0
"""REM, exact integer model (S. Athuraliya, V. Li, S. Low, Q. Yin, IEEE Network 2001), with a verdict at the arrival; and the form
that marks at the head, as ns-2 does.

Formats: :mod:`sluice_golden.controllers.rem_price`; the probability Q1.31, draws Q0.32. The verdict is not rounded.
"""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING

from sluice_golden.controllers.inverse_power import POWERS
from sluice_golden.controllers.rem_price import PRICE_FRACTION, RemPrice, probability_of
from sluice_golden.controllers.sized import is_taken_by_size, queue_of, size_of, typical_of
from sluice_golden.core import PASS, Arrival, CoreModel, Departed, Head, Settled, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping
    from typing import Self

_DROP, _MARK = Verdict("drop", "Unforced drop"), Verdict("mark", "Unforced mark")


class Rem(CoreModel):
    """A packet is dropped, or marked if it can be, with the probability that the price stands for."""

    name = "rem"
    random_words = 1
    ticks = ("price",)
    reasons = (_DROP, _MARK)
    tables = (POWERS,)

    def __init__(self) -> None:
        super().__init__()
        self.price = RemPrice()
        self.probability = 0  # m
        self.queue = (0, 0)  # packets and bytes, after the last packet that came in or left
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
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return parameters["interval"] >= 1 and parameters["avpkt"] >= 256

    def arrive(self, arrival: Arrival) -> Verdict:
        self.price.count(size_of(self.parameters, arrival.size))
        if not self._takes(arrival.random[0], arrival.size):
            return PASS
        return _MARK if self.parameters["ecn"] and arrival.ect else _DROP

    def _takes(self, draw: int, size: int) -> bool:
        p = self.parameters
        return is_taken_by_size(draw, self.probability, size_of(p, size), typical_of(p))

    def settled(self, settled: Settled) -> None:
        self.queue = (settled.queue_packets, settled.queue_bytes)

    def departed(self, departed: Departed) -> None:
        self.queue = (departed.queue_packets, departed.queue_bytes)

    def interval_ns(self, kind: str) -> int:
        del kind
        return self.parameters["interval"]

    def tick(self, kind: str, now_ns: int) -> None:
        del kind, now_ns
        self._next_price = self.price.next(self.parameters, queue_of(self.parameters, *self.queue))

    def settle(self, kind: str) -> None:
        del kind
        self.price.price = self._next_price
        self.probability = probability_of(self._next_price)

    def status(self) -> dict[str, int]:
        return {"price": self.price.price >> (PRICE_FRACTION - 28), "probability_now": self.probability}

    def view(self) -> dict[str, int]:
        """What was counted, with this arrival, and the whole price."""
        return {"counted": self.price.counted, "price": self.price.price}

    def fork(self) -> Self:
        other = copy.copy(self)
        other.price = copy.copy(self.price)
        return other

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """A queue around the target, or any: the first moves the price to somewhere, the second holds it or lets it go on."""
        near = max(0, self.parameters["target"] + rng.randint(-20, 40))
        return rng.choice((super().aim(rng)[0], near)), rng.choice((near, super().aim(rng)[1]))

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Few arrivals between two ticks, and a gain with which they move the price from anywhere to anywhere."""
        return {
            "gain": rng.getrandbits(rng.choice((32, 32, 30, 26))),
            "alpha": rng.getrandbits(18),
            "target": rng.getrandbits(rng.randint(0, 10)),
            "capacity": rng.getrandbits(rng.randint(0, 20)),
        }


class RemHead(Rem):
    """An ECN-capable packet is judged when it leaves, by the probability of then, with the draw that it brought along."""

    name = "rem-head"
    reasons = (_DROP,)
    head_reasons = (_MARK,)

    def arrive(self, arrival: Arrival) -> Verdict:
        self.price.count(size_of(self.parameters, arrival.size))
        draw = arrival.random[0]
        is_spared = self.parameters["ecn"] and arrival.ect
        is_taken = not is_spared and self._takes(draw, arrival.size)
        return Verdict(_DROP.action, _DROP.reason, tag=draw) if is_taken else Verdict("pass", tag=draw)

    def head(self, head: Head) -> Verdict:
        is_taken = self.parameters["ecn"] and head.is_ect and self._takes(head.tag, head.size)
        return _MARK if is_taken else PASS
