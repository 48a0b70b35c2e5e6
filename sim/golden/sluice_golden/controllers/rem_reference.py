# SPDX-License-Identifier: Apache-2.0
"""REM in floating point, from the paper's formulas and not from the integer model.

S. Athuraliya, V. Li, S. Low, Q. Yin, "REM: Active Queue Management", IEEE Network 2001; it equals ns-2.35's `rem.cc` at every
tick.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class RemReference:
    """Queue and arrivals in packets; ``capacity``: packets that the link sends in an interval."""

    capacity: float
    gamma: float = 0.001
    alpha: float = 0.1
    phi: float = 1.001
    target: float = 20.0
    price: float = 0.0
    counted: float = 0.0

    def count(self, packets: float) -> None:
        self.counted += packets

    def tick(self, queue: float) -> None:
        mismatch = self.alpha * (queue - self.target) + self.counted - self.capacity
        self.price = max(0.0, self.price + self.gamma * mismatch)
        self.counted = 0.0

    @property
    def probability(self) -> float:
        return 1.0 - float(self.phi**-self.price)
