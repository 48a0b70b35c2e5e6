# SPDX-License-Identifier: Apache-2.0
"""Comparisons in the closed loop as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sluice.experiments import kept_results, load
from sluice.loop.reports import kept_rows, report
from sluice.pages.tables.markdown import DAGGER, Lines, head, line


def compared(arguments: Sequence[str]) -> Lines:
    """Some AQMs in a scenario, with the columns in which any of them has more than nothing."""
    scenario, *aqms = arguments
    kept = {name: row for name, row in kept_rows.rows(scenario).items() if name in aqms}
    shown = [c.name for c in report.COLUMNS if any(row[c.name].strip("-0.") for row in kept.values())]
    old = {name for name, row in kept.items() if kept_rows.is_old(row)}
    lines = head("AQM", *shown)
    for name in aqms:
        cells = (kept[name][column] if name in kept else "-" for column in shown)
        lines.append(line(f"`{name}`{DAGGER if name in old else ''}", *cells))
    legend = [
        "",
        f"† of earlier RTL or another scenario; `sluice compare {scenario} --keep` with `--aqm` runs it anew.",
    ]
    return [*lines, *(legend if old else [])]


def reproduced(arguments: Sequence[str]) -> Lines:
    """A metric of an experiment, as the mean and the half width of its 95 % interval, or as the median: its columns and points,
    whichever are more down the page."""
    name, metric = arguments
    kept = {(row["aqm"], row["point"]): row for row in kept_results.rows(name, metric)}
    cells = kept_results.cells(name)
    old = {key for key, cell in cells.items() if key in kept and kept_results.is_old(kept[key], cell)}
    shown = {key: _interval(row) + (DAGGER if key in old else "") for key, row in kept.items()}
    aqms, points = (list(dict.fromkeys(names)) for names in zip(*cells, strict=True))
    if len(points) > len(aqms):
        lines = [*head("", *aqms), *(line(p, *(shown.get((a, p), "-") for a in aqms)) for p in points)]
    else:
        lines = [*head("", *points), *(line(a, *(shown.get((a, p), "-") for p in points)) for a in aqms)]
    runs = dict.fromkeys((row["seeds"], row["duration_s"]) for row in kept.values())
    lengths = "; ".join(f"{seeds} seeds of {seconds} s" for seeds, seconds in runs)
    shown_as = "median" if metric in load(name).medians else "mean and 95 % interval"
    legend = f"{metric}: {shown_as}, {lengths}."
    aged = [f"† of earlier RTL or another simulation; `sluice reproduce {name} --keep` runs it anew."] if old else []
    return [*lines, "", legend, *(["", *aged] if aged else [])]


def _interval(row: Mapping[str, str]) -> str:
    if not row["value"]:
        return "-"
    if not row["low"]:
        return f"{float(row['value']):.2f}"
    value, low, high = (float(row[key]) for key in ("value", "low", "high"))
    return f"{value:.2f} ± {(high - low) / 2:.2f}"
