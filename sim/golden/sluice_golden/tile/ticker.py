# SPDX-License-Identifier: Apache-2.0
"""When a core's ticks come."""

from __future__ import annotations


class Ticker:
    """Ticks of one kind: one when the time that is due has come.

    The next is due an interval later; or an interval after now, where now has passed that by the time the tick's work is over.
    Deaf for some cycles after each; the first interval begins a few cycles after a reset or a new period.
    """

    SETTING = 7
    """Cycles from a new period to the first look at the time."""
    _SET = 4
    """Cycles before a look in which what is due is set."""

    def __init__(self, spacing: int) -> None:
        self.spacing = spacing
        self.due: int | None = None
        self.awake: int | None = self.SETTING - 1
        self.ticks = 0

    def restart(self) -> None:
        """Another period takes effect in the next cycle that is asked about."""
        self.due = self.awake = None

    def is_due(self, cycle: int, now_ns: int, interval_ns: int, *, is_held: bool) -> bool:
        """Whether the time presented in the cycle before makes a tick, in the next cycle; asked in every cycle."""
        if self.awake is None:
            self.awake = cycle + self.SETTING
        if cycle == self.awake - self._SET:
            is_behind = self.due is None or now_ns >= self.due + interval_ns
            self.due = (now_ns if is_behind or self.due is None else self.due) + interval_ns
        if cycle < self.awake or is_held or self.due is None or now_ns < self.due:
            return False
        self.awake = cycle + self.spacing
        self.ticks += 1
        return True
