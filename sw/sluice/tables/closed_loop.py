# SPDX-License-Identifier: Apache-2.0
"""Comparisons in the closed loop as tables."""

from __future__ import annotations

from collections.abc import Sequence

from sluice.loop import kept_rows, report
from sluice.tables.markdown import DAGGER, Lines, head, line


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
