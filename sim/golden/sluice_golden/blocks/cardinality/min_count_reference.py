# SPDX-License-Identifier: Apache-2.0
"""MINCOUNT straight from the formulas: numbers in [0, 1) as floats, each sorted in as it comes.

F. Giroire, Order statistics and estimating cardinalities of massive data sets, AofA 2005; linear counting of Whang, Vander-Zanden
and Taylor, 1990. The exposure estimate is the maximum likelihood of the number of flows where a bucket with fewer than k of them
was searched to its end, less the bias of one flow per bucket times the share of full buckets.
"""

from __future__ import annotations

import math


class MinCountReference:
    """One window."""

    def __init__(self, buckets: int, values: int) -> None:
        self.values = values
        self.smallest: list[list[float]] = [[] for _ in range(buckets)]

    def arrive(self, flow_hash: float) -> None:
        """A packet of the flow with a hash in [0, 1)."""
        scaled = flow_hash * len(self.smallest)
        kept, x = self.smallest[int(scaled)], scaled - int(scaled)
        if x not in kept:
            kept.append(x)
            kept.sort()
            del kept[self.values :]

    @property
    def stored(self) -> int:
        """Numbers kept in all buckets."""
        return sum(map(len, self.smallest))

    def _searched(self) -> list[float]:
        return [kept[-1] if len(kept) == self.values else 1.0 for kept in self.smallest]

    def exposure(self) -> float:
        """The exposure estimate."""
        buckets = len(self.smallest)
        full = sum(len(kept) == self.values for kept in self.smallest)
        return buckets * (self.stored - full / buckets) / sum(self._searched())

    def log_mean(self) -> float:
        """The logarithmic estimate, and linear counting below 3, 4 or 5 flows per bucket."""
        m, k = len(self.smallest), self.values
        empty = sum(not kept for kept in self.smallest)
        if empty and math.log(m / empty) < k + 2:
            return m * math.log(m / empty)
        constant = m * math.exp(m * (math.lgamma(k) - math.lgamma(k - 1 / m)))
        return constant * math.exp(-sum(map(math.log, self._searched())) / m)
