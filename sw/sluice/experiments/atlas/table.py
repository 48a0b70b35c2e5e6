# SPDX-License-Identifier: Apache-2.0
"""The atlas' rows: one for each run, with the digests of the tile's RTL and of what was simulated.

A row is old when either is another now. Those of ns-3's own disciplines have no RTL.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sluice.experiments import Cell, kept_results
from sluice.experiments.atlas import measures
from sluice.loop.reports import kept_rows
from sluice.loop.series import Result
from sluice.support import paths, results_table

KEY = ("cell", "scheme", "duration_s", "seed")

Row = Mapping[str, str]


def working() -> Path:
    """Where all runs of this tree go."""
    return paths.build() / "atlas" / "runs.csv"


def kept() -> Path:
    """Where those are that pages show."""
    return paths.root() / "sim" / "results" / "atlas.csv"


def row(cell: Cell, duration_s: float, result: Result) -> dict[str, Any]:
    """One run; the cell's scenario at its full length."""
    found = measures.of(cell.scenario.lasting(duration_s), result)
    return {
        "cell": cell.point,
        "scheme": cell.aqm,
        "config": cell.config,
        "duration_s": f"{duration_s:g}",
        "seed": result["seed"],
        "rtl": kept_rows.rtl(cell.config),
        "setting": kept_results.setting(cell, duration_s),
        **{name: "" if value is None else f"{value:.6g}" for name, value in found.items()},
        "wall_s": f"{result['wall_s']:.3g}",
    }


def put(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Put rows into a table, in place of those of the same runs."""
    results_table.merge_rows(file, rows, KEY)


def value(found: Row, measure: str) -> float | None:
    """A measure of a row, where the cell has it."""
    return float(found[measure]) if found[measure] else None


def by_cell() -> dict[str, list[Row]]:
    """The kept rows of each cell, of whatever length."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in results_table.read(kept()):
        found[row["cell"]].append(row)
    return dict(found)


def shown() -> dict[str, list[Row]]:
    """Those of each cell that can be held against each other: of the length that most are of, in doubt the longest."""
    found: dict[str, list[Row]] = {}
    for cell, own in by_cell().items():
        lengths = Counter(row["duration_s"] for row in own)
        length = max(lengths, key=lambda text: (lengths[text], float(text)))
        found[cell] = [row for row in own if row["duration_s"] == length]
    return found
