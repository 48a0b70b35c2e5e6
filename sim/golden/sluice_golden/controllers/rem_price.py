# SPDX-License-Identifier: Apache-2.0
"""REM's price, exact integer model (S. Athuraliya, V. Li, S. Low, Q. Yin, "REM: Active Queue Management", IEEE Network 2001).

Once in each interval p <- [p + gamma (alpha (b - b*) + x - c)]+, and m = 1 - phi^-p. Of gamma and phi only gamma log2 phi
matters, and the price is kept as p log2 phi: a price of 1 halves what passes.

Formats: the price Q4.36, saturated just below 16; the mismatch Q28.8 in bytes and Q20.16 in packets; c Q18.14, alpha Q0.18,
gain Q0.42. What is multiplied is rounded down, and the sign comes last. The reference is
:mod:`sluice_golden.controllers.rem_reference`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice_golden.blocks.state import State
from sluice_golden.controllers.inverse_power import FRACTION, inverse_power
from sluice_golden.controllers.sized import inverse_of, typical_of

if TYPE_CHECKING:
    from collections.abc import Mapping

PRICE_FRACTION = 36
_HIGHEST = (1 << (4 + PRICE_FRACTION)) - 1
MOST_COUNTED = (1 << 26) - 1
_MOST_LEVEL = (1 << 36) - 1
_ONE = 1 << 31


@dataclass
class RemPrice(State):
    """The price, and what was counted since the last tick. Who owns it says what counts: all arrivals, or those accepted."""

    price: int = 0
    counted: int = 0

    def count(self, size: int) -> None:
        """Something of `size` came, in bytes (:mod:`sluice_golden.controllers.sized`)."""
        self.counted = min(self.counted + size, MOST_COUNTED)

    def mismatch(self, parameters: Mapping[str, int], queue: int) -> int:
        """alpha (b - b*) + x - c, in bytes, Q.8."""
        p = parameters
        level = p["capacity"] + (p["alpha"] * p["target"] >> 4)  # c + alpha b*, in packets, Q.14
        level = min(level * typical_of(p) >> 6, _MOST_LEVEL)
        return (p["alpha"] * queue >> 10) + (self.counted << 8) - level

    def leading(self, parameters: Mapping[str, int], price: int) -> int:
        """What must be queued, in bytes, for about this price after a tick, if nothing more is counted until then."""
        p = parameters
        wanted = (price - self.price << 22) // max(1, p["gain"])  # mismatch in packets, Q.16
        mismatch = (wanted << 16) // inverse_of(typical_of(p))
        return (mismatch - self.mismatch(p, 0) << 10) // max(1, p["alpha"])

    def next(self, parameters: Mapping[str, int], queue: int) -> int:
        """The price after a tick that finds so much queued, in bytes; counts anew from there on."""
        mismatch = self.mismatch(parameters, queue)
        self.counted = 0
        packets = abs(mismatch) * inverse_of(typical_of(parameters)) >> 16  # Q.16
        step = packets * parameters["gain"] >> 22
        return min(max(0, self.price + (step if mismatch >= 0 else -step)), _HIGHEST)


def probability_of(price: int) -> int:
    """m, Q1.31."""
    return _ONE - inverse_power(price >> (PRICE_FRACTION - FRACTION))
