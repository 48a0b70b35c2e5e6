# SPDX-License-Identifier: Apache-2.0
"""What Linux' `sch_dualpi2` computes p' with and does by it: its widths, its roundings, its order.

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


class DualPi2(BasePi):
    """What becomes of a packet that finds more than two full ones queued. Without `drop_overload` p' ends where L is marked."""

    def __init__(
        self, *, coupling: int = 2, step_ns: int = 1_000_000, drop_overload: bool = True, **gains_and_target: int
    ) -> None:
        super().__init__(**gains_and_target, most=MAX_PROB if drop_overload else MAX_PROB // coupling)
        self.coupling, self.step_ns, self.drop_overload = coupling, step_ns, drop_overload

    def fate(self, words: tuple[int, int], *, is_l: bool, is_ect: bool, delay_l_ns: int, applies_step: bool) -> str:
        """By the words that its `dualpi2_roll` draws, one after the other."""
        goes_squared = words[0] <= self.prob and words[1] <= self.prob
        local = self.prob * self.coupling
        is_overload = local > MAX_PROB
        if not is_l:
            return "pass" if not goes_squared else "drop" if is_overload or not is_ect else "mark"
        if is_overload:
            return "drop" if self.drop_overload and goes_squared else "mark"
        return "mark" if words[0] <= local or (applies_step and delay_l_ns > self.step_ns) else "pass"
