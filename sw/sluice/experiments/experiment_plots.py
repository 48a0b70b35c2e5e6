# SPDX-License-Identifier: Apache-2.0
"""The plots of an experiment as SVG text: a metric over the points, and what was sampled over time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import cycle
from typing import Any

from matplotlib.axes import Axes

from sluice.experiments import Cell, TimePlot
from sluice.loop import plots, series

Row = dict[str, Any]

COLOURS = ("#0b6e8f", "#d1495b", "#e39b2d", "#4f8f6b", "#6a4c93", "#8a8f98", "#30343b")
"""Curves in the order of their AQMs."""


def over_points(rows: Sequence[Row]) -> str | None:
    """One metric's rows against the number that their points begin with; nothing for fewer than two points."""
    numbers = {row["point"]: number for row in rows if (number := _leading_number(row["point"])) is not None}
    if len(numbers) < 2 or len(numbers) < len({row["point"] for row in rows}):
        return None
    unit = next(iter(numbers)).partition(" ")[2]

    def panel(axes: Axes) -> None:
        for aqm, colour in _coloured([row["aqm"] for row in rows]):
            own = [row for row in rows if row["aqm"] == aqm and row["value"] is not None]
            xs = [numbers[row["point"]] for row in own]
            low = [row["value"] - row["low"] if row["low"] is not None else 0 for row in own]
            high = [row["high"] - row["value"] if row["high"] is not None else 0 for row in own]
            axes.errorbar(
                xs, [row["value"] for row in own], [low, high], color=colour, capsize=2, linewidth=1.4, label=aqm
            )
            printed = [row for row in own if isinstance(row["published"], int | float)]
            axes.plot(
                [numbers[row["point"]] for row in printed],
                [row["published"] for row in printed],
                color=colour,
                linewidth=1,
                linestyle=":",
            )
        axes.legend(frameon=False, ncols=2)
        axes.set_xlabel(unit)
        axes.set_ylabel(rows[0]["metric"])

    return plots.grid([("", panel)])


def over_time(plot: TimePlot, cells: Sequence[Cell], results: Sequence[Sequence[series.Result]]) -> str:
    """A panel per point, a curve per AQM: the median over the runs of its cell."""
    points = dict.fromkeys(cell.point for cell in cells)
    colours = dict(_coloured([cell.aqm for cell in cells]))
    runs = list(zip(cells, results, strict=True))

    def panel(axes: Axes, point: str) -> None:
        here = [(cell, own) for cell, own in runs if cell.point == point]
        if plot.band:
            axes.axhspan(*plot.band, color="#eef3e6", zorder=0)
        for cell, own in here:
            curve = series.median_over_runs(own, plot.curve)
            if curve:
                axes.plot(*curve, color=colours[cell.aqm], linewidth=1.2, label=cell.aqm)
        if plot.truth:
            times, values = zip(*plot.truth(here[0][0].scenario), strict=True)
            axes.step(times, values, where="post", color="#30343b", linewidth=1, linestyle="--", label="true")
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, ncols=2)
        axes.margins(x=0)
        axes.set_xlabel("time, s")
        axes.set_ylabel(plot.axis)

    return plots.grid([(point, partial(panel, point=point)) for point in points])


def _coloured(aqms: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(dict.fromkeys(aqms), cycle(COLOURS), strict=False))


def _leading_number(point: str) -> float | None:
    found = re.match(r"[-+]?\d+(\.\d+)?", point)
    return float(found.group()) if found else None
