# SPDX-License-Identifier: Apache-2.0
"""What PI2 and PIE share: how long the queue is in time, and what a distance in time moves a probability by.

Delays are ns of 32 bits, 4.29 s at most. A distance becomes seconds of Q3.30, at most 2^-29 s below what it is; gains are 1/s,
Q16.16; a term is Q2.40, rounded towards 0. The source is RFC 8033, section 4.2, and RFC 9332, appendix A.1.
"""

from __future__ import annotations

MOST_NS = (1 << 32) - 1
FRACTION = 40
ONE = 1 << FRACTION
_MOST_TERM = (1 << FRACTION + 2) - 1
_MORE = (1 << 62) // 10**9 - (1 << 32)
"""2^30 / 10^9 - 1, Q0.32."""


def backlog_ns(queue_bytes: int, rate: int) -> int:
    """The time that a link takes for so many bytes, which sends `rate` in 16 ns, Q10.22."""
    return min((queue_bytes << 26) // rate, MOST_NS)


def seconds(ns: int) -> int:
    """Q3.30."""
    return ns + (ns * _MORE >> 32)


def term(gain: int, distance_ns: int) -> int:
    """Gain times distance."""
    size = min(gain * seconds(abs(distance_ns)) >> 46 - FRACTION, _MOST_TERM)
    return size if distance_ns >= 0 else -size
