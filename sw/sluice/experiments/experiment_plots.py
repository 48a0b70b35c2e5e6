# SPDX-License-Identifier: Apache-2.0
"""The plots of an experiment as SVG text: a metric over the points, and what was sampled over time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import cycle
from typing import Any

from matplotlib.axes import Axes

from sluice.experiments import Cell, TimePlot
from sluice.loop import series
from sluice.loop.reports import plots

Row = dict[str, Any]

COLOURS = ("#0b6e8f", "#d1495b", "#e39b2d", "#4f8f6b", "#6a4c93", "#8a8f98", "#30343b")
"""Curves in the order of their AQMs; where there are more AQMs, the next ones are dashed."""


def metric(rows: Sequence[Row]) -> str | None:
    """One metric's rows, a panel for all points that differ in the number that they begin with: curves over that number. Where
    no two points do, bars at each; nothing where only some have a number.
    """
    points = list(dict.fromkeys(row["point"] for row in rows))
    numbers = {point: number for point in points if (number := _leading_number(point)) is not None}
    kinds = {point: point.partition(" ")[2] if point in numbers else point for point in points}
    if len(set(kinds.values())) == len(points):
        return _bars([row for row in rows if row["value"] is not None], points)
    return _curves(rows, kinds, numbers) if len(numbers) == len(points) else None


def _bars(rows: Sequence[Row], points: Sequence[str]) -> str | None:
    """A panel for each point, in it a bar for each AQM with its interval, and a diamond where a number is published."""

    def panel(axes: Axes, point: str) -> None:
        here = [row for row in reversed(rows) if row["point"] == point]
        names, values = [row["aqm"] for row in here], [row["value"] for row in here]
        axes.barh(names, values, xerr=_reach(here), color=COLOURS[0], ecolor=COLOURS[-1], capsize=2)
        printed = [row for row in here if isinstance(row["published"], int | float)]
        if printed:
            axes.plot(
                [row["published"] for row in printed],
                [row["aqm"] for row in printed],
                linestyle="",
                marker="D",
                color=COLOURS[1],
                label="published",
            )
            axes.legend(frameon=False)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(rows[0]["metric"])

    return plots.grid([(point, partial(panel, point=point)) for point in points]) if rows else None


def _curves(rows: Sequence[Row], kinds: Mapping[str, str], numbers: Mapping[str, float]) -> str:
    """A panel for each kind of points, in it a curve for each AQM with its intervals; dotted in its colour what is published."""

    def panel(axes: Axes, kind: str) -> None:
        for aqm, (colour, line) in _drawn([row["aqm"] for row in rows]):
            own = [
                row for row in rows if row["aqm"] == aqm and kinds[row["point"]] == kind and row["value"] is not None
            ]
            if not own:
                continue
            xs = [numbers[row["point"]] for row in own]
            values = [row["value"] for row in own]
            axes.errorbar(xs, values, _reach(own), color=colour, linestyle=line, capsize=2, linewidth=1.4, label=aqm)
            printed = [row for row in own if isinstance(row["published"], int | float)]
            axes.plot(
                [numbers[row["point"]] for row in printed],
                [row["published"] for row in printed],
                color=colour,
                linewidth=1,
                linestyle=":",
            )
        axes.legend(frameon=False, ncols=2)
        axes.set_xlabel(kind)
        axes.set_ylabel(rows[0]["metric"])

    return plots.grid([("", partial(panel, kind=kind)) for kind in dict.fromkeys(kinds.values())])


def over_time(plot: TimePlot, cells: Sequence[Cell], results: Sequence[Sequence[series.Result]]) -> str:
    """A panel per point, a curve per AQM: the median over the runs of its cell."""
    points = dict.fromkeys(cell.point for cell in cells)
    drawn = dict(_drawn([cell.aqm for cell in cells]))
    runs = list(zip(cells, results, strict=True))

    def panel(axes: Axes, point: str) -> None:
        here = [(cell, own) for cell, own in runs if cell.point == point]
        if plot.band:
            axes.axhspan(*plot.band, color="#eef3e6", zorder=0)
        for cell, own in here:
            curve = series.median_over_runs(own, plot.curve)
            if curve:
                colour, line = drawn[cell.aqm]
                axes.plot(*curve, color=colour, linestyle=line, linewidth=1.2, label=cell.aqm)
        if plot.truth:
            times, values = zip(*plot.truth(here[0][0].scenario, here[0][1][0]), strict=True)
            axes.step(times, values, where="post", color="#30343b", linewidth=1, linestyle="--", label="true")
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, ncols=2)
        axes.margins(x=0)
        axes.set_xlabel("time, s")
        axes.set_ylabel(plot.axis)

    return plots.grid([(point, partial(panel, point=point)) for point in points])


def _drawn(aqms: Sequence[str]) -> list[tuple[str, tuple[str, str]]]:
    """Each AQM with a colour and a kind of line."""
    kinds = [(colour, line) for line in ("-", "--") for colour in COLOURS]
    return list(zip(dict.fromkeys(aqms), cycle(kinds), strict=False))


def _reach(rows: Sequence[Row]) -> list[list[float]]:
    """How far the intervals reach to both sides of the values."""
    low = [row["value"] - row["low"] if row["low"] is not None else 0 for row in rows]
    return [low, [row["high"] - row["value"] if row["high"] is not None else 0 for row in rows]]


def _leading_number(point: str) -> float | None:
    found = re.match(r"[-+]?\d+(\.\d+)?", point)
    return float(found.group()) if found else None
