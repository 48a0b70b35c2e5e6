# SPDX-License-Identifier: Apache-2.0
"""CHOKe in floating point, written from the paper and not from the integer model.

R. Pan, B. Prabhakar, K. Psounis, "CHOKe: A Stateless Active Queue Management Scheme for Approximating Fair Bandwidth
Allocation", INFOCOM 2000, figure 1: the average and the test are RED's. Its gaps are drawn as in section 11 of Floyd's and
Jacobson's paper of 1993: one draw R for each gap, and the packet goes for which count * p_b passes R.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice_golden.red.red_reference import RedReference

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass
class ChokeReference(RedReference):
    """Says what becomes of a packet, and which of the candidates goes with it."""

    count: int = 0
    drawn: float = 0.0

    def judge(self, flow: int, candidates: Sequence[int | None], draw: float) -> tuple[str, int | None]:
        """After :meth:`sample`; `draw`, out of 0..1, is the next gap's if this packet ends one."""
        if self.average <= self.min_th:
            self.count, self.drawn = 0, draw
            return "pass", None
        for number, candidate in enumerate(candidates):
            if candidate == flow:
                return "matched", number
        if self.average > self.max_th:
            self.count, self.drawn = 1, draw
            return "forced", None
        base = self.max_p * (self.average - self.min_th) / (self.max_th - self.min_th)
        if self.count * base > self.drawn:
            self.count, self.drawn = 1, draw
            return "unforced", None
        self.count += 1
        return "pass", None
