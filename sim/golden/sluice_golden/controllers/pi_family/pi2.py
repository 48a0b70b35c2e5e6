# SPDX-License-Identifier: Apache-2.0
"""PI2, exact integer model (K. De Schepper, O. Bondarenko, I. Tsang, B. Briscoe, "PI2: A Linearized AQM for both Classic and
Scalable TCP", CoNEXT 2016; RFC 9332, appendix A.1).

A tick moves p' by alpha (d - target) + beta (d - d_old), from 0 to `max_base`. A packet is taken if two draws are both below
p', or, where p' is coupled and the packet is ECT(1) or CE, if the first one is below `coupling` p'. Formats: p' Q1.40, of which
a draw of Q0.32 sees Q1.31; `coupling` Q3.1. The reference is :mod:`sluice_golden.controllers.pi_family.pi2_reference`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sluice_golden.controllers.delay import FRACTION, term
from sluice_golden.controllers.pi_family.delay_controller import DROP, MARK, DelayController
from sluice_golden.core import PASS, Arrival, Head, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

_WORD = 32


class Pi2(DelayController):
    """Judges arrivals."""

    name = "pi2"
    random_words = 2

    def __init__(self) -> None:
        super().__init__()
        self._next = (0, 0)

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "target": 15_000_000,
            "tupdate": 16_000_000,
            "alpha": round(0.16 * 2**16),
            "beta": round(3.2 * 2**16),
            "min_bytes": 3028,
            "rate": round(0.02 * 2**22),
            "coupling": 0,
            "max_base": 1 << 30,
            "ecn": 0,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return DelayController.is_legal(parameters) and parameters["max_base"] <= 1 << 31

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

    def update(self, delay_ns: int) -> None:
        p = self.parameters
        moved = self.p + term(p["alpha"], delay_ns - p["target"]) + term(p["beta"], delay_ns - self.delay_ns)
        self._next = (min(max(0, moved), p["max_base"] << FRACTION - 31), delay_ns)

    def settle(self, kind: str) -> None:
        del kind
        self.p, self.delay_ns = self._next

    def view(self) -> dict[str, int]:
        return {"base": self.p}

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Any bound of p', and coupled packets."""
        return super().lively(rng) | {
            "coupling": rng.choice((0, rng.getrandbits(4))),
            "max_base": rng.choice((1 << 31, rng.getrandbits(31))),
        }


class Pi2Head(Pi2):
    """Judges packets when they leave, with the draw that they bring along."""

    name = "pi2-head"
    reasons: ClassVar[tuple[Verdict, ...]] = ()
    head_reasons: ClassVar[tuple[Verdict, ...]] = (DROP, MARK)

    @staticmethod
    def defaults() -> dict[str, int]:
        return {name: raw for name, raw in Pi2.defaults().items() if name != "rate"}

    def arrive(self, arrival: Arrival) -> Verdict:
        draw, is_coupled = self.draw(arrival)
        return Verdict("pass", tag=is_coupled << _WORD | draw)

    def head(self, head: Head) -> Verdict:
        super().head(head)
        is_coupled, draw = bool(head.tag >> _WORD), head.tag & (1 << _WORD) - 1
        return self.judge(draw, head.queue_bytes, is_coupled=is_coupled, is_ect=head.is_ect)

    def head_view(self) -> dict[str, int]:
        return self.view()
