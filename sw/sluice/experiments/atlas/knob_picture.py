# SPDX-License-Identifier: Apache-2.0
"""The picture of `sluice sensitivity`: knobs by factors in each cell, a number each, coloured by how much better or worse than
at 1. In all its cells less is better, and nothing is 0."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from sluice.experiments.atlas import agreement, knobs, picture
from sluice.experiments.atlas.knob_rows import Found
from sluice.experiments.atlas.ranking import Mean
from sluice.experiments.atlas.table import Row

MOST = 4.0
"""So many times better or worse has the full colour."""

_COLOURS = LinearSegmentedColormap.from_list("change", ["#2f7f78", "#cfe3cf", "#f7f7f4", "#f0c9b0", "#b5452c"])
_CELL_INCHES = (0.46, 0.2)
_MARGIN_INCHES = (2.3, 0.9)


def heat(rows: Sequence[Row]) -> str:
    """As SVG; of the knobs that have a row."""
    shown = [knob for knob in knobs.KNOBS if any((r["scheme"], r["knob"]) == (knob.scheme, knob.name) for r in rows)]
    columns = [(world, factor) for world in knobs.WORLDS for factor in knobs.FACTORS]
    colours = np.full((len(shown), len(columns)), np.nan)
    texts: dict[tuple[int, int], str] = {}
    for line, knob in enumerate(shown):
        found = {world.name: Found(rows, knob, world) for world in knobs.WORLDS}
        for column, (world, factor) in enumerate(columns):
            own = found[world.name]
            mean, plain = own.answer(factor), own.answer(1.0)
            if mean and plain:
                colours[line, column] = change(mean, plain)
                texts[line, column] = picture.short(mean.value) + (picture.IDLE if own.is_idle(factor) else "")

    def heads(axes: Axes) -> None:
        axes.set_xticks(range(len(columns)), [f"{factor:g}" for _, factor in columns], fontsize=7)
        for index, world in enumerate(knobs.WORLDS):
            begin = index * len(knobs.FACTORS) - 0.5
            axes.axvline(begin, color="white", linewidth=5)
            axes.annotate(
                f"{world.name}: {world.headline}",
                (begin + len(knobs.FACTORS) / 2, -0.5),
                xytext=(0, 18),
                textcoords="offset points",
                ha="center",
                fontsize=8,
                weight="bold",
            )

    names = [f"{knob.scheme}: {knob.name}" for knob in shown]
    return picture.grid(colours, texts, names, heads, _COLOURS, (-1, 1), _CELL_INCHES, _MARGIN_INCHES)


def change(mean: Mean, plain: Mean) -> float:
    """How many times as large, as a part of `MOST` on a scale of logarithms, -1 to 1; 0 where the intervals touch."""
    if agreement.agree(mean, plain):
        return 0.0
    return max(-1.0, min(1.0, math.log(mean.value / plain.value) / math.log(MOST)))
