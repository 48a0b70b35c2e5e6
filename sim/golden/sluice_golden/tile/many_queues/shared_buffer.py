# SPDX-License-Identifier: Apache-2.0
"""What one of many queues may hold of a buffer that they share: a part of what is free.

A. K. Choudhury and E. L. Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM Transactions on
Networking 6(2), 1998: with B in the buffer and Q queued of all, a queue takes a packet while it is shorter than
T = alpha (B - Q). So n queues that always want more come to alpha B / (1 + alpha n) each, and B / (1 + alpha n) stays free for
those that come next.

Here alpha is a power of two, T is rounded down, and what is queued is all that the decisions before have let in. Packets and
bytes are shared alike, and a packet has to be let in by both.
"""

from __future__ import annotations

_UNIT = 9
"""The code of alpha = 1; of twice as much it is one more."""
_LARGEST = 16


def exponent(code: int) -> int | None:
    """The logarithm of alpha to the base of 2, from -8 to 7, or None where there is no threshold."""
    return code - _UNIT if 1 <= code <= _LARGEST else None


def threshold(power: int, free: int) -> int:
    """T for an alpha of 2^power."""
    return free << power if power >= 0 else free >> -power


def may_grow(code: int, queued: int, free: int) -> bool:
    """A queue that holds so much, of packets or bytes, may take a packet while this is free in the buffer."""
    power = exponent(code)
    return power is None or queued < threshold(power, free)
