# SPDX-License-Identifier: Apache-2.0
"""RED in floating point, written from the paper's equations and not from the integer model.

S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM ToN 1(4), 1993: the average
(section 4, equation 1 and the idle case), the base probability (section 5, equation 2), the count (equation 3); gentle as in
S. Floyd's recommendation of 2000 and ns-2; wait as in ns-2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class RedReference:
    """Average and base probability in floating point; the queue in whatever unit the thresholds have."""

    min_th: float
    max_th: float
    max_p: float
    weight: float
    packet_time_ns: float
    gentle: bool
    average: float = 0.0
    idle_since_ns: int | None = None

    def found_empty(self, now_ns: int) -> None:
        if self.idle_since_ns is None:
            self.idle_since_ns = now_ns

    def sample(self, now_ns: int, queue: float) -> float:
        """The average after an arrival that finds `queue`."""
        if self.idle_since_ns is not None:
            packets = math.floor((now_ns - self.idle_since_ns) / self.packet_time_ns)
            self.average *= (1 - self.weight) ** packets
            self.idle_since_ns = None
        self.average += self.weight * (queue - self.average)
        return self.average

    def base_probability(self) -> float:
        """p_b of the present average."""
        if self.average < self.min_th:
            return 0.0
        if self.average < self.max_th:
            return self.max_p * (self.average - self.min_th) / (self.max_th - self.min_th)
        if self.gentle and self.average < 2 * self.max_th:
            return self.max_p + (1 - self.max_p) * (self.average - self.max_th) / self.max_th
        return 1.0


def final_probability(base: float, count: int, *, wait: bool) -> float:
    """p_a: equation 3 of the paper, or ns-2's form with `wait`."""
    z = count * base
    if wait:
        if z < 1:
            return 0.0
        return 1.0 if z >= 2 else min(1.0, base / (2 - z))
    return 1.0 if z >= 1 else min(1.0, base / (1 - z))
