# SPDX-License-Identifier: Apache-2.0
"""SRED in floating point, written from the paper and not from the integer model.

T. Ott, T. Lakshman, L. Wong, "SRED: Stabilized RED", INFOCOM 1999. While the list of M zombies fills nobody is dropped and P
stands still. Plain is the form that the paper does not have: p_sred (1 + Hit/P), with which CARE's numbers come out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Form = Literal["simple", "full", "plain"]


@dataclass
class SredReference:
    """Says with which probability a packet is dropped."""

    form: Form
    zombies_kept: int
    buffer: float
    p_max: float = 0.15
    overwrite: float = 0.25
    alpha: float = 0.001
    zombies: list[int] = field(default_factory=list)
    hit_frequency: float = 0.0

    def __post_init__(self) -> None:
        self.hit_frequency = 1 / self.zombies_kept

    def arrive(self, flow: int, queue: float, place: float, overwrite: float) -> float:
        """`place` and `overwrite`: draws out of 0..1; `queue` in the unit of the buffer."""
        if len(self.zombies) < self.zombies_kept:
            self.zombies.append(flow)
            return 0.0
        at = int(place * self.zombies_kept)
        hit = self.zombies[at] == flow
        if not hit and overwrite < self.overwrite:
            self.zombies[at] = flow
        self.hit_frequency = (1 - self.alpha) * self.hit_frequency + self.alpha * hit
        p_zap = self._p_sred(queue)
        if self.form != "plain":
            p_zap *= min(1.0, 1 / (256 * self.hit_frequency) ** 2)
        if self.form != "simple":
            p_zap *= 1 + hit / self.hit_frequency
        return min(1.0, p_zap)

    def _p_sred(self, queue: float) -> float:
        if queue >= self.buffer / 3:
            return self.p_max
        return self.p_max / 4 if queue >= self.buffer / 6 else 0.0
