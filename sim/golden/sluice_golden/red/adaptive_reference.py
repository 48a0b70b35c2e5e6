# SPDX-License-Identifier: Apache-2.0
"""One step of max_p of the five adaptive schemes in floating point, written from the papers' formulas.

ARED: S. Floyd, R. Gummadi, S. Shenker 2001. Re-ARED: T.-H. Kim, K.-H. Lee 2006. Re-ARED-M1, -M2 and CARED: M. Tahiliani,
K. Shet, T. Basavaraju 2012, with its misprints corrected: M1's upper edge is min + 0.6 (max - min), "target" in the
formulas is the nearer edge of the band.
"""

from __future__ import annotations

from dataclasses import dataclass

BAND = {"ared": 0.4, "re-ared": 0.48, "re-ared-m1": 0.4, "re-ared-m2": 0.48, "cared": 0.4}
"""Where the target band begins, as a part of max - min; it ends at 1 minus that."""

RISE = {"re-ared": 0.25, "re-ared-m1": 0.25, "re-ared-m2": 0.0412, "cared": 0.25}
FALL = {"re-ared": 0.17, "re-ared-m1": 0.17, "re-ared-m2": 0.0384, "cared": 0.17}
"""Coefficients of the proportional steps."""


@dataclass(frozen=True)
class AdaptiveReference:
    """A scheme with its thresholds."""

    scheme: str
    min_th: float
    max_th: float
    top: float = 0.5
    bottom: float = 0.01

    @property
    def band(self) -> tuple[float, float]:
        """The target band of the average."""
        space = BAND[self.scheme] * (self.max_th - self.min_th)
        return self.min_th + space, self.max_th - space

    def step(self, max_p: float, average: float, before: float) -> float:
        """max_p after a tick that finds this average, and found that one the last time."""
        lower, upper = self.band
        if average > upper and max_p <= self.top:
            return max_p + self._alpha(max_p, average, before)
        if average < lower and max_p >= self.bottom:
            return max_p * self._beta(average, before)
        return max_p

    def _alpha(self, max_p: float, average: float, before: float) -> float:
        _, upper = self.band
        if self.scheme == "cared" and average == before:
            return 0.0
        if self.scheme == "ared" or (self.scheme == "cared" and average < before):
            return min(0.01, max_p / 4)
        return RISE[self.scheme] * max_p * (average - upper) / upper

    def _beta(self, average: float, before: float) -> float:
        lower, _ = self.band
        if self.scheme == "cared" and average == before:
            return 1.0
        if self.scheme == "ared" or (self.scheme == "cared" and average > before):
            return 0.9
        return 1 - FALL[self.scheme] * (lower - average) / (lower - self.min_th)
