# SPDX-License-Identifier: Apache-2.0
"""AVQ in floating point, as ns-2.35's `vq.cc` has it, and not from the integer model.

S. Kunniyur, R. Srikant, "Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for Active Queue Management",
SIGCOMM 2001. The paper lets dropped packets move the capacity too; ns-2 does not.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class AvqReference:
    """Sizes, buffer and rate in packets or in bytes; the rate per second."""

    rate: float
    buffer: float
    drops: bool
    """Whether who would overflow is dropped, and not marked."""
    alpha: float = 0.15
    gamma: float = 0.98
    queue: float = 0.0
    arrived: float | None = None
    counted: float | None = None

    def __post_init__(self) -> None:
        self.capacity = 0.8 * self.rate

    def overflows(self, now: float, size: float) -> bool:
        """Whether a packet that arrives now would overflow the virtual queue."""
        served = self.capacity * (now - (now if self.arrived is None else self.arrived))
        self.queue, self.arrived = max(0.0, self.queue - served), now
        is_over = self.queue + size > self.buffer
        if not is_over:
            self.queue += size
        if not (is_over and self.drops):
            passed = now - (now if self.counted is None else self.counted)
            moved = self.capacity + self.alpha * (self.gamma * self.rate * passed - size)
            self.capacity, self.counted = min(max(moved, 0.0), self.rate), now
        return is_over
