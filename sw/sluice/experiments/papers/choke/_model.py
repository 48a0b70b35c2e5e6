# SPDX-License-Identifier: Apache-2.0
"""The share of the link that CHOKe leaves to a flow which does not back off, by what it offers.

The model is that of A. Tang, J. Wang, S. Low, IEEE/ACM ToN 12(4), 2004, for many TCP flows, which hardly meet themselves, and few
drops by RED. The queue is a pipe that leaks: each UDP arrival throws a queued UDP packet out whenever it meets one, so a packet
that has been queued for t is still there with exp(-x t / b), where x is the rate offered and b the number of packets queued.
With T the time from the queue's end to its head, a = x T / b, c the link's rate, h the UDP flow's part of the queue, and mu its
share of the link, what comes in, lies there and leaves is

    h = (1 - h) (1 - exp(-a)),    mu c = x (1 - h) exp(-a),    (1 - h) b = (1 - mu) c T

from which h and T go out: mu / (1 - mu) = a exp(-a) and x / c = (1 - mu) a (2 - exp(-a)).
"""

from __future__ import annotations

import math

_STEPS = 60  # halvings of the interval in which a is sought


def share(load: float) -> float:
    """mu for x / c = `load`. The load grows with a, and a is at most the load."""
    low, high = 0.0, load
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _load(middle) < load else (low, middle)
    return _share(low)


def _share(a: float) -> float:
    odds = a * math.exp(-a)
    return odds / (1 + odds)


def _load(a: float) -> float:
    return (1 - _share(a)) * a * (2 - math.exp(-a))
