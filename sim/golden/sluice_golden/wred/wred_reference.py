# SPDX-License-Identifier: Apache-2.0
"""WRED in floating point: what the exact model is held against.

The average of the exact model is a sum of terms that are rounded down, so it is off by less than 2^weight of its units, of which
there are 1,024 in a byte: at most 32 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Average:
    """Exponentially weighted, in bytes."""

    weight: int
    bytes: float = 0.0

    def sample(self, queued: int) -> float:
        """After a packet that finds so many bytes."""
        self.bytes += (queued - self.bytes) * 2.0**-self.weight
        return self.bytes


def probability(found: float, low: int, high: int, at_high: float) -> float:
    """That a packet is hit that finds so many bytes."""
    if found >= high:
        return 1.0
    if found <= low:
        return 0.0
    return at_high * (found - low) / (high - low)
