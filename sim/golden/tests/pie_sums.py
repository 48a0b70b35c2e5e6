# SPDX-License-Identifier: Apache-2.0
"""What becomes of the sum that spaces PIE's signals, as three that write PIE down have it. No model has a part in it.

RFC 8033, section 5.4, in floating point. All agree on when a packet is taken, and differ in what clears the sum: whatever is
taken, which is what appendix B says to who reads it as C; or in Linux' `pie_drop_early` the draw that hits, and in ns-3's
`PieQueueDisc::DropEarly` nothing. In both of these a drop clears it besides, in the function that calls, and a mark does not.
Linux' sum is a word of 64 bits in which 2^56 is 1, so it begins anew where it would be 256.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SOON, OVERDUE = 0.85, 8.5


@dataclass
class Sum:
    """The sum, whether a mark clears it that a draw has hit, and one that was overdue, and where its word ends."""

    with_a_hit: bool
    with_an_overdue_one: bool
    wraps_at: float = math.inf
    value: float = 0.0

    def takes(self, p: float, draw: float) -> bool:
        """Whether a packet goes; the one that does is marked, and so is no drop that would clear the sum."""
        self.value = (self.value + p) % self.wraps_at
        if self.value < SOON:
            return False
        if self.value >= OVERDUE:
            self.value = 0.0 if self.with_an_overdue_one else self.value
            return True
        if draw >= p:
            return False
        self.value = 0.0 if self.with_a_hit else self.value
        return True

    def marks(self, p: float, draws: Iterable[float]) -> list[int]:
        """Which of so many ECN-capable packets are marked at a fixed probability."""
        return [number for number, draw in enumerate(draws) if self.takes(p, draw)]


def rfc() -> Sum:
    return Sum(with_a_hit=True, with_an_overdue_one=True)


def linux() -> Sum:
    return Sum(with_a_hit=True, with_an_overdue_one=False, wraps_at=256.0)


def ns3() -> Sum:
    return Sum(with_a_hit=False, with_an_overdue_one=False)
