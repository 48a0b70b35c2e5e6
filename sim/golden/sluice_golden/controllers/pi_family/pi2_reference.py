# SPDX-License-Identifier: Apache-2.0
"""PI2 in floating point, from the pseudocode of RFC 9332, appendix A.1 (`dualpi2_update`, lines 2 to 5, and the law of drops for
the Classic queue), and not from the integer model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Pi2Reference:
    """Times in s, gains in Hz."""

    target: float = 15e-3
    alpha: float = 0.16
    beta: float = 3.2
    k: float = 2.0
    most: float = 1.0
    base: float = 0.0  # p'
    prevq: float = 0.0

    def update(self, curq: float) -> None:
        moved = self.base + self.alpha * (curq - self.target) + self.beta * (curq - self.prevq)
        self.base = min(max(moved, 0.0), self.most)
        self.prevq = curq

    @property
    def p_c(self) -> float:
        return self.base**2

    @property
    def p_cl(self) -> float:
        return min(1.0, self.k * self.base)
