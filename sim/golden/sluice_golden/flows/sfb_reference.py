# SPDX-License-Identifier: Apache-2.0
"""SFB in floating point, written from the paper's and Linux' algorithms and not from the integer model.

W. Feng, D. Kandlur, D. Saha, K. Shin, "Stochastic Fair Blue: A Queue Management Algorithm for Enforcing Fairness", INFOCOM 2001;
and `sch_sfb` of Linux. Flows come with their bins, and the caller says when the hash functions change. Unlike Linux' the rate
limiter loses no part of a token when it is asked too soon.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Fate = Literal["pass", "mark or drop", "drop", "full", "penalty"]
Bins = tuple[int, ...]


@dataclass
class Bin:
    qlen: int = 0
    p_m: float = 0.0


@dataclass
class SfbReference:
    """Probabilities in floating point, times in seconds."""

    levels: int
    bins: int
    is_linux: bool
    d1: float
    d2: float
    bin_size: int
    bin_max: int
    rate: float
    burst: float
    sets: list[list[list[Bin]]] = field(init=False)
    tokens: float = field(init=False)
    now: float = 0.0

    def __post_init__(self) -> None:
        self.sets = [[[Bin() for _ in range(self.bins)] for _ in range(self.levels)] for _ in range(2)]
        self.tokens = self.burst

    def chosen(self, number: int, bins: Bins) -> list[Bin]:
        return [level[index] for level, index in zip(self.sets[number], bins, strict=True)]

    def _update(self, chosen: list[Bin]) -> None:
        for b in chosen:
            is_over = b.qlen >= self.bin_size if self.is_linux else b.qlen > self.bin_size
            if b.qlen == 0:
                b.p_m = max(0.0, b.p_m - self.d2)
            elif is_over:
                b.p_m = min(1.0, b.p_m + self.d1)

    def arrive(self, now: float, active: int, bins: Bins, draw: float, warming_bins: Bins | None) -> Fate:
        """What becomes of a packet with these bins in the active set, and in the one that is warmed up, if one is."""
        self.tokens = min(self.burst, self.tokens + (now - self.now) * self.rate)
        self.now = now
        chosen = self.chosen(active, bins)
        lengths = [b.qlen for b in chosen]
        self._update(chosen)
        is_full = min(lengths) >= self.bin_max if self.is_linux else max(lengths) > self.bin_size
        p_min = min(b.p_m for b in chosen)
        is_certain = p_min >= 1 - 1e-9
        if is_certain and warming_bins is not None and (not self.is_linux or not is_full):
            self._update(self.chosen(1 - active, warming_bins))
        if is_full:
            return "full"
        if is_certain:
            if self.tokens < 1 - 1e-9:
                return "penalty"
            self.tokens -= 1
            return "pass"
        if draw >= p_min:
            return "pass"
        return "drop" if self.is_linux and draw < 2 * (p_min - 0.5) else "mark or drop"

    def count(self, number: int, bins: Bins, by: int) -> None:
        for b in self.chosen(number, bins):
            b.qlen += by
