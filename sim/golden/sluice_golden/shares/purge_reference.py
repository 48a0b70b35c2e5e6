# SPDX-License-Identifier: Apache-2.0
"""Purge in floating point, from the rebuilt formulas and not from the integer model.

Every flow has an entry in the cache: there are tests of who gets one elsewhere. Hits and samples are those of the previous and
the current window for flows that were kept, of the current one for others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sluice_golden.blocks.cardinality.min_count_reference import MinCountReference
from sluice_golden.controllers.rem_reference import RemReference
from sluice_golden.shares.hits_reference import HitsReference

Rule = Literal["rem", "mark", "drop"]


@dataclass
class PurgeReference:
    """Capacities in packets per interval, queues in packets."""

    rem: RemReference
    load_capacity: float
    buffer: float
    saturation: int = 1
    persistence: int = 2
    theta: float = 1.5
    gain: float = 2.0
    counted: int = 0
    run: int = 0
    is_congested: bool = False
    strength: float = 0.0
    flows: float = 1.0
    seen: HitsReference = field(default_factory=HitsReference)
    window: MinCountReference = field(default_factory=lambda: MinCountReference(1024, 3))

    def arrive(self, flow: int, sample: int | None, queue: int) -> tuple[Rule, float]:
        """Which rule judges the packet, and with which probability it acts."""
        self.counted += 1
        self.window.arrive(flow / 2**32)
        if queue > self.rem.target and sample is not None:
            self.seen.sample(sample)
        shares = self.flows * self.seen.share(flow)
        if not self.is_congested or shares <= self.theta:
            return "rem", self.rem.probability
        chance = min(1.0, self.strength * (shares - 1))
        return ("drop" if self.run >= self.persistence else "mark"), chance

    def load_tick(self, queue: float) -> None:
        """The end of an interval of load."""
        b, best, x, c = queue, self.rem.target, self.counted, self.load_capacity
        mismatch = self.rem.alpha * (b - best) + x - c
        s = {
            1: self.rem.alpha * (b - best) / best + (x - c) / c,
            2: self.rem.gamma * mismatch,
            3: self.rem.probability,
            4: (b - best) / (self.buffer - best),
        }[self.saturation]
        self.is_congested = mismatch > 0
        self.run = self.run + 1 if x > c else 0
        self.strength = self.gain * min(1.0, max(0.0, s))
        self.counted = 0

    def window_tick(self) -> None:
        """The end of a window."""
        self.flows = max(1.0, self.window.exposure())
        self.seen.close(self.flows)
        self.window = MinCountReference(1024, 3)
