# SPDX-License-Identifier: Apache-2.0
"""PIE in floating point, from RFC 8033 and not from the integer model: control law, gains by the size of the probability and
the cap of a step as in appendix B, the burst allowance of section 4.4, and the derandomisation of section 5.4.

Two things are taken otherwise than by the letter, as the RFC allows: a decay is by 1/64 and not by a fiftieth, and the burst
allowance is given at an update.
"""

from __future__ import annotations

from dataclasses import dataclass

TABLE = ((0.000001, 2048), (0.00001, 512), (0.0001, 128), (0.001, 32), (0.01, 8), (0.1, 2))
"""Below which probability the step is divided by what."""


@dataclass
class PieReference:
    """Times in s, gains in Hz."""

    target: float = 15e-3
    tupdate: float = 15e-3
    alpha: float = 0.125
    beta: float = 1.25
    max_burst: float = 150e-3
    drop_prob: float = 0.0
    qdelay_old: float = 0.0
    burst_allowance: float = 0.0
    accu_prob: float = 0.0

    def update(self, qdelay: float) -> None:
        p = self.alpha * (qdelay - self.target) + self.beta * (qdelay - self.qdelay_old)
        p /= next((divisor for below, divisor in TABLE if self.drop_prob < below), 1)
        if self.drop_prob >= 0.1 and p > 0.02:
            p = 0.02
        self.drop_prob = min(max(self.drop_prob + p, 0.0), 1.0)
        is_short = qdelay < self.target / 2 and self.qdelay_old < self.target / 2
        if is_short:
            self.drop_prob -= self.drop_prob / 64
        self.qdelay_old = qdelay
        self.burst_allowance = max(0.0, self.burst_allowance - self.tupdate)
        if self.drop_prob == 0.0 and is_short:
            self.burst_allowance = self.max_burst

    def drops(self, u: float, queue_bytes: int, mean_packet: int = 1514) -> bool:
        """Whether an arrival is taken that finds so many bytes."""
        if self.burst_allowance > 0 or (self.qdelay_old < self.target / 2 and self.drop_prob < 0.2):
            return False
        if queue_bytes < 2 * mean_packet:
            return False
        self.accu_prob = 0.0 if self.drop_prob == 0.0 else self.accu_prob + self.drop_prob
        is_taken = self.accu_prob >= 8.5 or (self.accu_prob >= 0.85 and u < self.drop_prob)
        if is_taken:
            self.accu_prob = 0.0
        return is_taken
