# SPDX-License-Identifier: Apache-2.0
"""DualPI2 in floating point, from the pseudocode of RFC 9332, appendix A (`dualpi2_update`, `laqm`, `dualpi2_dequeue` with what
A.2 adds for overload), and not from the integer model: the update of PI2 by the longer one of both delays, and what it makes of
the two queues."""

from __future__ import annotations

from dataclasses import dataclass

from sluice_golden.controllers.pi_family.pi2_reference import Pi2Reference


@dataclass
class DualPi2Reference(Pi2Reference):
    """Times in s, gains in Hz. L is marked from a delay of `min_th` on, and all of it `ramp` beyond; 0: a step."""

    min_th: float = 1e-3
    ramp: float = 0.0

    def update_by(self, delay_l: float, delay_c: float) -> None:
        self.update(max(delay_l, delay_c))

    @property
    def is_overload(self) -> bool:
        """L can be marked no more often."""
        return self.k * self.base >= 1.0

    def native(self, delay_l: float) -> float:
        """The probability of L's own AQM, of a packet before which others were queued."""
        if delay_l <= self.min_th:
            return 0.0
        return 1.0 if delay_l >= self.min_th + self.ramp else (delay_l - self.min_th) / self.ramp

    def p_l(self, delay_l: float) -> float:
        """Of a mark in L, unless the packet is dropped."""
        return max(self.native(delay_l), self.p_cl)
