# SPDX-License-Identifier: Apache-2.0
"""The plots of a report as SVG text: one panel per AQM, all panels of a plot on the same axes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Result = dict[str, Any]

PANEL_INCHES = (4.6, 2.3)
COLUMNS = 2
SINGLE_STRETCH = 1.3
"""Height of a panel that stands alone, relative to one in a row."""
TILE_COLOUR = "#0b6e8f"
NS3_COLOUR = "#8a8f98"
LOUD_COLOUR = "#d1495b"
RATE_INTERVALS = 60
"""Parts of a run over which the shares of dropped and marked packets are averaged."""

_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#9aa0a6",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "grid.color": "#e6e8eb",
    "grid.linewidth": 0.8,
    "svg.fonttype": "none",
    "svg.hashsalt": "sluice",
}


def queue(results: Sequence[Result]) -> str:
    """Packets in the queue over time, and the core's own average where it has one."""

    def panel(result: Result, axes: Axes) -> None:
        series = result["series"]
        axes.plot(series["time_s"], series["queue_packets"], color=_colour(result), linewidth=0.8)
        average = series["status"].get("average")
        if average:
            axes.plot(series["time_s"], average, color=LOUD_COLOUR, linewidth=1.4, label="average")
            axes.legend(frameon=False, loc="best")
        _shade_warmup(axes, result)
        axes.set_xlabel("time, s")
        axes.set_ylabel("queue, packets")

    return _panels(results, panel)


def delay(results: Sequence[Result]) -> str:
    """Time that packets spend in the queue, over time."""

    def panel(result: Result, axes: Axes) -> None:
        series = result["series"]
        axes.plot(series["time_s"], series["delay_ms"], color=_colour(result), linewidth=0.8)
        _shade_warmup(axes, result)
        axes.set_xlabel("time, s")
        axes.set_ylabel("delay, ms")

    return _panels(results, panel)


def throughput(results: Sequence[Result]) -> str:
    """Throughput of each flow beside its fair share; unresponsive flows stand out."""

    def panel(result: Result, axes: Axes) -> None:
        flows = sorted(result["flows"], key=lambda flow: (_is_loud(flow), flow["throughput_mbps"]))
        rates = [flow["throughput_mbps"] for flow in flows]
        colours = [LOUD_COLOUR if _is_loud(flow) else _colour(result) for flow in flows]
        axes.bar(range(len(flows)), rates, color=colours, width=0.85)
        fair = sum(rates) / len(rates)
        axes.axhline(fair, color="#30343b", linewidth=1, linestyle="--")
        axes.annotate("equal shares", (0, fair), xytext=(0, 3), textcoords="offset points", color="#30343b")
        axes.set_xticks([])
        axes.set_xlabel("flows, UDP in red")
        axes.set_ylabel("Mbit/s")
        axes.grid(visible=False, axis="x")

    return _panels(results, panel)


def drop_rate(results: Sequence[Result]) -> str:
    """Share of the arriving packets that were dropped, and marked where any were, over time."""
    is_any_marked = any(any(result["series"]["marks"]) for result in results)

    def panel(result: Result, axes: Axes) -> None:
        times, rates = rate_series(result, "drops")
        axes.plot(times, 100 * rates, color=_colour(result), linewidth=1.2, label="dropped")
        if is_any_marked:
            times, rates = rate_series(result, "marks")
            axes.plot(times, 100 * rates, color=LOUD_COLOUR, linewidth=1.2, label="marked")
            axes.legend(frameon=False, loc="upper right")
        _shade_warmup(axes, result)
        axes.set_xlabel("time, s")
        axes.set_ylabel("of arrivals, %" if is_any_marked else "dropped, %")

    return _panels(results, panel)


def rate_series(result: Result, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Times and the shares of arrivals dropped or marked, averaged over the run's `RATE_INTERVALS`."""
    series = result["series"]
    times = np.asarray(series["time_s"])
    interval_s = max(result["duration_s"] / RATE_INTERVALS, times[0])
    bins = np.floor((times - 1e-9) / interval_s).astype(int)
    arrivals = np.bincount(bins, weights=series["arrivals"])
    counted = np.bincount(bins, weights=series[kind])
    rates = np.divide(counted, arrivals, out=np.zeros_like(counted), where=arrivals > 0)
    return (np.arange(len(rates)) + 0.5) * interval_s, rates


def grid(panels: Sequence[tuple[str, Callable[[Axes], None]]]) -> str:
    """Titled panels on the same axes, drawn by their functions; a single one takes the whole width.

    The vertical axis begins at zero, unless there are values below it, or all lie so far above it that their differences would
    vanish.
    """
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    height = PANEL_INCHES[1] * rows * (SINGLE_STRETCH if columns == 1 else 1)

    def draw_all(figure: Figure) -> None:
        cells = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        for axes, (title, draw) in zip(cells.flat, panels, strict=False):
            draw(axes)
            axes.set_title(title)
            axes.label_outer()
        bounds = [bound for axes in list(cells.flat)[: len(panels)] for bound in axes.dataLim.intervaly]
        if 0 <= min(bounds) < max(bounds) / 2:
            cells.flat[0].set_ylim(bottom=0)  # of all: a limit that is set ends the search for it
        for axes in list(cells.flat)[len(panels) :]:
            axes.set_visible(False)

    return svg((PANEL_INCHES[0] * COLUMNS, height), draw_all)


def svg(inches: tuple[float, float], draw: Callable[[Figure], None]) -> str:
    """A figure of that width and height in the style of all plots; the same text for the same data."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=inches, layout="constrained")
        draw(figure)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    whole = text.getvalue()
    return whole[whole.index("<svg") :]


def _panels(results: Sequence[Result], panel: Callable[[Result, Axes], None]) -> str:
    return grid([(result["aqm"], partial(panel, result)) for result in results])


def _shade_warmup(axes: Axes, result: Result) -> None:
    axes.axvspan(0, result["warmup_s"], color="#f1f2f4", zorder=0)
    axes.margins(x=0)


def _colour(result: Result) -> str:
    return NS3_COLOUR if result["aqm"].startswith("ns3-") else TILE_COLOUR


def _is_loud(flow: dict[str, Any]) -> bool:
    return bool(flow["kind"].startswith("udp"))
