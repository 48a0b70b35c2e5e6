# SPDX-License-Identifier: Apache-2.0
"""The pseudocode of RFC 9332, appendix A, line by line and with its names, in rational numbers: no rounding at all.

Neither the integer models nor their references have a part in it. That p' stays from 0 to 1 the RFC leaves to who implements
it; here it is the last thing of line 3. So is it of p_CL in line 4: were it above 1, the sum of `recur` would grow with each
packet of L in overload, and drop more of them than p_C says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal


@dataclass
class Params:
    """`dualpi2_params_init`: inputs in s, and what is derived from them, per s."""

    target: Fraction = Fraction(15, 1000)
    rtt_max: Fraction = Fraction(100, 1000)
    tupdate: Fraction = Fraction(16, 1000)
    k: Fraction = Fraction(2)
    min_th: Fraction = Fraction(800, 10**6)
    ramp: Fraction = Fraction(400, 10**6)
    th_len: int = 1
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
        """True with a certain likelihood: whenever the sum of all passes another whole one."""
        self.count += likelihood
        if self.count > 1:
            self.count -= 1
            return True
        return False


@dataclass
class DualPi2(BasePi):
    """`dualpi2_dequeue` from the scheduler's choice on, with the edge cases of A.2."""

    params: Params = field(default_factory=Params)
    lq: Queue = field(default_factory=Queue)
    cq: Queue = field(default_factory=Queue)

    def __post_init__(self) -> None:
        super().__init__(self.params)

    @property
    def p_cmax(self) -> Fraction:
        return min(1 / self.params.k**2, Fraction(1))

    def update_by_both(self) -> None:
        self.update(max(self.cq.time, self.lq.time))  # 2

    def laqm(self, qdelay: Fraction) -> Fraction:
        p = self.params
        if self.lq.len <= p.th_len or qdelay <= p.min_th:
            return Fraction(0)
        return Fraction(1) if qdelay >= p.min_th + p.ramp else (qdelay - p.min_th) / p.ramp

    def dequeue_l(self) -> Literal["pass", "mark", "drop"]:
        if self.p_cl < 1:  # 5a: p_Lmax
            return "mark" if self.lq.recur(max(self.laqm(self.lq.time), self.p_cl)) else "pass"
        if self.lq.recur(self.p_c):  # 8c: overload
            return "drop"
        return "mark" if self.lq.recur(self.p_cl) else "pass"

    def dequeue_c(self, ecn: int) -> Literal["pass", "mark", "drop"]:
        if not self.cq.recur(self.p_c):
            return "pass"
        return "drop" if ecn == 0 or self.p_c >= self.p_cmax else "mark"
