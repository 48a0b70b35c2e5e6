# SPDX-License-Identifier: Apache-2.0
"""Automatic parameters of RED, computed in host software because they need an exponential.

Thresholds and weight follow S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED" (ICIR, 2001) and the three
automatic modes of ns-2's `q_weight_`. The hardware averages with a shift, or with two neighbouring ones where
it has halves, so `nearest_weight` turns a weight into the closest 2^-n or 1.5 * 2^-n. Rates are in packets per
second, times in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

TARGET_DELAY_S = 0.005
"""Queueing delay that the automatic thresholds aim at."""

LEAST_MIN = 5.0
"""Smallest automatic lower threshold, packets."""

LEAST_RTT_S = 0.1
"""Smallest round-trip time that ns-2's mode -1 assumes."""

WEIGHT_EXPONENTS = range(5, 13)
"""Exponents that the hardware has."""

EXPONENT, HALF = "weight_exponent", "weight_half"
"""Registers of the weight."""


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


def nearest_weight(wanted: float, has_halves: bool = False) -> dict[str, int]:
    """The registers whose weight comes nearest to the wanted one as a ratio."""
    halves = (0, 1) if has_halves else (0,)
    candidates = [{EXPONENT: n} | ({HALF: half} if has_halves else {}) for n in WEIGHT_EXPONENTS for half in halves]
    return min(candidates, key=lambda registers: abs(math.log(realised(registers) / wanted)))


def realised(registers: Mapping[str, int]) -> float:
    """The weight that the registers stand for."""
    return (1 + registers.get(HALF, 0) / 2) * 2.0 ** -registers[EXPONENT]
