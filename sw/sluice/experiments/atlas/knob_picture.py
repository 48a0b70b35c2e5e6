# SPDX-License-Identifier: Apache-2.0
"""The picture of `sluice sensitivity`: knobs by factors in each cell, a number each, coloured by how much better or worse than
at 1."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from sluice.experiments.atlas import knobs, picture
from sluice.experiments.atlas.knob_rows import Found
from sluice.experiments.atlas.table import Row
from sluice.loop.reports import plots

_COLOURS = LinearSegmentedColormap.from_list("change", ["#2f7f78", "#cfe3cf", "#f7f7f4", "#f0c9b0", "#b5452c"])
_MOST = 4.0
"""So many times better or worse has the full colour."""
_DARK = 0.75
_CELL_INCHES = (0.46, 0.2)
_MARGIN_INCHES = (2.3, 0.9)
_NAMES = {0.1: "1/10", 0.3: "0.3", 1.0: "1", 3.0: "3", 10.0: "10"}


def heat(rows: Sequence[Row]) -> str:
    """As SVG; of the knobs that have a row."""
    shown = [knob for knob in knobs.KNOBS if any((r["scheme"], r["knob"]) == (knob.scheme, knob.name) for r in rows)]
    columns = [(world, factor) for world in knobs.WORLDS for factor in knobs.FACTORS]
    colours = np.full((len(shown), len(columns)), np.nan)
    texts: dict[tuple[int, int], str] = {}
    for line, knob in enumerate(shown):
        found = {world.name: Found(rows, knob, world) for world in knobs.WORLDS}
        for place, (world, factor) in enumerate(columns):
            own = found[world.name]
            mean, plain = own.answer(factor), own.answer(1.0)
            if mean is None or plain is None:
                continue
            colours[line, place] = _change(mean.value, plain.value) * (-1 if world.is_more_better else 1)
            texts[line, place] = picture.short(mean.value) + (picture.IDLE if own.is_idle(factor) else "")

    def draw(figure: Figure) -> None:
        axes: Axes = figure.subplots()
        axes.imshow(colours, cmap=_COLOURS, vmin=-1, vmax=1, aspect="auto")
        for (line, place), text in texts.items():
            colour = "white" if abs(colours[line, place]) > _DARK else "#30343b"
            axes.text(place, line, text, ha="center", va="center", fontsize=6.5, color=colour)
        axes.set_xticks(range(len(columns)), [_NAMES[factor] for _, factor in columns], fontsize=7)
        axes.set_yticks(range(len(shown)), [f"{knob.scheme}: {knob.name}" for knob in shown], fontsize=7.5)
        axes.xaxis.tick_top()
        for index, world in enumerate(knobs.WORLDS):
            middle = index * len(knobs.FACTORS) + (len(knobs.FACTORS) - 1) / 2
            axes.annotate(
                f"{world.name}: {world.headline}",
                (middle, -0.5),
                xytext=(0, 18),
                textcoords="offset points",
                ha="center",
                fontsize=8,
                weight="bold",
            )
            if index:
                axes.axvline(index * len(knobs.FACTORS) - 0.5, color="white", linewidth=5)
        axes.tick_params(length=0)
        axes.grid(visible=False)
        for side in axes.spines.values():
            side.set_visible(False)

    size = (len(columns), len(shown))
    width, height = (c * n + m for c, n, m in zip(_CELL_INCHES, size, _MARGIN_INCHES, strict=True))
    return plots.svg((width, height), draw)


def _change(value: float, plain: float) -> float:
    """How many times as large, as a part of `_MOST` on a scale of logarithms, -1 to 1; what never came about is the worst."""
    if value == plain:
        return 0.0
    if math.isinf(value) or plain <= 0:
        return 1.0
    if math.isinf(plain) or value <= 0:
        return -1.0
    return max(-1.0, min(1.0, math.log(value / plain) / math.log(_MOST)))
