# SPDX-License-Identifier: Apache-2.0
"""Automatic parameters of RED, computed in host software because they need an exponential.

Thresholds and weight follow S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED" (ICIR, 2001) and the three
automatic modes of ns-2's `q_weight_`. The hardware averages with one shift or two, so `nearest_weight`
turns a weight into the closest 2^-a or 2^-a + 2^-b. Rates are in packets per second, times in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement

TARGET_DELAY_S = 0.005
"""Queueing delay that the automatic thresholds aim at."""

LEAST_MIN = 5.0
"""Smallest automatic lower threshold, packets."""

LEAST_RTT_S = 0.1
"""Smallest round-trip time that ns-2's mode -1 assumes."""

WEIGHT_EXPONENTS = range(5, 13)
"""Exponents that the hardware has."""


@dataclass(frozen=True)
class Thresholds:
    """Lower and upper threshold of the average queue, packets."""

    min: float
    max: float


def thresholds(rate_pps: float, target_delay_s: float = TARGET_DELAY_S) -> Thresholds:
    """Half the target delay's worth of packets but at least five, and three times that."""
    lower = max(LEAST_MIN, target_delay_s * rate_pps / 2)
    return Thresholds(lower, 3 * lower)


def weight(rate_pps: float) -> float:
    """The report's weight, ns-2's mode 0: a time constant of one second of the link."""
    return -math.expm1(-1 / rate_pps)


def weight_ns2_rtt(rate_pps: float, delay_s: float) -> float:
    """ns-2's mode -1: a time constant of ten round-trip times, guessed from the link's one-way delay."""
    rtt_s = max(LEAST_RTT_S, 3 * (delay_s + 1 / rate_pps))
    return -math.expm1(-1 / (10 * rtt_s * rate_pps))


def weight_ns2_fast(rate_pps: float) -> float:
    """ns-2's mode -2: ten times as fast as the report's."""
    return -math.expm1(-10 / rate_pps)


WEIGHTS: dict[str, Callable[[float, float], float]] = {
    "report": lambda rate_pps, _: weight(rate_pps),
    "ns2-rtt": weight_ns2_rtt,
    "ns2-fast": lambda rate_pps, _: weight_ns2_fast(rate_pps),
}
"""The rules for the weight by name, from rate and one-way delay: ns-2's `q_weight_` 0, -1 and -2."""


def nearest_weight(wanted: float, terms: int = 1) -> tuple[int, ...]:
    """The given number of exponents whose sum of 2^-e comes nearest to the weight as a ratio."""
    candidates = combinations_with_replacement(WEIGHT_EXPONENTS, terms)
    return min(candidates, key=lambda exponents: abs(math.log(realised(exponents) / wanted)))


def realised(exponents: tuple[int, ...]) -> float:
    """The weight that a set of exponents stands for."""
    return sum(2.0**-exponent for exponent in exponents)
