# SPDX-License-Identifier: Apache-2.0
"""The jackknife straight from Burnham and Overton's formulas: rational numbers up to the test, floating point after it.

The closed forms of the coefficients stand here as published; the integer model makes its own from the definition.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction


def published_coefficients(captures: int, order: int) -> list[Fraction]:
    """a(t, order)_1.. as in the table of 1978."""
    t = Fraction(captures)
    numerators = {
        1: [t - 1],
        2: [2 * t - 3, -((t - 2) ** 2)],
        3: [3 * t - 6, -(3 * t * t - 15 * t + 19), (t - 3) ** 3],
        4: [4 * t - 10, -(6 * t * t - 36 * t + 55), 4 * t**3 - 42 * t * t + 148 * t - 175, -((t - 4) ** 4)],
        5: [
            5 * t - 15,
            -(10 * t * t - 70 * t + 125),
            10 * t**3 - 120 * t * t + 485 * t - 660,
            -((t - 4) ** 5 - (t - 5) ** 5),
            (t - 5) ** 5,
        ],
    }[order]
    falling = Fraction(1)
    row = []
    for i, numerator in enumerate(numerators):
        falling *= t - i
        row.append(1 + numerator / falling)
    return row


@dataclass(frozen=True, slots=True)
class Reference:
    """``t_squared`` and ``significance`` of m = 1.. as far as the captures allow; infinite T^2 where the variance is 0."""

    orders: list[Fraction]  # N_J0..
    t_squared: list[float]
    significance: list[float]
    order: int
    value: float


def reference(frequencies: list[int], captures: int) -> Reference:
    """``frequencies`` f_1.. as far as they go (not only to 5)."""
    distinct = sum(frequencies)
    f = list(frequencies) + [0] * (5 - len(frequencies))
    highest = min(5, captures)
    weights = [[Fraction(1)] * len(f)]
    for order in range(1, highest + 1):
        row = published_coefficients(captures, order)
        weights.append(row + [Fraction(1)] * (len(f) - order))
    orders = [sum((a * x for a, x in zip(row, f, strict=True)), Fraction(0)) for row in weights]
    if distinct <= 1:
        return Reference(orders, [], [], 1, float(distinct))

    t_squared, significance = [], []
    for m in range(1, highest):
        d = orders[m + 1] - orders[m]
        squares = sum(((b - a) ** 2 * x for a, b, x in zip(weights[m], weights[m + 1], f, strict=True)), Fraction(0))
        variance = Fraction(distinct, distinct - 1) * (squares - d * d / distinct)
        if variance > 0:
            t_squared.append(float(d * d / variance))
        else:
            t_squared.append(0.0 if d == 0 else math.inf)
        significance.append(math.erfc(math.sqrt(t_squared[-1] / 2)))

    order = next((m for m, p in enumerate(significance, start=1) if p > 0.05), highest)
    value = float(orders[order])
    if 1 < order <= len(significance):
        p_before, p = significance[order - 2], significance[order - 1]
        c = (0.05 - p_before) / (p - p_before)
        value = (1 - c) * float(orders[order - 1]) + c * float(orders[order])
    return Reference(orders, t_squared, significance, order, max(value, float(orders[1])))
