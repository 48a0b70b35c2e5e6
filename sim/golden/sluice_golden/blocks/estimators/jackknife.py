# SPDX-License-Identifier: Apache-2.0
"""How many flows are there? The jackknife of K. P. Burnham and W. S. Overton (Biometrika 65, 1978), exact integer model.

From the capture frequencies f_1..f_5 of a window of t captures and its S distinct flows come the estimates N_J1..N_J5, the
test between consecutive orders, and the interpolated estimate. Formats: coefficients Q3.14, their squares Q6.12, N_J and
the steps D_m in 9 fraction bits, var_m's parts in 12, logarithms in 12, probabilities and the interpolation in 18 and 16;
the estimate is Q10.8. The float reference is :mod:`sluice_golden.blocks.estimators.jackknife_reference`.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb, factorial
from typing import Any, TypeVar

from sluice_golden.blocks.table import Table

Number = TypeVar("Number", int, Any)  # of Python, or many of numpy

#: Largest window, and largest S or f_i, that the formats hold.
MOST_CAPTURES = 127

ORDERS = 5
_ALPHA = round(0.05 * 2**18)  # significance at which an order is accepted, Q0.18
_CHI2 = Fraction(3841459, 1000000)  # T^2 at that significance, one degree of freedom


def coefficient(t: int, order: int, i: int) -> Fraction:
    """a(t, order)_i, what f_i weighs in N_J(order), from the definition of the jackknife of that order."""
    if order == 0 or i > order:
        return Fraction(1)
    terms = (
        (-1) ** j * comb(order, j) * Fraction(t - j) ** order * Fraction(comb(j, i), comb(t, i))
        for j in range(i, order + 1)
    )
    return 1 - sum(terms, Fraction(0)) / factorial(order)


@functools.cache
def step(t: int, m: int, i: int) -> Fraction:
    """b_i of D_m = N_J(m+1) - N_Jm; 0 where t captures do not allow order m + 1."""
    if i > m + 1 or m + 1 > t:
        return Fraction(0)
    return coefficient(t, m + 1, i) - coefficient(t, m, i)


def _rounded(x: Fraction | float, fraction_bits: int) -> int:
    return math.floor(Fraction(x) * (1 << fraction_bits) + Fraction(1, 2))


@dataclass(frozen=True, slots=True)
class Coefficients:
    """What the estimator multiplies by at one t."""

    first: int  # N_J1 - S is this times f_1, Q0.14
    steps: tuple[tuple[int, ...], ...]  # |b_i| of m = 1..4, Q3.14; the sign is + for odd i
    squares: tuple[tuple[int, ...], ...]  # b_i^2, Q6.12

    @classmethod
    @functools.cache
    def exact(cls, t: int) -> Coefficients:
        """As published, for t captures."""
        steps = [[step(t, m, i) for i in range(1, m + 2)] for m in range(1, ORDERS)]
        return cls(
            _rounded(Fraction(t - 1, t), 14) if t else 0,
            tuple(tuple(_rounded(abs(b), 14) for b in row) for row in steps),
            tuple(tuple(_rounded(b * b, 12) for b in row) for row in steps),
        )

    @classmethod
    @functools.cache
    def limit(cls, t: int) -> Coefficients:
        """For t without end, as the program CAPTURE uses them for t > 30: whole numbers."""
        rows = [[comb(m, i - 1) if m < t else 0 for i in range(1, m + 2)] for m in range(1, ORDERS)]
        return cls(
            1 << 14 if t > 1 else 0,
            tuple(tuple(b << 14 for b in row) for row in rows),
            tuple(tuple(b * b << 12 for b in row) for row in rows),
        )


# Tables of the hardware. Entries of a table indexed by truncated values stand for the middle of their interval.
LIMIT_OF_TEST = Table(  # D^2 accepted up to this * V
    "limit of the test by S", [0] + [_rounded(_CHI2 * s / (s - 1 + _CHI2), 16) for s in range(1, 128)]
)
LOG2_LESS_ONE = Table("log2(S - 1)", [0, 0] + [_rounded(math.log2(s - 1), 12) for s in range(2, 128)])
LOG2_MANTISSA = Table("log2 of a mantissa", [_rounded(math.log2(1 + (i + 0.5) / 1024), 12) for i in range(1024)])
RECIPROCAL = Table(  # of x in [1/2, 1) by its next 10 bits
    "reciprocal of a mantissa", [_rounded(Fraction(4096, 2 * (1024 + i) + 1), 17) for i in range(1024)]
)
_LEAST_LOG2 = -10
_DISTANCE_ENTRIES = 15 * 256
DISTANCE = Table(  # of P from 0.05, by log2(T^2), Q0.18; T^2 = 0 has the first entry
    "distance of the significance from 0.05",
    [(1 << 18) - 1 - _ALPHA]
    + [
        abs(min(_rounded(math.erfc(math.sqrt(2 ** ((i + 0.5) / 256 + _LEAST_LOG2) / 2)), 18), (1 << 18) - 1) - _ALPHA)
        for i in range(1, _DISTANCE_ENTRIES)
    ],
)
TABLES = (LIMIT_OF_TEST, LOG2_LESS_ONE, LOG2_MANTISSA, RECIPROCAL, DISTANCE)


def log2_fixed(x: int) -> int:
    """log2 of a positive number, 12 fraction bits."""
    position = x.bit_length() - 1
    mantissa = (x << 10 >> position) & 1023
    return (position << 12) + LOG2_MANTISSA[mantissa]


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of flows, with what it came from."""

    orders: tuple[int, ...]  # N_J0..N_J5, 9 fraction bits
    order: int  # the first accepted, 5 if none is
    value: int  # Q10.8
    view: dict[str, int] = field(default_factory=dict)  # what it came from, step by step


def index_of_distance(log2_of_ratio: Number) -> Number:
    """Where log2(D^2 (S - 1) / Y) of d and y as they are stands in the table, 12 fraction bits; beyond its ends too."""
    return (log2_of_ratio - (6 + _LEAST_LOG2 << 12)) >> 4


def distance(d: int, y: int, distinct: int) -> int:
    """|P_m - 0.05|, Q0.18, of T^2 = D^2 (S - 1) / (S V - D^2); d in 9 fraction bits, y = S V - D^2 in 12."""
    if d == 0:
        return DISTANCE[0]
    if y <= 0:
        return DISTANCE[_DISTANCE_ENTRIES - 1]
    index = index_of_distance(2 * log2_fixed(abs(d)) + LOG2_LESS_ONE[distinct] - log2_fixed(y))
    return DISTANCE[min(max(index, 0), _DISTANCE_ENTRIES - 1)]


def interpolation(below: int, above: int) -> int:
    """c = (0.05 - P_(m-1)) / (P_m - P_(m-1)), Q1.16, from the distances of P_(m-1) and P_m from 0.05."""
    total = below + above
    if total == 0:
        return 0
    shift = 18 - total.bit_length()
    mantissa = (total << shift >> 7) & 1023
    return (below << shift) * RECIPROCAL[mantissa] >> 19


def estimate(frequencies: tuple[int, ...], distinct: int, captures: int, table: Coefficients | None = None) -> Estimate:
    """``frequencies`` f_1..f_5, ``distinct`` S, ``captures`` t."""
    table = table or Coefficients.exact(captures)
    orders = [distinct << 9, (distinct << 9) + ((table.first * frequencies[0] + 16) >> 5)]
    steps, rests, accepted = [], [], []
    view: dict[str, int] = {}
    for m in range(1, ORDERS):
        products = [b * f for b, f in zip(table.steps[m - 1], frequencies, strict=False)]
        d = (sum(products[0::2]) - sum(products[1::2]) + 16) >> 5
        v = sum(q * f for q, f in zip(table.squares[m - 1], frequencies, strict=False))
        allowed = v * LIMIT_OF_TEST[distinct] >> 10
        steps.append(d)
        rests.append(distinct * v - (d * d >> 6))
        accepted.append(m < captures and d * d <= allowed)
        view |= {
            f"difference_{m}": d,
            f"variance_{m}": v,
            f"square_{m}": d * d,
            f"allowed_{m}": allowed,
            f"rest_{m}": rests[-1],
        }
        orders.append(orders[-1] + d)

    order = next((m for m in range(1, ORDERS) if accepted[m - 1]), ORDERS)
    value = orders[order]
    view["offset"] = 0 if order == 1 else orders[order - (order < ORDERS)] - orders[1]
    if 1 < order < ORDERS:
        before, this = order - 2, order - 1
        below = distance(steps[before], rests[before], distinct)
        above = distance(steps[this], rests[this], distinct)
        c = interpolation(below, above)
        view |= {"below": below, "above": above, "ratio": c, "step": steps[before]}
        value = orders[order - 1] + ((c * steps[before] + (1 << 15)) >> 16)
    return Estimate(tuple(orders), order, max(value, orders[1]) >> 1, view)
