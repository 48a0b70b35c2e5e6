# SPDX-License-Identifier: Apache-2.0
"""What a reader sees of an experiment: tables for the terminal, and one self-contained page with plots."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from sluice.experiments import experiment_plots
from sluice.experiments.plan import Plan
from sluice.experiments.reproduction import Row
from sluice.loop.reports import report
from sluice.loop.series import Result
from sluice.support import templates
from sluice.support.output import provenance, write_text

NEVER = "never"
"""What stands for a value that no run, or the middle one of them, reached."""


@dataclass(frozen=True)
class Sheet:
    """One table as text, with its plot if it has one; the first two columns are names."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    plot: str | None = None
    shows_published: bool = False
    """Whether the plot has anything that the paper printed: only numbers can be drawn."""

    def for_terminal(self) -> Table:
        """The table as the console prints it."""
        table = Table(title=self.title, box=SIMPLE_HEAD)
        for index, name in enumerate(self.columns):
            table.add_column(name, justify="left" if index < 2 else "right", no_wrap=True)
        for row in self.rows:
            table.add_row(*row)
        return table


def sheets(rows: Sequence[Row], differences: Sequence[Row]) -> list[Sheet]:
    """A table for each metric, then one for its differences if there are any."""
    found = []
    for metric in dict.fromkeys(row["metric"] for row in rows):
        own = [row for row in rows if row["metric"] == metric]
        columns = ("AQM", "point", "published", "ours", "off %", "ns-2")
        is_drawn = any(isinstance(row["published"], int | float) for row in own)
        found.append(Sheet(metric, columns, [_row(row) for row in own], experiment_plots.metric(own), is_drawn))
        gaps = [row for row in differences if row["metric"] == metric]
        if gaps:
            title = f"{metric}, minus {gaps[0]['against']} seed by seed"
            found.append(Sheet(title, ("AQM", "point", "difference", "beyond chance"), [_gap(row) for row in gaps]))
    return found


def write(plan: Plan, tables: Sequence[Sheet], results: Sequence[Sequence[Result]], settings: dict[str, str]) -> Path:
    """Write the page, and its plots as SVG files beside it; the page's path."""
    experiment = plan.experiment
    time_plots = [(plot, experiment_plots.over_time(plot, plan.cells, results)) for plot in experiment.time_plots]
    page = templates.render(
        "experiment.html.j2",
        experiment=experiment,
        tables=tables,
        time_plots=time_plots,
        settings=settings,
        **provenance(),
    )
    file = report.folder() / f"{experiment.name}.html"
    write_text(file, page)
    for title, svg in [(sheet.title, sheet.plot) for sheet in tables] + [(plot.title, svg) for plot, svg in time_plots]:
        if svg:
            name = f"{experiment.name}-{re.sub(r'[^a-z0-9]+', '-', title.lower())}.svg"
            write_text(file.with_name(name), svg.replace("<svg ", '<svg style="background: white" ', 1))
    return file


def _row(row: Row) -> tuple[str, ...]:
    published = row["published"]
    return (
        row["aqm"],
        row["point"],
        published if isinstance(published, str) else _number(published),
        _median(row) if row["statistic"] == "median" else _interval(row["mean"], row["ci95"]),
        _off(published, row["value"]),
        _interval(row["ns2_mean"], row["ns2_ci95"]),
    )


def _off(published: float | str | None, ours: float | None) -> str:
    if ours is None or not isinstance(published, (int, float)) or not published:
        return "-"
    return f"{100 * (ours / published - 1):+.1f}"


def _gap(row: Row) -> tuple[str, ...]:
    half = row["ci95"]
    is_clear = half is not None and abs(row["mean"]) > half
    return row["aqm"], row["point"], _interval(row["mean"], half, "+"), "yes" if is_clear else "no"


def _median(row: Row) -> str:
    middle = NEVER if row["value"] is None else _number(row["value"])
    if row["low"] is None:
        return middle
    return f"{middle} [{_number(row['low'])} .. {NEVER if row['high'] is None else _number(row['high'])}]"


def _number(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{value:{sign}.4g}"


def _interval(middle: float | None, half: float | None, sign: str = "") -> str:
    """A mean with as many decimals as two digits of its interval have; an interval of rounding errors is none."""
    if middle is None or half is None:
        return _number(middle, sign)
    if half <= 1e-9 * abs(middle):
        return f"{_number(middle, sign)} ± 0"
    decimals = max(0, 1 - math.floor(math.log10(half)))
    return f"{middle:{sign}.{decimals}f} ± {half:.{decimals}f}"
