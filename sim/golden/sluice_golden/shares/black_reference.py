# SPDX-License-Identifier: Apache-2.0
"""BLACK in floating point, written from its description and not from the integer model.

G. Chatranon, M. Labrador, S. Banerjee, ICC 2003, as later papers describe it. Every flow has an entry: what is kept when there
are more flows than entries the description does not say. Shares are averaged over the previous and the current period for flows
that were kept; a flow that was not is measured by the current one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class BlackReference:
    """Says with which probability a packet is dropped while the queue is beyond the threshold."""

    period: int
    arrivals: int = 0
    samples: int = 0
    matches: int = 0
    flows: float = 1.0
    samples_before: int = 0
    hits: Counter[int] = field(default_factory=Counter)
    hits_before: dict[int, int] = field(default_factory=dict)

    def arrive(self, flow: int, sample: int) -> float:
        """`sample`: the flow of the packet that it meets in the queue."""
        self.arrivals += 1
        self.samples += 1
        self.matches += sample == flow
        self.hits[sample] += 1
        chance = min(1.0, max(0.0, self.flows * self.share(flow) - 1))
        if self.arrivals == self.period:
            self._close()
        return chance

    def share(self, flow: int) -> float:
        """H: of the sampled packets those of the flow."""
        if flow in self.hits_before:
            return (self.hits_before[flow] + self.hits[flow]) / (self.samples_before + self.samples)
        return self.hits[flow] / self.samples

    def _close(self) -> None:
        self.flows = self.samples / self.matches if self.matches else float(self.samples)
        self.hits_before = {f: n for f, n in self.hits.items() if n / self.samples * self.flows > 1 - 1e-9}
        self.samples_before = self.samples
        self.hits = Counter()
        self.arrivals = self.samples = self.matches = 0
