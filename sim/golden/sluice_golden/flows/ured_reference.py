# SPDX-License-Identifier: Apache-2.0
"""URED in floating point, from the paper's table and not from the integer model.

R. Nossenson, H. Maryuma, "Active Queue Management in Blind Access Networks". The paper takes the drop function of B. Abbasov
and S. Korukoglu's HERED without saying it; the power is a reconstruction. One event after the other: a packet is judged and
queued before the next one comes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class UredReference:
    """`weight` of the queue's average and `own_weight` of a tunnel's, which stays when none of its packets is left. The paper
    does not say whether it does."""

    g_min: float
    g_max: float
    buffer: float
    max_p: float
    kappa: float
    theta: float
    weight: float
    own_weight: float
    average: float = 0.0
    queue: int = 0
    own: dict[int, float] = field(default_factory=dict)
    queued: Counter[int] = field(default_factory=Counter)

    @property
    def active(self) -> int:
        """Tunnels with packets queued, the arriving one at least."""
        return max(1, sum(packets > 0 for packets in self.queued.values()))

    def judge(self, tunnel: int, draw: float) -> str:
        """What becomes of an arriving packet; nothing is queued yet."""
        self.average += self.weight * (self.queue - self.average)
        own = self.own.get(tunnel, 0.0)
        own += self.own_weight * (self.queued[tunnel] - own)
        self.own[tunnel] = own
        l_min = min(self.buffer / self.active, self.buffer / 3)
        l_max = min(2 * self.buffer / self.active, self.buffer / 2)
        of_all, of_own = self._hazard(self.average, self.g_max), self._hazard(own, l_max)
        row = (self.average >= self.g_min) + (self.average >= self.g_max)
        column = (own >= l_min) + (own >= l_max)
        rules = ((0, 0, 0), (0, of_all * of_own, of_all), (of_all * of_own, of_all, None))
        probability = rules[row][column]
        if probability is None:
            return "forced"
        return "unforced" if draw < probability else "pass"

    def _hazard(self, x: float, upper: float) -> float:
        rise = max(0.0, x / upper - self.theta) / (1 - self.theta)
        return min(1.0, self.max_p * float(rise**self.kappa))

    def accept(self, tunnel: int) -> None:
        """A judged packet enters the queue."""
        self.queued[tunnel] += 1
        self.queue += 1

    def depart(self, tunnel: int) -> None:
        """A packet leaves the queue."""
        self.queued[tunnel] -= 1
        self.queue -= 1
