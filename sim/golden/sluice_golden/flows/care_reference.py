# SPDX-License-Identifier: Apache-2.0
"""CARE from the paper's text: lists searched from end to end, rates and shares as numbers, nothing incremental.

The virtual buffer is B = t / p_cap packets; the flow's rate is estimated as B m2 / t, the fair share as B / n.
"""

from __future__ import annotations

from collections import Counter

from sluice_golden.blocks.estimators.jackknife_reference import reference


class CareReference:
    """Lists of fixed lengths ``list_length`` (t) and ``window`` (t_n <= t)."""

    def __init__(self, list_length: int, window: int, capture_probability: float) -> None:
        self.list_length = list_length
        self.window = window
        self.capture_probability = capture_probability
        self.captured: list[int] = []
        self.flows = 0.0

    def drop_probability(self, flow: int, u: float) -> float:
        """What becomes of an arrival whose capture draw is ``u``."""
        if u < self.capture_probability:
            self.captured = [*self.captured, flow][-self.list_length :]
            occurrences = Counter(Counter(self.captured[-self.window :]).values())
            frequencies = [occurrences[i] for i in range(1, max(occurrences) + 1)]
            self.flows = reference(frequencies, min(len(self.captured), self.window)).value
        fill = len(self.captured)
        recaptures = self.captured.count(flow)
        if fill == 0 or recaptures == 0:
            return 0.0
        buffer = fill / self.capture_probability
        rate = buffer * recaptures / fill
        share = buffer / self.flows
        return 1 - share / rate if rate > share else 0.0
