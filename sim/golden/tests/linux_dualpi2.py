# SPDX-License-Identifier: Apache-2.0
"""What Linux' `sch_dualpi2` computes p' with: its widths, its roundings, its order.

Gains come in 1/256 of a Hz and are held as parts of 2^32 per 64 ns, rounded down; what is added is rounded down once more; p' is
a word of 32 bits, of which all ones is 1. The integer models have no part in it. Delays are below 4.2 s: its products overflow
beyond.
"""

from __future__ import annotations

MAX_PROB = (1 << 32) - 1
_GAIN_SHIFT, _GRANULARITY = 8, 6
_NS_PER_S = 10**9


def scaled(gain: int) -> int:
    """A gain as it is held."""
    return (gain * MAX_PROB >> _GAIN_SHIFT - _GRANULARITY) // _NS_PER_S


class BasePi:
    """Gains in 1/256 Hz, times in ns."""

    def __init__(self, alpha: int = 41, beta: int = 819, target_ns: int = 15_000_000, most: int = MAX_PROB) -> None:
        self.alpha, self.beta, self.target_ns, self.most = scaled(alpha), scaled(beta), target_ns, most
        self.prob = self.last_ns = 0

    def update(self, delay_ns: int) -> None:
        delta = (delay_ns - self.target_ns) * self.alpha + (delay_ns - self.last_ns) * self.beta
        self.last_ns = delay_ns
        if delta > 0:
            new = (delta >> _GRANULARITY) + self.prob & MAX_PROB
            new = MAX_PROB if new < self.prob else new
        else:
            new = self.prob - (-delta >> _GRANULARITY) & MAX_PROB
            new = 0 if new > self.prob else new
        self.prob = min(new, self.most)
