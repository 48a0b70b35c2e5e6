# SPDX-License-Identifier: Apache-2.0
"""The pseudocode of RFC 9332, appendix A, line by line and with its names, in rational numbers: no rounding at all.

Neither the integer models nor their references have a part in it. Numbers of lines are those of its figures 2 and 4, and of 7
and 8, which have the edge cases. That p' be from 0 to 1 the RFC asks for and leaves out; here it is the last thing of line 3.
One thing is not the RFC's: p_CL is 1 at most in line 4. Were it above 1, the sum of `recur` would grow with each packet of L in
overload, and drop more of them than p_C says. `dualpi2_enqueue` and the scheduler are the tile's, and not here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal


@dataclass
class Params:
    """`dualpi2_params_init`, figure 2: inputs in s, and what is derived from them, per s, unless it is given."""

    target: Fraction = Fraction(15, 1000)  # 8
    rtt_max: Fraction = Fraction(100, 1000)  # 9
    tupdate: Fraction = Fraction(0)
    k: Fraction = Fraction(2)  # 3
    min_th: Fraction = Fraction(800, 10**6)  # 17
    ramp: Fraction = Fraction(400, 10**6)  # 18, `range`
    th_len: int = 1  # 19
    alpha: Fraction = Fraction(0)
    beta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        self.tupdate = self.tupdate or min(self.target, self.rtt_max / 3)  # 12
        self.alpha = self.alpha or Fraction(1, 10) * self.tupdate / self.rtt_max**2  # 13
        self.beta = self.beta or Fraction(3, 10) / self.rtt_max  # 14


class BasePi:
    """`dualpi2_update`, figure 8."""

    def __init__(self, params: Params, most: Fraction = Fraction(1)) -> None:
        self.params, self.most = params, most
        self.base = self.prevq = self.p_cl = self.p_c = Fraction(0)

    def update(self, curq: Fraction) -> None:
        """`curq` is that of line 2a, which says of which queue."""
        p = self.params
        self.base += p.alpha * (curq - p.target) + p.beta * (curq - self.prevq)  # 3
        self.base = min(max(self.base, Fraction(0)), self.most)
        self.p_cl = min(p.k * self.base, Fraction(1))  # 4
        self.p_c = self.base**2  # 5
        self.prevq = curq  # 6


@dataclass
class Queue:
    """`lq` or `cq`, as a packet that was taken from it has left it."""

    time: Fraction = Fraction(0)
    len: int = 0
    count: Fraction = Fraction(0)

    def recur(self, likelihood: Fraction) -> bool:
        """Lines 23 to 30 of figure 4: true whenever the sum of all likelihoods passes another whole one."""
        self.count += likelihood
        if self.count > 1:
            self.count -= 1
            return True
        return False


@dataclass
class DualPi2(BasePi):
    """`dualpi2_dequeue`, figure 7, from the scheduler's choice on."""

    params: Params = field(default_factory=Params)
    lq: Queue = field(default_factory=Queue)
    cq: Queue = field(default_factory=Queue)

    def __post_init__(self) -> None:
        super().__init__(self.params)

    @property
    def p_cmax(self) -> Fraction:
        return min(1 / self.params.k**2, Fraction(1))  # 11 of figure 2

    def update_by_both(self) -> None:
        self.update(max(self.cq.time, self.lq.time))  # 2a

    def laqm(self, qdelay: Fraction) -> Fraction:
        """Figure 5. A ramp of no width marks at the threshold, not beyond it alone: the upper end is looked at first."""
        p = self.params
        if qdelay >= p.min_th + p.ramp:
            return Fraction(1)
        return (qdelay - p.min_th) / p.ramp if qdelay > p.min_th else Fraction(0)

    def p_l_native(self) -> Fraction:
        """Lines 5a to 5d: nothing is marked by its delay that leaves `Th_len` packets or fewer."""
        return self.laqm(self.lq.time) if self.lq.len > self.params.th_len else Fraction(0)

    def dequeue_l(self) -> Literal["pass", "mark", "drop"]:
        if self.p_cl < 1:  # 4b: p_Lmax is 1
            return "mark" if self.lq.recur(max(self.p_l_native(), self.p_cl)) else "pass"  # 6 to 8a
        if self.lq.recur(self.p_c):  # 8c
            return "drop"
        return "mark" if self.lq.recur(self.p_cl) else "pass"  # 8h

    def dequeue_c(self, ecn: int) -> Literal["pass", "mark", "drop"]:
        if not self.cq.recur(self.p_c):  # 11
            return "pass"
        return "drop" if ecn == 0 or self.p_c >= self.p_cmax else "mark"  # 12a, 12b
