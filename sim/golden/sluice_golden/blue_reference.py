# SPDX-License-Identifier: Apache-2.0
"""BLUE in floating point, written from the paper's algorithm and not from the integer model.

W. Feng, D. Kandlur, D. Saha, K. Shin, "BLUE: A New Class of Active Queue Management Algorithms", CSE-TR-387-99, figure of the
algorithm: on a packet loss, and on a link idle event, each if `now - last_update > freeze_time`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class BlueReference:
    """p_m in floating point; times in ns."""

    increment: float
    decrement: float
    freeze_time: float
    p_m: float = 0.0
    last_update: float = -math.inf

    def _may_move(self, now: float) -> bool:
        if now - self.last_update > self.freeze_time:
            self.last_update = now
            return True
        return False

    def loss(self, now: float) -> None:
        if self._may_move(now):
            self.p_m = min(1.0, self.p_m + self.increment)

    def link_idle(self, now: float) -> None:
        if self._may_move(now):
            self.p_m = max(0.0, self.p_m - self.decrement)

    def arrival_after_idle(self, now: float) -> None:
        """A simulator hears of no link idle event between the first one and the next arrival, and makes up for them then."""
        events = math.floor((now - self.last_update) / self.freeze_time) if now > self.last_update else 0
        if self._may_move(now):
            self.p_m = max(0.0, self.p_m - events * self.decrement)
