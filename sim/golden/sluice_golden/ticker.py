# SPDX-License-Identifier: Apache-2.0
"""When a core's ticks come."""

from __future__ import annotations


class Ticker:
    """Ticks of a period: when the time that is due has come, and the next is due a period later; or a period after now, where
    now has passed that as well. Deaf for some cycles after each; the first period begins a few cycles after reset."""

    AWAKE = 2  # cycle after reset whose time is the first to be looked at

    def __init__(self, spacing: int) -> None:
        self.spacing = spacing
        self.due: int | None = None
        self.awake = self.AWAKE

    def is_due(self, cycle: int, now_ns: int, period_ns: int) -> bool:
        """Whether the time presented in the cycle before makes a tick, in the next cycle."""
        if cycle < self.awake or (self.due is not None and now_ns < self.due):
            return False
        is_first = self.due is None
        is_behind = self.due is None or now_ns >= self.due + period_ns
        self.due = (now_ns if is_behind or self.due is None else self.due) + period_ns
        self.awake = cycle + self.spacing
        return not is_first
