# SPDX-License-Identifier: Apache-2.0
"""What Purge makes of an interval of load (50 ms): whether there is congestion, whether it lasts, and how far it saturates the
link. All arrivals count, whatever becomes of them.

W = alpha (b - b*) + x - c, Q.18 in packets and exact, with the queue b that the tick finds and the arrivals x since the last
one. The saturation s is one of four, rounded down to Q1.17:

1. alpha (b - b*) / b* + (x - c) / c
2. step W
3. m, REM's probability
4. (b - b*) / (B - b*)

each clipped to 0..1. Formats: alpha and step Q0.18, c Q18.14, g Q4.8, g s Q4.14. The reference is
:mod:`sluice_golden.shares.purge_reference`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice_golden.blocks.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_COUNTED = (1 << 26) - 1
MOST_RUN = 15
_ONE = 1 << 18
_MOST_TERM = (1 << 21) - 1  # of a quotient, Q3.18


@dataclass(frozen=True, slots=True)
class Congestion:
    """What a tick has found, until the next one. `run`: intervals in a row with more arrivals than the link sends."""

    is_there: bool = False  # W > 0
    run: int = 0
    strength: int = 0  # g s, Q4.14


@dataclass
class LoadWatch(State):
    """Arrivals since the last tick, and how many intervals of overload there were in a row."""

    counted: int = 0
    run: int = 0

    def count(self) -> None:
        self.counted = min(self.counted + 1, MOST_COUNTED)

    def tick(self, p: Mapping[str, int], queue: int, probability: int) -> Congestion:
        """With so many packets queued, and m, Q1.31; counts anew from there on."""
        x, self.counted = self.counted, 0
        overload = (x << 14) - p["load_capacity"]
        mismatch = p["alpha"] * (queue - p["target"]) + (overload << 4)
        self.run = min(self.run + 1, MOST_RUN) if overload > 0 else 0
        s = saturation(p, queue, x, mismatch, probability) >> 1
        return Congestion(mismatch > 0, self.run, p["share_gain"] * s >> 11)


def saturation(p: Mapping[str, int], queue: int, counted: int, mismatch: int, probability: int) -> int:
    """s, Q1.18."""
    excess = max(0, queue - p["target"])
    if p["saturation"] == 1:
        of_queue = min(p["alpha"] * queue // p["target"], _MOST_TERM)
        of_load = min((counted << 32) // p["load_capacity"], _MOST_TERM)
        s = of_queue + of_load - p["alpha"] - _ONE
    elif p["saturation"] == 2:
        s = max(0, mismatch) * p["step"] >> 18
    elif p["saturation"] == 3:
        s = probability >> 13
    else:
        s = (excess << 18) // max(1, p["buffer"] - p["target"])
    return min(max(0, s), _ONE)
