# SPDX-License-Identifier: Apache-2.0
"""GREEN in floating point, as its paper's equations are printed, with gamma dividing (equation 3 of the paper).

Kapadia, Feng, Campbell 2004; TCP's law is that of M. Mathis, J. Semke, J. Mahdavi, T. Ott, "The Macroscopic Behavior of the TCP
Congestion Avoidance Algorithm", 1997, with c = 1.31 for an ACK per packet.
"""

from __future__ import annotations

from dataclasses import dataclass

MSS_BYTES = 1000
MATHIS = 1.31


def drop_probability(flows: float, rtt_s: float, bytes_per_s: float, gamma: float = 1) -> float:
    """p of a packet whose flow has this round-trip time."""
    return min(1.0, (flows * MSS_BYTES * MATHIS / (gamma * bytes_per_s * rtt_s)) ** 2)


@dataclass
class Gamma:
    """gamma over the windows; what the paper leaves open are its first value and the bounds."""

    value: float = 1.0
    least: float = 2**-6
    most: float = 127

    def window(self, utilisation: float, *, is_overflowed: bool) -> None:
        """A window is over."""
        if is_overflowed:
            self.value *= 0.95
        elif 0 < utilisation < 0.98:
            self.value *= (1 + utilisation) / (2 * utilisation)
        self.value = min(max(self.value, self.least), self.most)
