# SPDX-License-Identifier: Apache-2.0
"""PI in floating point, from the paper's difference equation and not from the integer model.

C. Hollot, V. Misra, D. Towsley, W. Gong, "On Designing Improved Controllers for AQM Routers Supporting TCP Flows", INFOCOM
2001; with the numbers of ns-2.35's `pi.cc`, which it equals at every tick.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class PiReference:
    """Queues in packets."""

    a: float = 1.822e-5
    b: float = 1.816e-5
    target: float = 50.0
    probability: float = 0.0
    old: float = 0.0

    def tick(self, queue: float) -> None:
        moved = self.probability + self.a * (queue - self.target) - self.b * (self.old - self.target)
        self.probability = min(1.0, max(0.0, moved))
        self.old = queue
