# SPDX-License-Identifier: Apache-2.0
"""The heat map of the atlas: schemes by cells, a number each, and its place among the schemes of the cell as the colour.

The colour is of places, not of values: the best of a cell is the lightest, the darkest are the worst and who never comes to it.
A triangle says that a scheme bought its number by leaving the link empty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure

from sluice.experiments.atlas import cells, ranking, schemes
from sluice.experiments.atlas.table import Row
from sluice.loop.reports import plots

IDLE = "\N{BLACK DOWN-POINTING SMALL TRIANGLE}"
"""Behind a number whose scheme carried less than `IDLE_PART` of what the best one of the cell did."""

IDLE_PART = 0.75

_CELL_INCHES = (0.62, 0.24)
_MARGIN_INCHES = (1.3, 1.5)
_COLOURS = LinearSegmentedColormap.from_list("places", ["#f4f8f2", "#9fc7a6", "#2f7f78", "#173f4f"])
_DARK = 0.5
"""On a field of less brightness than this the text is white."""


def heat(shown: Mapping[str, Sequence[Row]]) -> str:
    """The picture as SVG; of the cells and schemes that have a row."""
    worlds = [world for world in cells.WORLDS if shown.get(world.name)]
    names = [
        s.name for s in schemes.all_schemes() if any(row["scheme"] == s.name for own in shown.values() for row in own)
    ]
    colours = np.full((len(names), len(worlds)), np.nan)
    texts: dict[tuple[int, int], str] = {}
    for column, world in enumerate(worlds):
        ranked = ranking.ranked(world, shown[world.name])
        idle = idle_schemes(shown[world.name])
        places = ranking.places(ranked)
        for scheme, mean in ranked:
            line = names.index(scheme)
            colours[line, column] = 1 if math.isinf(mean.value) else places[scheme] / max(len(ranked) - 1, 1)
            texts[line, column] = short(mean.value) + (IDLE if scheme in idle else "")

    def heads(axes: Axes) -> None:
        words = [f"{world.name}\n{world.headline}" for world in worlds]
        axes.set_xticks(range(len(worlds)), words, rotation=60, ha="left", fontsize=7, rotation_mode="anchor")

    return grid(colours, texts, names, heads, _COLOURS, (0, 1), _CELL_INCHES, _MARGIN_INCHES)


def grid(
    colours: np.ndarray,
    texts: Mapping[tuple[int, int], str],
    names: Sequence[str],
    heads: Callable[[Axes], None],
    scale: Colormap,
    ends: tuple[float, float],
    cell_inches: tuple[float, float],
    margin_inches: tuple[float, float],
) -> str:
    """Texts on coloured fields as SVG, by line and column, with a name at each line; `heads` writes above the columns. Colours
    are numbers between the ends of a scale."""

    def draw(figure: Figure) -> None:
        axes: Axes = figure.subplots()
        axes.imshow(colours, cmap=scale, vmin=ends[0], vmax=ends[1], aspect="auto")
        for (line, column), text in texts.items():
            red, green, blue, _ = scale((colours[line, column] - ends[0]) / (ends[1] - ends[0]))
            colour = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < _DARK else "#30343b"
            axes.text(column, line, text, ha="center", va="center", fontsize=7, color=colour)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.xaxis.tick_top()
        heads(axes)
        axes.tick_params(length=0)
        axes.grid(visible=False)
        for side in axes.spines.values():
            side.set_visible(False)

    lines, columns = colours.shape
    width, height = (c * n + m for c, n, m in zip(cell_inches, (columns, lines), margin_inches, strict=True))
    return plots.svg((width, height), draw).replace("<svg ", '<svg style="background: white" ', 1)


def idle_schemes(rows: Sequence[Row]) -> set[str]:
    """Who carried less than `IDLE_PART` of the goodput of the best scheme of a cell."""
    carried = {scheme: ranking.mean_of(own, "goodput_mbps") for scheme, own in ranking.by_scheme(rows).items()}
    known = {scheme: mean.value for scheme, mean in carried.items() if mean is not None}
    return {scheme for scheme, value in known.items() if value < IDLE_PART * max(known.values())}


def short(value: float) -> str:
    """A number of three digits at most."""
    if math.isinf(value):
        return "never"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}" if value >= 10 else f"{value:.2g}"
