# SPDX-License-Identifier: Apache-2.0
"""A bucket of tokens that time fills."""

from __future__ import annotations

from dataclasses import dataclass

from sluice_golden.blocks.state import State

PACKET = 5**9
LONGEST_PAUSE = (1 << 25) - 1  # that counts, in 512 ns
_MOST = (1 << 29) - 1  # that counts of what a pause brings: it fills any bucket


@dataclass
class TokenBucket(State):
    """Time is counted in 512 ns, packets in 5^-9: so each 512 ns bring as many of these as the rate has packets per second."""

    lacks: int = 0
    """0: it is full."""
    last: int = 0
    """Time of the last arrival."""
    gain: int = 0
    """What it has brought, as far as that counts."""

    def fill(self, now_ns: int, rate: int) -> None:
        """An arrival, which brings what the time since the one before is worth."""
        now = now_ns >> 9
        passed = min(now - self.last, LONGEST_PAUSE)
        self.last = now
        self.gain = min(passed * rate, _MOST)
        self.lacks = max(0, self.lacks - self.gain)

    def takes(self, packets: int) -> bool:
        """Whether the arrival gets a token of a bucket that holds so many, and takes it."""
        if self.lacks + PACKET > packets * PACKET:
            return False
        self.lacks += PACKET
        return True
