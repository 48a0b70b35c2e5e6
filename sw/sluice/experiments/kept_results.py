# SPDX-License-Identifier: Apache-2.0
"""Results of experiments that pages show, kept under version control: a row for each metric, point and column.

A row bears the digest of the tile's RTL and that of what was simulated, and is old when either is another now.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from sluice.experiments import Cell, load
from sluice.experiments.plan import Plan
from sluice.experiments.reproduction import Row
from sluice.hardware import rtl_digest
from sluice.loop.reports import kept_rows
from sluice.loop.scenario import Scenario
from sluice.support import paths, results_table

KEY = ("experiment", "metric", "point", "aqm")

_SCENARIO = TypeAdapter(Scenario)


def table() -> Path:
    """Where rows are kept."""
    return paths.root() / "sim" / "results" / "reproduced.csv"


def keep(plan: Plan, rows: Sequence[Row]) -> None:
    """Put all rows of a reproduction into the table."""
    cells = {(cell.aqm, cell.point): cell for cell in plan.cells}
    for row in rows:
        cell = cells[row["aqm"], row["point"]]
        found = {
            "experiment": plan.experiment.name,
            **{key: row[key] for key in ("metric", "point", "aqm")},
            "rtl": kept_rows.rtl(cell.config),
            "setting": setting(cell, plan.duration_s),
            "duration_s": f"{plan.duration_s:g}",
            "seeds": row["seeds"],
            **{key: "" if row[key] is None else f"{row[key]:.6g}" for key in ("value", "low", "high")},
        }
        results_table.merge_row(table(), found, key=KEY)


def rows(experiment: str, metric: str) -> list[dict[str, str]]:
    """What is kept of a metric of an experiment."""
    return [row for row in results_table.read(table()) if (row["experiment"], row["metric"]) == (experiment, metric)]


def cells(experiment: str) -> dict[tuple[str, str], Cell]:
    """Those that the experiment has now, by column and point."""
    return {(cell.aqm, cell.point): cell for cell in load(experiment).cells()}


def is_old(row: Mapping[str, str], cell: Cell) -> bool:
    """Whether a row is of other RTL than is generated now, or of another simulation."""
    return (row["rtl"], row["setting"]) != (kept_rows.rtl(cell.config), setting(cell, float(row["duration_s"])))


def setting(cell: Cell, duration_s: float) -> str:
    """Digest of what is simulated. What has its default does not count: a key that scenarios learn makes no result old. Of a
    switch's file counts what stands in it, not where it is."""
    said = _SCENARIO.dump_python(cell.scenario.lasting(duration_s), exclude_defaults=True)
    if cell.scenario.switch:
        said["switch"]["file"] = cell.scenario.switch.text()
    return hashlib.sha256(repr(said).encode()).hexdigest()[: rtl_digest.LENGTH]
