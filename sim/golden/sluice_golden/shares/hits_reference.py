# SPDX-License-Identifier: Apache-2.0
"""Hits of flows among sampled packets, in floating point, as BLACK and Purge have them: every flow has an entry."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class HitsReference:
    """Shares are averaged over the previous and the current period for flows that were kept; a flow that was not is measured by
    the current one."""

    samples: int = 0
    samples_before: int = 0
    hits: Counter[int] = field(default_factory=Counter)
    hits_before: dict[int, int] = field(default_factory=dict)

    def sample(self, flow: int) -> None:
        self.samples += 1
        self.hits[flow] += 1

    def share(self, flow: int) -> float:
        """H: of the sampled packets those of the flow."""
        if flow in self.hits_before:
            return (self.hits_before[flow] + self.hits[flow]) / (self.samples_before + self.samples)
        return self.hits[flow] / self.samples if self.samples else 0.0

    def close(self, flows: float) -> None:
        """The end of a period: who has a share of `flows` or more is kept."""
        self.hits_before = {f: n for f, n in self.hits.items() if n / self.samples * flows > 1 - 1e-9}
        self.samples_before = self.samples
        self.hits = Counter()
        self.samples = 0
