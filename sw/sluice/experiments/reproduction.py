# SPDX-License-Identifier: Apache-2.0
"""An experiment's results as numbers: rows beside the published ones, and paired differences of columns.

A mean comes with the 95 % interval of Student's t; a median with the interval between two of the runs' own
values (order statistics). Differences are taken seed by seed, because equal seeds start equal flows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean, median
from typing import Any

from sluice.experiments import Cell
from sluice.experiments.plan import Plan
from sluice.loop import metrics

Result = dict[str, Any]
Row = dict[str, Any]

ALL_POINTS = "all"
"""The point of a difference that is the mean over all points."""


def rows(plan: Plan, results: Sequence[Sequence[Result]]) -> list[Row]:
    """One row for each cell and metric."""
    return [
        _row(plan, cell, metric, [measure(result) for result in own])
        for cell, own in zip(plan.cells, results, strict=True)
        for metric, measure in plan.experiment.metrics.items()
    ]


def differences(plan: Plan, results: Sequence[Sequence[Result]]) -> list[Row]:
    """Each column minus the experiment's `compare_to`, by point and over all points; without one, nothing."""
    base = plan.experiment.compare_to
    if base is None:
        return []
    found = []
    for metric, measure in plan.experiment.metrics.items():
        values = {
            (cell.aqm, cell.point): [measure(result) for result in own]
            for cell, own in zip(plan.cells, results, strict=True)
        }
        for aqm in dict.fromkeys(cell.aqm for cell in plan.cells if cell.aqm != base):
            by_point = {
                point: [ours - theirs for ours, theirs in zip(own, values[base, point], strict=True)]
                for (name, point), own in values.items()
                if name == aqm and (base, point) in values
            }
            if len(by_point) > 1:
                by_point[ALL_POINTS] = [mean(seed) for seed in zip(*by_point.values(), strict=True)]
            common = {"aqm": aqm, "against": base, "metric": metric}
            found += [common | _difference(point, gaps) for point, gaps in by_point.items() if _is_complete(gaps)]
    return found


def _difference(point: str, gaps: list[float]) -> Row:
    return {"point": point, "mean": mean(gaps), "ci95": metrics.ci95(gaps), "seeds": len(gaps)}


def _is_complete(values: Sequence[float]) -> bool:
    return all(map(math.isfinite, values))


def _row(plan: Plan, cell: Cell, metric: str, values: list[float]) -> Row:
    ns2 = cell.ns2.get(metric)
    complete = _is_complete(values)
    middle = mean(values) if complete else None
    half = metrics.ci95(values) if complete else None
    row: Row = {
        "aqm": cell.aqm,
        "point": cell.point,
        "metric": metric,
        "published": cell.published.get(metric),
        "mean": middle,
        "ci95": half,
        "seeds": len(values),
        "config": cell.config,
        "ns2_mean": mean(ns2) if ns2 else None,
        "ns2_ci95": metrics.ci95(ns2) if ns2 else None,
    }
    if metric in plan.experiment.medians:
        interval = metrics.median_interval95(values) or (math.inf, math.inf)
        shown = (median(values), *interval)
        return row | {"statistic": "median"} | _finite(shown) | {"missed": sum(map(math.isinf, values))}
    low, high = (middle - half, middle + half) if middle is not None and half is not None else (None, None)
    return row | {"statistic": "mean", "value": middle, "low": low, "high": high}


def _finite(values: tuple[float, ...]) -> Row:
    """JSON knows no infinity: null stands for it."""
    return {
        name: value if math.isfinite(value) else None
        for name, value in zip(("value", "low", "high"), values, strict=True)
    }
