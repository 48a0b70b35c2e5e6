# SPDX-License-Identifier: Apache-2.0
"""A sweep's runs as one tidy table: a row per run, its settings and its measures in columns."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sluice.experiments import Cell
from sluice.experiments.plan import Plan
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.output import writing
from sluice.support.units import number_or_text

Result = dict[str, Any]

Values = Mapping[str, Sequence[float | str]]
"""For each parameter, the values that it takes."""


def parse_values(arguments: Sequence[str]) -> dict[str, list[float | str]]:
    """Values out of `key=a,b,c` arguments."""
    values: dict[str, list[float | str]] = {}
    for argument in arguments:
        key, _, listed = argument.partition("=")
        texts = listed.split(",")
        if not key or not all(texts) or any(letter in argument for letter in "|[]"):
            raise UserError(f"--param takes key=value,value,..., not '{argument}'")
        values[key] = list(dict.fromkeys(number_or_text(key, text) for text in texts))
    return values


def combinations(values: Values) -> list[dict[str, float | str]]:
    """Every choice of one value for each parameter; one empty choice if there are none."""
    return [dict(zip(values, choice, strict=True)) for choice in itertools.product(*values.values())]


def row(plan: Plan, cell: Cell, chosen: Mapping[str, float | str], result: Result) -> dict[str, Any]:
    """One run; a measure that it missed is empty."""
    measures = {metric: measure(result) for metric, measure in plan.experiment.metrics.items()}
    return {
        "experiment": plan.experiment.name,
        "aqm": cell.aqm,
        "config": cell.config,
        "point": cell.point,
        **chosen,
        "seed": result["seed"],
        "duration_s": plan.duration_s,
        **{metric: value if math.isfinite(value) else "" for metric, value in measures.items()},
        "jain": result["jain"],
        "utilisation": result["utilisation"],
        "queue_mean_packets": result["queue_packets"]["mean"],
        "queue_std_packets": result["queue_packets"]["std"],
        "delay_mean_ms": result["queue_delay_ms"]["mean"],
        "delay_p99_ms": result["queue_delay_ms"]["p99"],
        "arrivals": result["arrivals"],
        "drops": sum(result["drops"].values()),
        "marks": sum(result["marks"].values()),
        "wall_s": result["wall_s"],
    }


def write(name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write the table build/sweep/NAME.csv; its path."""
    file = paths.build() / "sweep" / f"{name}.csv"
    with writing(file) as table:
        writer = csv.DictWriter(table, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return file
