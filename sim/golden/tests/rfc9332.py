# SPDX-License-Identifier: Apache-2.0
"""The pseudocode of RFC 9332, appendix A, line by line and with its names, in rational numbers: no rounding at all.

Neither the integer models nor their references have a part in it. That p' stays from 0 to 1 the RFC leaves to who implements it;
here it is the last thing of line 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass
class Params:
    """`dualpi2_params_init`: inputs in s, and what is derived from them, per s."""

    target: Fraction = Fraction(15, 1000)
    rtt_max: Fraction = Fraction(100, 1000)
    tupdate: Fraction = Fraction(16, 1000)
    k: Fraction = Fraction(2)
    alpha: Fraction = Fraction(0)
    beta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        self.alpha = self.alpha or Fraction(1, 10) * self.tupdate / self.rtt_max**2
        self.beta = self.beta or Fraction(3, 10) / self.rtt_max


class BasePi:
    """`dualpi2_update`."""

    def __init__(self, params: Params, most: Fraction = Fraction(1)) -> None:
        self.params, self.most = params, most
        self.base = self.prevq = self.p_cl = self.p_c = Fraction(0)

    def update(self, curq: Fraction) -> None:
        """`curq` is line 2's, which says of which queue."""
        p = self.params
        self.base += p.alpha * (curq - p.target) + p.beta * (curq - self.prevq)  # 3
        self.base = min(max(self.base, Fraction(0)), self.most)
        self.p_cl = p.k * self.base  # 4
        self.p_c = self.base**2  # 5
        self.prevq = curq  # 6
