# SPDX-License-Identifier: Apache-2.0
"""BLACK in floating point, written from its description and not from the integer model.

G. Chatranon, M. Labrador, S. Banerjee, ICC 2003, as later papers describe it. Every flow has an entry: what is kept when there
are more flows than entries the description does not say. Shares are averaged over the previous and the current period for flows
that were kept; a flow that was not is measured by the current one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sluice_golden.shares.hits_reference import HitsReference


@dataclass
class BlackReference:
    """Says with which probability a packet is dropped while the queue is beyond the threshold."""

    period: int
    arrivals: int = 0
    matches: int = 0
    flows: float = 1.0
    seen: HitsReference = field(default_factory=HitsReference)

    def arrive(self, flow: int, sample: int) -> float:
        """`sample`: the flow of the packet that it meets in the queue."""
        self.arrivals += 1
        self.matches += sample == flow
        self.seen.sample(sample)
        chance = min(1.0, max(0.0, self.flows * self.seen.share(flow) - 1))
        if self.arrivals == self.period:
            self._close()
        return chance

    def _close(self) -> None:
        self.flows = self.seen.samples / self.matches if self.matches else float(self.seen.samples)
        self.seen.close(self.flows)
        self.arrivals = self.matches = 0
