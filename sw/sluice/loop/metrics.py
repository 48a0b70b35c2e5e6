# SPDX-License-Identifier: Apache-2.0
"""The measures that the papers use, and the interval that says how far to trust a mean."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from scipy import stats

CONFIDENCE = 0.95


def jain(rates: Sequence[float]) -> float:
    """Jain's fairness index, (sum x)^2 / (n sum x^2): 1 is equal shares, 1/n is one flow taking all."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 0.0


def norm(rates: Sequence[float], fair_share: float) -> float:
    """CARE's norm: the root of the summed squared distances from the fair share, in the rates' unit."""
    return math.sqrt(sum((rate - fair_share) ** 2 for rate in rates))


def drop_percent(result: Mapping[str, Any]) -> float:
    """Packets dropped at the bottleneck in percent of arrivals, of one run."""
    return _percent_of_arrivals(result, "drops")


def mark_percent(result: Mapping[str, Any]) -> float:
    """Packets marked CE there in percent of arrivals."""
    return _percent_of_arrivals(result, "marks")


def loss_percent(flows: Sequence[Mapping[str, Any]]) -> float:
    """Packets of these flows dropped there, before or after queueing, in percent of those that arrived."""
    return float(100 * sum(flow["dropped"] for flow in flows) / max(sum(flow["arrived"] for flow in flows), 1))


def _percent_of_arrivals(result: Mapping[str, Any], what: str) -> float:
    return float(100 * sum(result[what].values()) / max(result["arrivals"], 1))


def ci95(values: Sequence[float]) -> float | None:
    """Half width of the 95 % confidence interval of the mean (Student t); nothing for a single value."""
    if len(values) < 2:
        return None
    quantile = stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)
    return float(quantile * statistics.stdev(values) / math.sqrt(len(values)))


def median_interval95(values: Sequence[float]) -> tuple[float, float] | None:
    """The narrowest pair of symmetric order statistics that holds the median with 95 %; nothing below six values."""
    ordered = sorted(values)
    skipped = int(stats.binom.ppf((1 - CONFIDENCE) / 2, len(ordered), 0.5))
    return (ordered[skipped - 1], ordered[-skipped]) if skipped else None
