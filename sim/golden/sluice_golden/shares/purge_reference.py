# SPDX-License-Identifier: Apache-2.0
"""Purge in floating point, from the rebuilt formulas and not from the integer model.

Every flow has an entry in the cache: there are tests of who gets one elsewhere. Hits and samples are those of the previous and
the current window for flows that were kept, of the current one for others.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from sluice_golden.blocks.cardinality.min_count_reference import MinCountReference
from sluice_golden.controllers.rem_reference import RemReference

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
    samples: int = 0
    samples_before: int = 0
    hits: Counter[int] = field(default_factory=Counter)
    hits_before: dict[int, int] = field(default_factory=dict)
    window: MinCountReference = field(default_factory=lambda: MinCountReference(1024, 3))

    def arrive(self, flow: int, sample: int | None, queue: int) -> tuple[Rule, float]:
        """Which rule judges the packet, and with which probability it acts."""
        self.counted += 1
        self.window.arrive(flow / 2**32)
        if queue > self.rem.target and sample is not None:
            self.samples += 1
            self.hits[sample] += 1
        shares = self.flows * self.share(flow)
        if not self.is_congested or shares <= self.theta:
            return "rem", self.rem.probability
        chance = min(1.0, self.strength * (shares - 1))
        return ("drop" if self.run >= self.persistence else "mark"), chance

    def share(self, flow: int) -> float:
        """H: of the sampled packets those of the flow."""
        if flow in self.hits_before:
            return (self.hits_before[flow] + self.hits[flow]) / (self.samples_before + self.samples)
        return self.hits[flow] / self.samples if self.samples else 0.0

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
        self.hits_before = {f: n for f, n in self.hits.items() if n / self.samples * self.flows > 1 - 1e-9}
        self.samples_before = self.samples
        self.hits = Counter()
        self.samples = 0
        self.window = MinCountReference(1024, 3)
